import Dispatch
import HTTPTypes
import MusterCore
import MusterWire
import Synchronization
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// What `/health` says while a part of the server stands still.
@Suite struct StandstillTests {
    enum Part: String, CaseIterable { case readers, credentials, writer, hashing }

    /// A clock that is moved by hand.
    private final class WaitClock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(bySeconds seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
    }

    /// Holds the threads that come, and lets all of them go.
    private final class Barrier: Sendable {
        private let arrivals = AsyncStream.makeStream(of: Void.self)
        private let gate = DispatchSemaphore(value: 0)

        /// Blocks the thread until `open`.
        func hold() {
            arrivals.continuation.yield()
            gate.wait()
            gate.signal()
        }

        func awaitArrivals(_ count: Int) async {
            var left = count
            for await _ in arrivals.stream {
                left -= 1
                if left == 0 { return }
            }
        }

        func open() { gate.signal() }
    }

    /// As many threads as a part has.
    private func threads(of part: Part) -> Int {
        switch part {
        case .readers: StoreCoordinator.readerCount
        case .credentials: ReadingLimits.credentialThreads
        case .writer: 1
        case .hashing: 2
        }
    }

    /// Has a part do something for a request from an address.
    private func work(
        _ part: Part, _ office: Office, from address: String, _ body: @escaping @Sendable () -> Void
    ) async throws {
        try await RequestWork.$current.withValue(RequestWork(from: address)) {
            switch part {
            case .readers: try await office.coordinator.read { _ in body() }
            case .credentials: try await office.coordinator.readCredentials { _ in body() }
            case .writer: _ = try await office.coordinator.inspect { _, _, _ in body() }
            case .hashing: try await office.identity.hasher.run(address, .unknown, body)
            }
        }
    }

    private func wait(of part: Part, _ office: Office) -> Double {
        if part == .hashing { return office.identity.hasher.oldestWaitSeconds }
        return office.coordinator.waits.first { $0.part == part.rawValue }?.seconds ?? 0
    }

    @Test(arguments: Part.allCases)
    func `health names the part that stands still, and is well when it goes on`(part: Part) async throws {
        let clock = WaitClock()
        let office = try await Office(waitClock: { clock.now })
        try await office.open { desk in
            #expect(try await desk.send(.get, "//health").status == 200)
            let barrier = Barrier()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                let count = threads(of: part)
                for number in 0..<count {
                    tasks.addTask { try await work(part, office, from: "192.0.2.\(number)") { barrier.hold() } }
                }
                await barrier.awaitArrivals(count)
                // All threads are taken; this one waits for its turn.
                tasks.addTask { try await work(part, office, from: "198.51.100.1") {} }
                while wait(of: part, office) == 0 {
                    clock.advance(bySeconds: 11)
                    await Task.yield()
                }
                // What the writer did last counts as its work until its thread has come round.
                for other in Part.allCases where other != part {
                    while wait(of: other, office) > 0 { await Task.yield() }
                }
                let ill = try await desk.send(.get, "//health")
                #expect(ill.status == 503)
                #expect(ill.json["status"]?.string == "stalled")
                #expect(ill.json["stalled"]?.elements?.compactMap { $0["part"]?.string } == [part.rawValue])
                #expect((ill.json["stalled"]?.elements?.first?["waitingSeconds"]?.integer ?? 0) >= 10)
                barrier.open()
                try await tasks.waitForAll()
            }
            // The writer is known to go on once it took up something new.
            _ = try await office.coordinator.inspect { _, _, _ in }
            let well = try await desk.send(.get, "//health")
            #expect(well.status == 200 && well.json["status"]?.string == "ok")
        }
    }
}
