import Testing

@testable import MusterMDNS

/// Names that several hosts want (RFC 6762, sections 8 and 9).
struct ConflictTests {
    @Test func `a host that comes second takes another name`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        network.add(2)
        try network.advertise("Ana", on: 1)
        network.run(for: .seconds(5))
        try network.advertise("Ana", on: 2)
        network.run(for: .seconds(5))
        #expect(network.nameChanges.map(\.name) == ["Ana", "Ana (2)"])
        try network.browse(on: 1)
        network.run(for: .seconds(2))
        #expect(network.seen(by: 1) == ["Ana (2)"])
    }

    @Test(arguments: 1...20)
    func `hosts that start together end with different names`(_ seed: UInt64) throws {
        var network = SimulatedNetwork(seed: seed)
        for host in 1...4 {
            network.add(host, label: "same")
            try network.advertise("Ana", on: host, port: UInt16(host))
        }
        network.run(for: .seconds(30))
        let last = Dictionary(network.nameChanges.map { ($0.host, $0.name) }, uniquingKeysWith: { $1 })
        #expect(Set(last.values) == ["Ana", "Ana (2)", "Ana (3)", "Ana (4)"], "seed \(seed)")
        network.add(9)
        try network.browse(on: 9)
        network.run(for: .seconds(5))
        let found = network.hosts[9]?.instances(of: "_x._tcp") ?? []
        #expect(Set(found.map(\.host)).count == 4, "seed \(seed)")
        #expect(Set(found.map { Int($0.port) }) == [1, 2, 3, 4], "seed \(seed)")
    }

    @Test func `networks that are joined leave each name to one host`() throws {
        var network = SimulatedNetwork(seed: 3)
        network.isolated = [2]
        for host in 1...3 { network.add(host) }
        try network.advertise("Ana", on: 1, port: 1)
        try network.advertise("Ana", on: 2, port: 2)
        network.run(for: .seconds(5))
        #expect(network.nameChanges.map(\.name) == ["Ana", "Ana"])
        network.isolated = []
        try network.browse(on: 3)
        network.run(for: .seconds(30))
        #expect(network.seen(by: 3) == ["Ana", "Ana (2)"])
    }

    @Test func `of two simultaneous probes the lesser waits, and then takes another name`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1, port: 10)
        network.run(for: .milliseconds(260))
        let name = try #require(DNSName("Ana._x._tcp.local"))
        // The same but for a greater port, from one that then answers for it.
        let greater = ServiceLocation(port: 11, target: try #require(DNSName("other.local")))
        let record = DNSRecord(name, .service(greater), timeToLive: 120)
        let probe = DNSMessage(asking: [DNSQuestion(name, .any)], claiming: [record])
        let stranger = HostEndpoint(.v4(0x0A00_0063), port: 5353)
        network.forgetSent()
        let lost = network.now
        network.inject(probe.encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(999))
        #expect(network.sent.filter(\.isProbe).allSatisfy { !$0.message.questions.contains { $0.name == name } })
        network.run(for: .milliseconds(2))
        #expect(network.sent.last?.isProbe == true && network.now - lost > .seconds(1))
        network.inject(DNSMessage(answering: [record]).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(3))
        #expect(network.nameChanges.map(\.name) == ["Ana (2)"])
    }

    @Test func `of two simultaneous probes the greater goes on`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1, port: 10)
        network.run(for: .milliseconds(260))
        let name = try #require(DNSName("Ana._x._tcp.local"))
        let lesser = DNSRecord(name, .text([0]), timeToLive: 120)
        let probe = DNSMessage(asking: [DNSQuestion(name, .any)], claiming: [lesser])
        network.inject(probe.encoded(), from: HostEndpoint(.v4(0x0A00_0063), port: 5353), to: 1)
        network.run(for: .seconds(1))
        #expect(network.nameChanges.map(\.name) == ["Ana"])
    }

    @Test func `a host that objects to every name slows the probes down`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1)
        let stranger = HostEndpoint(.v4(0x0A00_0063), port: 5353)
        var answered = 0
        for _ in 0..<6_000 {
            network.run(for: .milliseconds(10))
            for sent in network.sent.dropFirst(answered) where sent.isProbe {
                let objections = sent.message.questions.map { question in
                    let location = ServiceLocation(port: 9, target: .local)
                    return DNSRecord(question.name, .service(location), timeToLive: 120, flushesCache: true)
                }
                network.inject(DNSMessage(answering: objections).encoded(), from: stranger, to: 1)
            }
            answered = network.sent.count
        }
        #expect(network.nameChanges.isEmpty)
        // Fifteen names at once, and then one in five seconds: for a minute, and for the service and the host.
        #expect((20...60).contains(network.sent.filter(\.isProbe).count))
    }

    @Test func `two services of one host get different names`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1, port: 1)
        try network.advertise("ana", on: 1, port: 2)
        network.run(for: .seconds(3))
        #expect(Set(network.nameChanges.map(\.name)) == ["Ana", "ana (2)"])
    }

    @Test func `a number behind a long name replaces its last characters`() {
        let name = String(repeating: "ä", count: 31) + "x"
        let numbered = ServiceNames.numbered(name, 12)
        #expect(numbered == String(repeating: "ä", count: 29) + " (12)")
        #expect(numbered.utf8.count <= 63)
    }
}
