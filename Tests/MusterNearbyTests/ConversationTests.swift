import Foundation
import MusterCore
import Testing

@testable import MusterNearby

@Suite struct ConversationTests {
    private static let start = Instant(milliseconds: 1_764_000_000_000)
    private static let able = PeerCapabilities(kinds: [.simulated, .gps], direction: true)

    private static func token(_ epoch: UInt64) -> DiscoveryToken {
        DiscoveryToken(bytes: (0..<16).map { UInt8($0) }, epoch: epoch)
    }

    private func conversation() -> Conversation {
        Conversation(
            Conversation.Own(name: "ben", proof: [], run: 7, capabilities: Self.able, token: Self.token(8)),
            deadlines: Conversation.Deadlines(), at: Self.start)
    }

    private let hello = ChannelMessage.hello(name: "ana", proof: [])
    private let welcome = ChannelMessage.welcome(run: 1, Self.able)

    @Test func `every message reads back, and a cut or longer one is refused`() throws {
        let messages: [ChannelMessage] = [
            hello, .hello(name: "Jürgen’s phone", proof: [UInt8](repeating: 3, count: 32)), welcome,
            .token(Self.token(.max)), .note([0, 255]), .ping, .bye(.refused),
            .welcome(run: 2, PeerCapabilities(kinds: [.gps], direction: false, takesRangeTags: true)),
            .rangeTag(RangeTag(high: 1, low: .max)),
        ]
        for message in messages {
            var reader = FrameReader(prefixBytes: 2, limit: ChannelMessage.limitBytes)
            reader.append(message.bytes)
            let body = try #require(try reader.next())
            #expect(try ChannelMessage(body) == message)
            for count in 0..<body.count { #expect((try? ChannelMessage(Array(body.prefix(count)))) != message) }
            if case .note = message { continue }
            #expect(throws: ChannelProtocolError.self) { try ChannelMessage(body + [0]) }
        }
    }

    @Test func `a name with control characters is refused`() {
        for name in ["", "a\u{1B}[2J", "a\nb", "a\u{202E}b", String(repeating: "é", count: 32)] {
            #expect(PeerName.checked(name) == nil)
            #expect(throws: ChannelProtocolError.self) {
                try ChannelMessage([1, 1, UInt8(name.utf8.count)] + Array(name.utf8))
            }
        }
        #expect(throws: ChannelProtocolError.version(2)) { try ChannelMessage([1, 2, 1, 97]) }
    }

    @Test func `frames of no or too many bytes are refused before they have arrived`() throws {
        for head in [[0, 0], [2, 2], [0xFF, 0xFF]] as [[UInt8]] {
            var reader = FrameReader(prefixBytes: 2, limit: ChannelMessage.limitBytes)
            reader.append(head)
            #expect(throws: FrameReader.LengthError.self) { try reader.next() }
        }
    }

    @Test func `both accept, then tokens are exchanged, in either order`() {
        let opened = Conversation.Action.open(
            OpenedPeer(name: "ana", run: 1, capabilities: Self.able, token: Self.token(3)))
        for isFirst in [true, false] {
            var conversation = conversation()
            #expect(conversation.begin() == [.send(.hello(name: "ben", proof: []))])
            #expect(conversation.receive(hello, at: Self.start) == [.judge(name: "ana", proof: [])])
            var actions: [Conversation.Action] = []
            if isFirst { actions += conversation.decide(refusal: nil, at: Self.start) }
            actions += conversation.receive(welcome, at: Self.start)
            actions += conversation.receive(.token(Self.token(3)), at: Self.start)
            if !isFirst { actions += conversation.decide(refusal: nil, at: Self.start) }
            #expect(
                actions == [.send(.welcome(run: 7, Self.able)), .send(.token(Self.token(8))), opened])
            #expect(conversation.receive(.note([1]), at: Self.start) == [.note([1])])
        }
    }

    @Test func `a range tag goes to an accepted peer that takes one, behind the token`() {
        let tag = RangeTag(high: 1, low: 2)
        for takes in [true, false] {
            let own = Conversation.Own(
                name: "ben", proof: [], run: 7, capabilities: Self.able, token: Self.token(8), rangeTag: tag)
            var conversation = Conversation(own, deadlines: Conversation.Deadlines(), at: Self.start)
            let able = PeerCapabilities(kinds: [.simulated], direction: true, takesRangeTags: takes)
            var actions = conversation.begin() + conversation.receive(hello, at: Self.start)
            actions += conversation.receive(.welcome(run: 1, able), at: Self.start)
            actions += conversation.receive(.token(Self.token(3)), at: Self.start)
            #expect(!actions.contains(.send(.rangeTag(tag))), "nobody was accepted yet")
            actions += conversation.decide(refusal: nil, at: Self.start)
            #expect((actions.last == .send(.rangeTag(tag))) == takes)
            let theirs = RangeTag(high: 3, low: 4)
            #expect(conversation.receive(.rangeTag(theirs), at: Self.start) == [.tagged(theirs)])
        }
    }

    @Test func `a peer that is not accepted learns a name and no more`() {
        var conversation = conversation()
        var sent = conversation.begin()
        sent += conversation.receive(hello, at: Self.start)
        sent += conversation.receive(welcome, at: Self.start)
        sent += conversation.receive(.token(Self.token(3)), at: Self.start)
        sent += conversation.tick(at: Self.start.advanced(bySeconds: 2))
        sent += conversation.decide(refusal: "a secret reason", at: Self.start.advanced(bySeconds: 2))
        #expect(
            sent == [
                .send(.hello(name: "ben", proof: [])), .judge(name: "ana", proof: []), .send(.ping),
                .send(.bye(.refused)), .end(.refused("a secret reason")),
            ])
    }

    @Test func `a message out of order ends the channel`() {
        let turns: [[ChannelMessage]] = [
            [welcome], [.token(Self.token(1))], [.note([1])], [hello, hello], [hello, .token(Self.token(1))],
            [hello, welcome, welcome], [hello, welcome, .token(Self.token(1)), .token(Self.token(1))],
            [hello, .note([1])], [hello, .rangeTag(RangeTag(high: 1, low: 2))],
        ]
        for turn in turns {
            var conversation = conversation()
            _ = conversation.begin()
            let actions = turn.flatMap { conversation.receive($0, at: Self.start) }
            #expect(actions.contains(.send(.bye(.fault))), "\(turn)")
            #expect(conversation.receive(.ping, at: Self.start).isEmpty)
        }
    }

    @Test func `deadlines end a silent channel, pings keep one open, and a pause of this process counts for nothing`() {
        func last(_ messages: [ChannelMessage], thenEach step: Double, until seconds: Double) -> [Conversation.Action] {
            var conversation = conversation()
            for message in messages { _ = conversation.receive(message, at: Self.start) }
            var (actions, at) = ([] as [Conversation.Action], 0.0)
            while at < seconds {
                at += step
                actions += conversation.tick(at: Self.start.advanced(bySeconds: at))
            }
            return actions
        }
        #expect(last([], thenEach: 0.5, until: 5.5).last == .end(.silent(seconds: 5.5)))
        let quiet = last([hello], thenEach: 0.5, until: 5.5)
        #expect(quiet.last == .end(.silent(seconds: 5.5)))
        #expect(quiet.count { $0 == .send(.ping) } == 5)
        #expect(!last([hello], thenEach: 20, until: 20).contains { if case .end = $0 { true } else { false } })
        var flooded = conversation()
        let actions = (0...Conversation.mostMessagesASecond).flatMap { _ in flooded.receive(.ping, at: Self.start) }
        #expect(actions.last == .end(.broke("the peer sends too many messages")))
    }

    @Test func `a token is good once, and an older session's never again`() throws {
        var ledger = TokenLedger()
        let (ana, eve) = (KeyFingerprint(bytes: [1]), KeyFingerprint(bytes: [2]))
        #expect(ledger.accept(Self.token(5), from: ana) == nil)
        #expect(ledger.accept(Self.token(5), from: ana) == .replayed)
        #expect(ledger.accept(Self.token(4), from: ana) == .oldEpoch(4, last: 5))
        #expect(ledger.accept(Self.token(4), from: eve) == nil)
        #expect(ledger.accept(Self.token(6), from: ana) == nil)
    }

    @Test func `a team's proof is worth nothing between other keys`() throws {
        #expect(TeamSecret(Array("password".utf8)) == nil)
        let secret = try #require(TeamSecret([UInt8](repeating: 1, count: 16)))
        let other = try #require(TeamSecret([UInt8](repeating: 2, count: 16)))
        let keys = (0..<3).map { KeyFingerprint(bytes: [UInt8](repeating: $0, count: 32)) }
        let proof = secret.proof(of: keys[0], to: keys[1])
        #expect(secret.isProof(proof, of: keys[0], to: keys[1]))
        #expect(!secret.isProof(proof, of: keys[1], to: keys[0]))
        #expect(!secret.isProof(proof, of: keys[0], to: keys[2]))
        #expect(!secret.isProof(proof, of: keys[2], to: keys[1]))
        #expect(!secret.isProof([], of: keys[0], to: keys[1]))
        #expect(!other.isProof(proof, of: keys[0], to: keys[1]))
    }

    @Test func `a store keeps the key, the peers and the epochs over restarts`() throws {
        let folder = NSTemporaryDirectory() + "nearby-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ana = KeyFingerprint(bytes: [UInt8](repeating: 9, count: 32))
        let first = try NearbyStore(folder: folder)
        let epochs = [try first.takeEpoch(), try first.takeEpoch()]
        #expect(try first.accept(Self.token(5), from: ana, named: "ana b") == nil)
        let second = try NearbyStore(folder: folder)
        #expect(second.fingerprint == first.fingerprint)
        #expect(second.key(pinnedTo: "ana b") == ana)
        #expect(try second.accept(Self.token(5), from: ana, named: "ana b") == .replayed)
        #expect(epochs[0] < epochs[1])
        #expect(try second.takeEpoch() > epochs[1])
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/key.pem")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try second.forget("ana b"))
        #expect(try NearbyStore(folder: folder).pins.isEmpty)
        for (file, text) in [("key.pem", "none"), ("peers", "ab 1 ana\n"), ("epoch", "-1")] {
            let path = "\(folder)/\(file)"
            let former = FileManager.default.contents(atPath: path)
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(throws: NearbyStore.Failure.self) { try NearbyStore(folder: folder) }
            try former?.write(to: URL(filePath: path))
        }
    }

    @Test func `connections are bounded, by address and in all`() {
        var limits = AdmissionGate.Limits()
        (limits.connections, limits.perAddress, limits.perPeriod) = (4, 2, 6)
        let gate = AdmissionGate(limits)
        func enter(_ address: String, _ seconds: Double = 0) -> AdmissionGate.Entry? {
            gate.enter(from: address, at: Self.start.advanced(bySeconds: seconds))
        }
        let entries = ["a", "a", "a", "b", "c", "d"].map { enter($0) }
        #expect(entries.map { $0 != nil } == [true, true, false, true, true, false])
        // A second call does not free another connection's place.
        for entry in entries + entries { entry?.leave() }
        #expect(enter("d") != nil && enter("e") != nil && enter("f") == nil)
        #expect(enter("a", 10) != nil && enter("a", 10) != nil && enter("a", 11) == nil)
        // Connections that stay open count however long ago they began, until they end or become peers.
        limits.openPerAddress = 1
        let narrow = AdmissionGate(limits)
        let first = narrow.enter(from: "a", at: Self.start)
        #expect(narrow.enter(from: "a", at: Self.start.advanced(bySeconds: 60)) == nil)
        first?.leave()
        #expect(narrow.enter(from: "a", at: Self.start.advanced(bySeconds: 61)) != nil)
    }

    @Test func `an address is a host and a port`() {
        #expect(NearbyAddress("ana.local:7000") == NearbyAddress(host: "ana.local", port: 7000))
        #expect(NearbyAddress("[fe80::1]:7000")?.description == "[fe80::1]:7000")
        for text in ["", "ana", "ana:", ":70", "ana:0", "ana:65536", "::1:70"] { #expect(NearbyAddress(text) == nil) }
    }
}
