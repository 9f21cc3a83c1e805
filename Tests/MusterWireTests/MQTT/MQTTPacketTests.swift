import Testing

@testable import MusterWire

/// Packets as the OASIS documents describe them, byte by byte.
struct MQTTPacketTests {
    private struct Golden {
        let packet: MQTTPacket
        let version: MQTTVersion
        let bytes: [UInt8]

        init(_ packet: MQTTPacket, _ version: MQTTVersion, _ hexadecimal: String) {
            self.packet = packet
            self.version = version
            bytes = hexadecimal.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
    }

    private static let connecting: [Golden] = [
        // MQTT 3.1.1, figure 3.6: user name, password, will of QoS 1, clean session, keep-alive 10.
        Golden(
            .connect(
                MQTTConnect(
                    version: .v3, clientID: "c", keepAliveSeconds: 10, userName: "u", password: [0x70],
                    will: .init(topic: "w", payload: [0x21], qos: .atLeastOnce))), .v3,
            "10 19 00 04 4D 51 54 54 04 CE 00 0A 00 01 63 00 01 77 00 01 21 00 01 75 00 01 70"),
        // The same of a bridge of mosquitto's, which sets the highest bit of the protocol level.
        Golden(
            .connect(MQTTConnect(version: .v3, isBridge: true, clientID: "c", keepAliveSeconds: 60)), .v3,
            "10 0D 00 04 4D 51 54 54 84 02 00 3C 00 01 63"),
        // MQTT 5.0, figure 3.6: session expiry interval 10.
        Golden(
            .connect(
                MQTTConnect(
                    version: .v5, clientID: "", keepAliveSeconds: 10,
                    properties: MQTTProperties([.init(.sessionExpiry, .number(10))]))), .v5,
            "10 12 00 04 4D 51 54 54 05 02 00 0A 05 11 00 00 00 0A 00 00"),
    ]
    private static let answering: [Golden] = [
        Golden(.connectAnswer(.init(.success, isSessionPresent: true)), .v3, "20 02 01 00"),
        Golden(.connectAnswer(.init(.badUserNameOrPassword)), .v3, "20 02 00 04"),
        Golden(.connectAnswer(.init(.badUserNameOrPassword)), .v5, "20 03 00 86 00"),
        Golden(.ping, .v3, "C0 00"),
        Golden(.pingAnswer, .v5, "D0 00"),
        Golden(.disconnect(.success, .init()), .v5, "E0 00"),
        Golden(.disconnect(.serverBusy, .init([.init(.reasonString, .text("x"))])), .v5, "E0 06 89 04 1F 00 01 78"),
        Golden(.authenticate(.continueAuthentication, .init()), .v5, "F0 01 18"),
    ]
    private static let publishing: [Golden] = [
        // MQTT 3.1.1, section 3.3.2.3: topic a/b, packet identifier 10.
        Golden(
            .publish(.init(topic: "a/b", payload: [1, 2], qos: .atLeastOnce, packetID: 10)), .v3,
            "32 09 00 03 61 2F 62 00 0A 01 02"),
        Golden(
            .publish(
                .init(topic: "a/b", payload: [], qos: .exactlyOnce, packetID: 10, isRetained: true, isDuplicate: true)),
            .v5, "3D 08 00 03 61 2F 62 00 0A 00"),
        Golden(.acknowledgement(.init(.published, of: 258)), .v3, "40 02 01 02"),
        Golden(.acknowledgement(.init(.released, of: 258)), .v5, "62 02 01 02"),
        Golden(.acknowledgement(.init(.received, of: 1, .notAuthorized)), .v5, "50 03 00 01 87"),
    ]
    private static let subscribing: [Golden] = [
        // MQTT 3.1.1, figure 3.23: a/b with QoS 1 and c/d with QoS 2.
        Golden(
            .subscribe(.init(packetID: 10, [.init("a/b", qos: .atLeastOnce), .init("c/d", qos: .exactlyOnce)])), .v3,
            "82 0E 00 0A 00 03 61 2F 62 01 00 03 63 2F 64 02"),
        Golden(
            .subscribe(.init(packetID: 1, [.init("#", isNoLocal: true, keepsRetain: true, retained: .never)])), .v5,
            "82 07 00 01 00 00 01 23 2C"),
        Golden(.subscribeAnswer(.init(packetID: 1, [.success, .notAuthorized])), .v5, "90 05 00 01 00 00 87"),
        Golden(.unsubscribe(.init(packetID: 10, ["a/b"])), .v3, "A2 07 00 0A 00 03 61 2F 62"),
        Golden(.unsubscribeAnswer(.init(packetID: 10, [])), .v3, "B0 02 00 0A"),
    ]
    private static let golden = connecting + answering + publishing + subscribing

    @Test(arguments: golden.indices)
    func `a packet has the documents' bytes, and is read back from them`(index: Int) throws {
        let golden = Self.golden[index]
        #expect(golden.packet.bytes(golden.version) == golden.bytes)
        var reader = MQTTPacketReader(limitBytes: 1_000, version: golden.version)
        reader.append(golden.bytes)
        #expect(try reader.next() == golden.packet)
        #expect(try reader.next() == nil)
        #expect(reader.waitingBytes == 0)
    }

    /// MQTT 5.0, table 1-1.
    @Test(
        arguments: [
            (0, [0x00]), (127, [0x7F]), (128, [0x80, 0x01]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 0x01]),
            (2_097_151, [0xFF, 0xFF, 0x7F]), (2_097_152, [0x80, 0x80, 0x80, 0x01]),
            (268_435_455, [0xFF, 0xFF, 0xFF, 0x7F]),
        ] as [(UInt32, [UInt8])])
    func `a length has as few bytes as it can`(number: UInt32, bytes: [UInt8]) throws {
        var written: [UInt8] = []
        written.appendVariableNumber(number)
        #expect(written == bytes)
        var reader = MQTTBodyReader(bytes[...])
        #expect(try reader.variableNumber() == number)
    }

    @Test func `a packet written is read the same however it is cut`() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = Seeded(seed: seed)
            for version in MQTTVersion.allCases {
                let packets = (0..<5).map { _ in MQTTPacket.random(version, &random) }
                let bytes = packets.flatMap { $0.bytes(version) }
                var reader = MQTTPacketReader(limitBytes: 1 << 20, version: version)
                var read: [MQTTPacket] = []
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                    rest = rest.dropFirst(piece.count)
                    reader.append(piece)
                    while let packet = try reader.next() { read.append(packet) }
                }
                #expect(read == packets, "seed \(seed)")
                #expect(reader.waitingBytes == 0, "seed \(seed)")
            }
        }
    }

    @Test func `reading any bytes ends`() {
        for seed in 0..<500 as Range<UInt64> {
            var random = Seeded(seed: seed)
            var bytes = MQTTPacket.random(.v5, &random).bytes(.v5)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var reader = MQTTPacketReader(limitBytes: 4_096, version: .v5)
            reader.append(bytes)
            var count = 0
            while (try? reader.next()) != nil { count += 1 }
            #expect(count <= bytes.count / 2, "seed \(seed)")
        }
    }
}

extension MQTTPacket {
    /// A packet of any kind but CONNECT, which the reader takes at the beginning alone.
    fileprivate static func random(_ version: MQTTVersion, _ random: inout Seeded) -> MQTTPacket {
        let id = UInt16.random(in: 1...UInt16.max, using: &random)
        let qos = MQTTQoS.allCases.randomElement(using: &random)!
        let text = ["", "a", "a/b", "ü/€/𝄞", String(repeating: "x", count: 300)].randomElement(using: &random)!
        let payload = (0..<Int.random(in: 0...400, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        let isNew = version == .v5
        let reason = isNew ? MQTTReason.allCases.randomElement(using: &random)! : .success
        func properties(_ property: MQTTProperty, _ value: MQTTProperties.Value) -> MQTTProperties {
            isNew ? MQTTProperties([.init(property, value), .init(.userProperty, .pair(text, "b"))]) : MQTTProperties()
        }
        let told = properties(.reasonString, .text(text))
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            return .publish(
                .init(
                    topic: "t" + text, payload: payload, qos: qos, packetID: qos == .atMostOnce ? nil : id,
                    isRetained: Bool.random(using: &random), isDuplicate: qos != .atMostOnce,
                    properties: properties(.correlationData, .data(payload))))
        case 1:
            let kind = MQTTAcknowledgement.Kind.allCases.randomElement(using: &random)!
            return .acknowledgement(.init(kind, of: id, reason, properties: told))
        case 2:
            return .subscribe(
                .init(
                    packetID: id, [.init("t" + text, qos: qos), .init("+/#", isNoLocal: isNew)],
                    properties: properties(
                        .subscriptionIdentifier, .number(UInt32.random(in: 1...9_999, using: &random)))))
        case 3: return .subscribeAnswer(.init(packetID: id, [.success, .grantedQoS2], properties: told))
        case 4:
            return .unsubscribe(
                .init(
                    packetID: id, ["t" + text, "#"],
                    properties: isNew ? .init([.init(.userProperty, .pair("", ""))]) : .init()))
        case 5: return .unsubscribeAnswer(.init(packetID: id, isNew ? [reason] : [], properties: told))
        case 6: return .ping
        case 7: return .disconnect(reason, told)
        case 8: return .connectAnswer(.init(isNew ? reason : .notAuthorized, properties: told))
        default: return isNew ? .authenticate(reason, told) : .pingAnswer
        }
    }
}
