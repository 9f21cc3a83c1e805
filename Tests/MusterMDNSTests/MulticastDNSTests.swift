import NIOCore
import Testing

@testable import MusterMDNS

/// Real sockets, on the loopback interface and another port than that of the host's own daemons.
struct MulticastDNSTests {
    private func services() -> MulticastDNS {
        var configuration = MulticastDNS.Configuration(interfaces: .loopback)
        configuration.port = 15_353
        return MulticastDNS(configuration)
    }

    @Test func `two services on one host find each other, resolve and send goodbyes`() async throws {
        let (ana, bo) = (services(), services())
        let anaRuns = Task { await ana.run() }
        let boRuns = Task { await bo.run() }
        var events = try bo.browse("_x._tcp").makeAsyncIterator()
        let service = ServiceDescription(type: "_x._tcp", name: "Ana's phone", port: 4_711, text: ["id": "7"])
        let announced = try await ana.advertise(service)
        let found = try #require(await events.next())
        guard case .found(let instance) = found else {
            Issue.record("not found: \(found)")
            return
        }
        #expect(instance.name == "Ana's phone" && instance.port == 4_711 && instance.text["id"] == "7")
        #expect(instance.socketAddresses.first?.ipAddress == "127.0.0.1")
        #expect(instance.socketAddresses.first?.port == 4_711)
        var names = announced.makeAsyncIterator()
        #expect(await names.next() == "Ana's phone")

        // A second reader of the type hears what is known.
        var others = try bo.browse("_X._tcp").makeAsyncIterator()
        #expect(await others.next() == found)

        anaRuns.cancel()
        await anaRuns.value
        guard case .removed? = await events.next() else {
            Issue.record("not removed")
            return
        }
        #expect(await names.next() == nil)
        await #expect(throws: ServiceError.stopped) { try await ana.advertise(service) }
        boRuns.cancel()
        await boRuns.value
        #expect(await events.next() == nil)
    }

    @Test func `an invalid service type is refused`() {
        #expect(throws: ServiceError.badType("chat")) { try services().browse("chat") }
    }

    @Test func `a slow reader gets the last of each service`() {
        let pending = PendingEvents()
        func instance(_ name: String, port: UInt16) -> ServiceInstance {
            ServiceInstance(name: name, type: "_x._tcp", host: "h.local", port: port, addresses: [])
        }
        pending.add(.found(instance("a", port: 1)))
        pending.add(.found(instance("b", port: 1)))
        pending.add(.changed(instance("a", port: 2)))
        pending.add(.removed(instance("b", port: 1)))
        pending.add(.removed(instance("c", port: 1)))
        pending.add(.found(instance("c", port: 2)))
        #expect(pending.takeFirst() == .found(instance("a", port: 2)))
        #expect(pending.takeFirst() == .changed(instance("c", port: 2)))
        #expect(pending.takeFirst() == nil)
    }

    @Test func `a host recognizes its own packets, and not the same ones of another`() {
        var filter = EchoFilter()
        let question = DNSMessage(asking: [DNSQuestion(.local, .ptr)]).encoded()
        filter.recordSent(question, copies: 1, at: .zero)
        var found = [filter.isEcho(question, at: .zero), filter.isEcho(question, at: .zero)]
        #expect(found == [true, false])
        let answer = DNSMessage(answering: []).encoded()
        filter.recordSent(answer, copies: 1, at: .zero)
        found = [0, 1, 3].map { filter.isEcho(answer, at: .seconds($0)) }
        #expect(found == [true, true, false])
    }
}

extension ServiceInstance {
    /// Where to connect to, the best address first.
    fileprivate var socketAddresses: [SocketAddress] {
        addresses.map { HostEndpoint($0.address, port: port).socketAddress(onLink: $0.interfaceIndex) }
    }
}
