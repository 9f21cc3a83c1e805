import Testing

@testable import MusterMDNS

/// What a host that advertises sends, and when (RFC 6762, sections 6 to 10).
struct ResponderTests {
    private let type = DNSName("_x._tcp.local") ?? .root

    private func instance(_ name: String = "Ana") throws -> DNSName { try #require(type.prepending(name.utf8)) }

    /// A network in which host 1 advertises "Ana" and has said so.
    private func established(text: ServiceText = [:]) throws -> SimulatedNetwork {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1, text: text)
        network.run(for: .seconds(5))
        network.forgetSent()
        return network
    }

    private let stranger = HostEndpoint(.v4(0x0A00_0063), port: 5353)

    private func ask(
        _ questions: DNSQuestion..., knowing known: [DNSRecord] = [], claiming: [DNSRecord] = []
    ) -> [UInt8] {
        DNSMessage(asking: questions, knowing: known, claiming: claiming).encoded()
    }

    @Test func `a name is probed for three times, and announced twice`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1)
        network.run(for: .seconds(5))
        let probes = network.sent.filter(\.isProbe).map(\.time)
        let announcements = network.sent.filter { $0.answers(.srv) }.map(\.time)
        #expect(probes.count == 3 && announcements.count == 2)
        #expect(network.sent.count == 5)
        #expect(probes[1] - probes[0] == .milliseconds(250) && probes[2] - probes[1] == .milliseconds(250))
        #expect(announcements[0] - probes[2] == .milliseconds(250))
        #expect(announcements[1] - announcements[0] == .seconds(1))
        #expect(network.nameChanges.map(\.name) == ["Ana"])
    }

    @Test func `a probe asks for the name and carries the records to be announced`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1)
        network.run(for: .milliseconds(260))
        let probe = try #require(network.sent.first).message
        let names = Set([try instance(), try #require(DNSName("host-1.local"))])
        #expect(Set(probe.questions.map(\.name)) == names)
        #expect(probe.questions.allSatisfy { $0.type == .any })
        #expect(Set(probe.authorities.map(\.type)) == [.srv, .txt, .a])
        #expect(probe.authorities.allSatisfy { !$0.flushesCache })
    }

    @Test func `an announcement has all records, and those of one host flush caches`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1, text: ["id": "7"])
        network.run(for: .seconds(2))
        let records = try #require(network.sent.first { $0.answers(.srv) }).message.answers
        #expect(Set(records.map(\.type)) == [.ptr, .srv, .txt, .a])
        for record in records { #expect(record.flushesCache == (record.type != .ptr)) }
        #expect(records.contains { $0.name == ServiceNames.types && $0.data == .pointer(type) })
        #expect(records.first { $0.type == .srv }?.timeToLive == 120)
        #expect(records.first { $0.type == .txt }?.data == .text([4] + Array("id=7".utf8)))
    }

    @Test func `a question for the type is answered within 20 to 120 ms with all that is asked for next`() throws {
        var network = try established()
        let asked = network.now
        network.inject(ask(DNSQuestion(type, .ptr)), from: stranger, to: 1)
        network.run(for: .seconds(1))
        let answer = try #require(network.sent.first)
        #expect(network.sent.count == 1 && answer.destination == nil)
        #expect((Duration.milliseconds(20)...Duration.milliseconds(121)).contains(answer.time - asked))
        let name = try instance()
        #expect(answer.message.answers.map(\.data) == [.pointer(name)])
        #expect(Set(answer.message.additionals.map(\.type)) == [.srv, .txt, .a, .nsec])
    }

    @Test func `a question for a name of one host is answered at once`() throws {
        var network = try established()
        let asked = network.now
        network.inject(ask(DNSQuestion(try instance(), .srv)), from: stranger, to: 1)
        network.run(for: .seconds(1))
        #expect(network.sent.map(\.time) == [asked])
        #expect(network.sent.first?.message.additionals.contains { $0.type == .a } == true)
    }

    @Test func `a known answer is not sent, unless it is about to expire`() throws {
        var network = try established()
        let known = DNSRecord(type, .pointer(try instance()), timeToLive: 2_300)
        network.inject(ask(DNSQuestion(type, .ptr), knowing: [known]), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.isEmpty)
        network.inject(ask(DNSQuestion(type, .ptr), knowing: [known.withTimeToLive(2_200)]), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.count == 1)
    }

    @Test func `known answers that come in further messages count, too`() throws {
        var network = try established()
        var first = DNSMessage(asking: [DNSQuestion(type, .ptr)])
        first.isTruncated = true
        let known = DNSRecord(type, .pointer(try instance()), timeToLive: 4_500)
        network.inject(first.encoded(), from: stranger, to: 1)
        network.run(for: .milliseconds(100))
        network.inject(DNSMessage(asking: [], knowing: [known]).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.isEmpty)
        // Without them the answer comes after 400 to 500 ms.
        let asked = network.now
        network.inject(first.encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        let answered = try #require(network.sent.first).time - asked
        #expect((Duration.milliseconds(400)...Duration.milliseconds(500)).contains(answered))
    }

    @Test func `a record is sent to everyone once a second at most`() throws {
        var network = try established()
        for _ in 0..<100 {
            network.inject(ask(DNSQuestion(try instance(), .srv)), from: stranger, to: 1)
            network.run(for: .milliseconds(20))
        }
        network.run(for: .seconds(2))
        let times = network.sent.map(\.time)
        #expect(times.count == 3)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= .seconds(1)) }
    }

    @Test func `an answer by unicast is given to who asks for it, unless everyone should hear it again`() throws {
        var network = try established()
        let question = DNSQuestion(try instance(), .srv, wantsUnicast: true)
        network.inject(ask(question), from: stranger, to: 1)
        network.run(for: .milliseconds(100))
        #expect(network.sent.map(\.destination) == [stranger])
        // After a quarter of the time to live of an SRV record, the answer is multicast.
        network.run(for: .seconds(31))
        network.forgetSent()
        network.inject(ask(question), from: stranger, to: 1)
        network.run(for: .milliseconds(100))
        #expect(network.sent.map(\.destination) == [nil])
    }

    @Test func `a resolver that knows plain DNS gets an answer that it understands`() throws {
        var network = try established()
        var query = DNSMessage(asking: [DNSQuestion(type, .ptr)])
        query.id = 77
        let resolver = HostEndpoint(.v4(0x0A00_0063), port: 40_000)
        network.inject(query.encoded(), from: resolver, to: 1)
        network.run(for: .seconds(1))
        let answer = try #require(network.sent.first)
        #expect(network.sent.count == 1 && answer.destination == resolver)
        #expect(answer.message.id == 77 && answer.message.questions == query.questions)
        let records = answer.message.answers + answer.message.additionals
        #expect(records.allSatisfy { !$0.flushesCache && $0.timeToLive <= 10 })
    }

    @Test func `a flood of questions from one port is answered 50 times a second`() throws {
        var network = try established()
        let resolver = HostEndpoint(.v4(0x0A00_0063), port: 40_000)
        for _ in 0..<1_000 {
            network.inject(ask(DNSQuestion(try instance(), .srv)), from: resolver, to: 1)
            network.run(for: .milliseconds(1))
        }
        #expect((50...101).contains(network.sent.count))
    }

    @Test func `a question for a type that a name lacks is answered with its types`() throws {
        var network = try established()
        network.inject(ask(DNSQuestion(try instance(), .aaaa)), from: stranger, to: 1)
        network.inject(ask(DNSQuestion(try #require(DNSName("host-1.local")), .aaaa)), from: stranger, to: 1)
        network.run(for: .seconds(1))
        let absences = Set(network.sent.flatMap(\.message.answers).map(\.data))
        let (name, host) = (try instance(), try #require(DNSName("host-1.local")))
        #expect(absences == [.present([.txt, .srv], next: name), .present([.a], next: host)])
    }

    @Test func `questions for others' names, other classes and from beyond the link are not answered`() throws {
        var network = try established()
        network.inject(ask(DNSQuestion(try instance("Bo"), .srv)), from: stranger, to: 1)
        network.inject(ask(DNSQuestion(try instance(), .srv, questionClass: 3)), from: stranger, to: 1)
        let far = HostEndpoint(.v4(0x0808_0808), port: 5353)
        network.inject(ask(DNSQuestion(try instance(), .srv)), from: far, to: 1, isMulticast: false)
        var other = DNSMessage(asking: [DNSQuestion(try instance(), .srv)])
        other.operation = 4
        network.inject(other.encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.isEmpty)
    }

    @Test func `an answer that another host gives first is not given again`() throws {
        var network = try established()
        network.inject(ask(DNSQuestion(type, .ptr)), from: stranger, to: 1)
        let same = DNSRecord(type, .pointer(try instance()), timeToLive: 4_500)
        network.inject(DNSMessage(answering: [same]).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.isEmpty)
    }

    @Test func `a goodbye of another host for a record of this one is contradicted`() throws {
        var network = try established()
        let goodbye = DNSRecord(type, .pointer(try instance()), timeToLive: 0)
        network.inject(DNSMessage(answering: [goodbye]).encoded(), from: stranger, to: 1)
        network.run(for: .seconds(2))
        #expect(network.sent.first?.answers(.ptr) == true)
    }

    @Test func `a withdrawn service sends a goodbye for all its records`() throws {
        var network = SimulatedNetwork()
        network.add(1)
        try network.advertise("Ana", on: 1)
        network.run(for: .seconds(5))
        network.forgetSent()
        network.hosts[1]?.withdrawAll()
        network.run(for: .seconds(5))
        let records = try #require(network.sent.first).message.answers
        #expect(network.sent.count == 1)
        #expect(Set(records.map(\.type)) == [.ptr, .srv, .txt, .a])
        #expect(records.allSatisfy { $0.timeToLive == 0 })
    }

    @Test func `an invalid service is refused`() throws {
        var host = MDNSHost(hostLabel: "h", random: SeededRandom(seed: 1))
        func fault(_ type: String, _ name: String, _ text: ServiceText = [:]) -> ServiceError? {
            do throws(ServiceError) {
                _ = try host.advertise(ServiceDescription(type: type, name: name, port: 1, text: text), at: .zero)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault("_x._tcp.local", "a") == .badType("_x._tcp.local"))
        #expect(fault("x._tcp", "a") == .badType("x._tcp"))
        #expect(fault("_sixteen-letters-._tcp", "a") != nil)
        #expect(fault("_x._tcp", "") == .badName(""))
        #expect(fault("_x._tcp", String(repeating: "ä", count: 32)) != nil)
        #expect(fault("_x._tcp", "a", ["=": ""]) == .badText)
        for number in 0..<64 { #expect(fault("_x._tcp", "\(number)") == nil) }
        #expect(fault("_x._tcp", "one more") == .tooMany(limit: 64))
    }
}
