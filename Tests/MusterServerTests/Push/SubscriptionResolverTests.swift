import Dispatch
import MusterCore
import NIOCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct SubscriptionResolverTests {
    @Test func `names of one user whose name server never answers hold up no name of another user`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = SubscriptionResolver { host, port in
            if host.hasSuffix("slow.example") { gate.wait() }
            return [try SocketAddress(ipAddress: "192.0.2.1", port: port)]
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                // A name that waits too long for a thread is not looked up any more, which is no matter here.
                group.addTask {
                    await SubscriptionResolver.$user.withValue(UserNumber(1)) {
                        _ = try? await resolver.addresses(of: "\(number).slow.example", port: 443)
                    }
                }
            }
            let addresses = try await SubscriptionResolver.$user.withValue(UserNumber(2)) {
                try await resolver.addresses(of: "push.example", port: 443)
            }
            #expect(addresses.map(\.ipAddress) == ["192.0.2.1"])
            for _ in 0..<20 { gate.signal() }
            try await group.waitForAll()
        }
    }

    @Test func `an address that is spelled out needs no thread`() async throws {
        let resolver = SubscriptionResolver { _, _ in throw CallError.unreachable("nobody should be asked") }
        #expect(try await resolver.addresses(of: "192.0.2.7", port: 443).map(\.ipAddress) == ["192.0.2.7"])
    }

    @Test func `tests of pushes are bounded for each user, and one is under way at a time`() throws {
        var limiter = PushTestLimiter()
        let (user, other) = (UserNumber(1), UserNumber(2))
        let start = Instant(milliseconds: 1_000_000)
        try limiter.begin(user, at: start)
        #expect(throws: PushDeviceError.tooManyTests(seconds: 20)) { try limiter.begin(user, at: start) }
        try limiter.begin(other, at: start)
        limiter.end(user)
        for _ in 1..<10 {
            try limiter.begin(user, at: start)
            limiter.end(user)
        }
        #expect(throws: PushDeviceError.tooManyTests(seconds: 10)) { try limiter.begin(user, at: start) }
        try limiter.begin(user, at: start.advanced(bySeconds: 10))
    }
}
