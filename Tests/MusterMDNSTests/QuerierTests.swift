import Testing

@testable import MusterMDNS

/// What a host that browses asks, and what it tells (RFC 6762, section 5; RFC 6763).
struct QuerierTests {
    private let type = DNSName("_x._tcp.local") ?? .root
    private let stranger = HostEndpoint(.v4(0x0A00_0063), port: 5353)

    private func records(
        _ name: String = "Ana", port: UInt16 = 1, host: String = "h.local", address: UInt32 = 0x0A00_0063
    ) throws -> [DNSRecord] {
        let instance = try #require(type.prepending(name.utf8))
        let target = try #require(DNSName(host))
        return [
            DNSRecord(type, .pointer(instance), timeToLive: 4_500),
            DNSRecord(
                instance, .service(ServiceLocation(port: port, target: target)), timeToLive: 120, flushesCache: true),
            DNSRecord(instance, .text([3] + Array("a=1".utf8)), timeToLive: 4_500, flushesCache: true),
            DNSRecord(target, .address(.v4(address)), timeToLive: 120, flushesCache: true),
        ]
    }

    private func browsing(for time: Duration = .milliseconds(500)) throws -> SimulatedNetwork {
        var network = SimulatedNetwork()
        network.add(1)
        try network.browse(on: 1)
        network.run(for: time)
        return network
    }

    @Test func `a type is asked for after 20 to 120 ms, and then ever less often, once an hour at least`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        let start = network.now
        try network.browse(on: 1)
        network.run(for: .seconds(5 * 3_600))
        let times = network.sent.filter { $0.asks(.ptr) }.map(\.time)
        #expect((Duration.milliseconds(20)...Duration.milliseconds(120)).contains(times[0] - start))
        let pauses = zip(times.dropFirst(), times).map { ($0 - $1) / .seconds(1) }
        #expect(pauses.prefix(13) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600])
        #expect(pauses.dropFirst(13).allSatisfy { $0 == 3_600 })
    }

    @Test func `a service whose records come together is found at once`() throws {
        var network = try browsing()
        let records = try records()
        let response = DNSMessage(answering: [records[0]], additionals: Array(records.dropFirst()))
        network.inject(response.encoded(), from: stranger, to: 1)
        let expected = ServiceInstance(
            name: "Ana", type: "_x._tcp", host: "h.local", port: 1,
            addresses: [ServiceInstance.Address(.v4(0x0A00_0063), interfaceIndex: 1)], text: ["a": "1"])
        #expect(network.events.map(\.event) == [.found(expected)])
    }

    @Test func `missing records of a service are asked for`() throws {
        var network = try browsing()
        network.forgetSent()
        let records = try records()
        network.inject(DNSMessage(answering: [records[0]]).encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(200))
        #expect(Set(network.sent.flatMap(\.message.questions).map(\.type)) == [.srv, .txt])
        network.inject(DNSMessage(answering: [records[1], records[2]]).encoded(), from: stranger, to: 1)
        network.forgetSent()
        network.run(for: .milliseconds(200))
        #expect(Set(network.sent.flatMap(\.message.questions).map(\.type)) == [.a, .aaaa])
        network.inject(DNSMessage(answering: [records[3]]).encoded(), from: stranger, to: 1)
        #expect(network.events.count == 1)
        // Then nothing but the type is asked for.
        network.forgetSent()
        network.run(for: .seconds(60))
        #expect(network.sent.flatMap(\.message.questions).allSatisfy { $0.type == .ptr })
    }

    @Test func `a known service is named in the question, and its host asked for it before it ends`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        let question = try #require(network.sent.last { $0.asks(.ptr) })
        let pointer = try records()[0].data
        #expect(question.message.answers.map(\.data) == [pointer])
        network.forgetSent()
        network.run(for: .seconds(93))
        #expect(Set(network.sent.flatMap(\.message.questions).map(\.type)).isSubset(of: [.ptr]))
        network.run(for: .seconds(24))
        #expect(network.sent.filter { $0.asks(.srv) }.count >= 3)
    }

    @Test func `a service that falls silent is removed when its records end`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        let found = network.now
        network.run(for: .seconds(130))
        let last = try #require(network.events.last)
        guard case .removed(let instance) = last.event else {
            Issue.record("not removed: \(last.event)")
            return
        }
        #expect(instance.port == 1 && last.time - found == .seconds(120))
        #expect(network.seen(by: 1).isEmpty)
    }

    @Test func `a goodbye removes a service a second later`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(10))
        let goodbye = DNSMessage(answering: try records().map { $0.withTimeToLive(0) })
        network.inject(goodbye.encoded(), from: stranger, to: 1)
        let time = network.now
        network.run(for: .seconds(5))
        #expect(network.events.count == 2 && network.events.last?.time == time + .seconds(1))
    }

    @Test func `a service that moves is changed, and never removed in between`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(10))
        let moved = try records(port: 2, host: "other.local", address: 0x0A00_0064)
        network.inject(DNSMessage(answering: moved).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(5))
        let after = network.events.dropFirst().map(\.event)
        #expect(after.allSatisfy { if case .changed = $0 { true } else { false } } && !after.isEmpty)
        #expect(after.last?.instance.port == 2 && after.last?.instance.host == "other.local")
    }

    @Test func `of two texts that come within a second the newer counts`() throws {
        var network = try browsing()
        var records = try records()
        network.inject(DNSMessage(answering: records).encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(100))
        records[2].data = .text([3] + Array("a=2".utf8))
        network.inject(DNSMessage(answering: [records[2]]).encoded(), from: stranger, to: 1)
        #expect(network.events.last?.event.instance.text["a"] == "2")
    }

    @Test func `a question that another host just asked is not asked again`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.browse(on: 1)
        network.inject(DNSMessage(asking: [DNSQuestion(type, .ptr)]).encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(900))
        #expect(network.sent.isEmpty)
        // The answer to a host that knows other services would not help this host, so this host asks as well.
        let known = DNSMessage(asking: [DNSQuestion(type, .ptr)], knowing: [try records()[0]])
        network.inject(known.encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(200))
        #expect(network.sent.count == 1)
    }

    @Test func `more known services than fit in a packet are sent in several`() throws {
        var network = try browsing()
        for number in 0..<100 {
            let records = try records("A service with a rather long name, number \(number)")
            network.inject(DNSMessage(answering: records).encoded(), from: stranger, to: 1)
        }
        network.forgetSent()
        network.run(for: .seconds(1))
        let asked = network.sent.drop { !$0.asks(.ptr) }
        #expect(asked.count > 1)
        #expect(asked.dropLast().allSatisfy(\.message.isTruncated) && asked.last?.message.isTruncated == false)
        #expect(asked.dropFirst().allSatisfy { $0.message.questions.isEmpty })
        #expect(asked.flatMap(\.message.answers).count == 100)
        #expect(asked.allSatisfy { $0.bytes.count <= 1_232 })
    }

    @Test func `answers from another port or from beyond the link are not believed`() throws {
        var network = try browsing()
        let response = DNSMessage(answering: try records()).encoded()
        network.inject(response, from: HostEndpoint(.v4(0x0A00_0063), port: 53), to: 1)
        let far = HostEndpoint(.v4(0x0808_0808), port: 5353)
        network.inject(response, from: far, to: 1, isMulticast: false)
        network.inject([1, 2, 3], from: stranger, to: 1)
        network.run(for: .seconds(1))
        #expect(network.events.isEmpty)
        #expect(network.hosts[1]?.refusedCount == 3)
    }

    @Test func `records of types that are not browsed for are not kept`() throws {
        var network = try browsing()
        let other = try #require(DNSName("a._other._tcp.local"))
        let records = [
            DNSRecord(other.parent, .pointer(other), timeToLive: 4_500),
            DNSRecord(other, .text([0]), timeToLive: 4_500),
            DNSRecord(try #require(DNSName("h.local")), .address(.v4(1)), timeToLive: 120),
        ]
        network.inject(DNSMessage(answering: records).encoded(), from: stranger, to: 1)
        #expect(network.hosts[1]?.querier.links[1]?.cache.count == 0)
    }

    @Test func `a flood of services does not displace those of others`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        let flooder = HostEndpoint(.v4(0x0A00_0064), port: 5353)
        for number in 0..<600 {
            let records = try records("\(number)", host: "\(number).local")
            network.inject(DNSMessage(answering: records).encoded(), from: flooder, to: 1)
        }
        network.run(for: .seconds(1))
        #expect(network.seen(by: 1).contains("Ana"))
        #expect(network.hosts[1]?.querier.links[1]?.cache.count(from: flooder.address) == 1_024)
    }

    @Test func `removing a link removes its services`() throws {
        var network = try browsing()
        network.inject(DNSMessage(answering: try records()).encoded(), from: stranger, to: 1)
        network.hosts[1]?.removeLink(1, at: network.now)
        network.run(for: .zero)
        #expect(network.events.count == 2 && network.seen(by: 1).isEmpty)
    }
}
