import Testing

@testable import MusterWire

/// Bytes that break the protocol, each refused with its reason.
struct MQTTErrorTests {
    private func reason(_ bytes: [UInt8], version: MQTTVersion? = .v5, limit: Int = 4_096) -> MQTTReason? {
        var reader = MQTTPacketReader(limitBytes: limit, version: version)
        reader.append(bytes)
        do throws(MQTTError) {
            _ = try reader.next()
            return nil
        } catch {
            return error.reason
        }
    }

    /// A packet of these bytes with the length before them.
    private func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] { [first, UInt8(body.count)] + body }

    private func connect(
        name: String = "MQTT", level: UInt8 = 5, flags: UInt8 = 2, properties: [UInt8] = [0],
        rest: [UInt8] = [0, 1, 0x63]
    ) -> [UInt8] {
        packet(0x10, [0, UInt8(name.utf8.count)] + Array(name.utf8) + [level, flags, 0, 0] + properties + rest)
    }

    @Test func `a connection that does not begin with CONNECT is refused by its first byte`() {
        for first in 0...255 as ClosedRange<UInt8> where first != 0x10 {
            #expect(reason([first], version: nil) == .protocolError)
        }
        #expect(reason([0x10], version: nil) == nil)
    }

    @Test func `a protocol of another name or version is not taken`() {
        #expect(reason(connect(), version: nil) == nil)
        // MQTT 3.1, which old clients speak.
        #expect(reason(connect(name: "MQIsdp", level: 3, properties: []), version: nil) == nil)
        #expect(reason(connect(name: "MQIsdp", level: 4, properties: []), version: nil) == .unsupportedProtocolVersion)
        #expect(reason(connect(name: "HTTP"), version: nil) == .unsupportedProtocolVersion)
        // A bridge of mosquitto's sets the highest bit with MQTT 3.1 and 3.1.1, and never with MQTT 5.0.
        #expect(reason(connect(name: "MQIsdp", level: 0x83, properties: []), version: nil) == nil)
        #expect(reason(connect(level: 0x84, properties: []), version: nil) == nil)
        for level in [0, 3, 6, 0x80, 0x83, 0x85, 255] as [UInt8] {
            #expect(reason(connect(level: level), version: nil) == .unsupportedProtocolVersion)
        }
    }

    @Test func `inconsistent flags of CONNECT are refused`() {
        #expect(reason(connect(flags: 3), version: nil) == .malformedPacket)
        // QoS or retain of a will that is not there.
        #expect(reason(connect(flags: 0x0A), version: nil) == .malformedPacket)
        #expect(reason(connect(flags: 0x22), version: nil) == .malformedPacket)
        // A will of QoS 3.
        #expect(
            reason(connect(flags: 0x1E, rest: [0, 0, 0, 0, 1, 0x77, 0, 0]), version: nil) == .malformedPacket)
        #expect(
            reason(connect(flags: 0x06, rest: [0, 0, 0, 0, 1, 0x23, 0, 0]), version: nil) == .topicNameInvalid)
        // MQTT 3.1.1 has no password without a user name; 5.0 has.
        #expect(
            reason(connect(level: 4, flags: 0x42, properties: [], rest: [0, 0, 0, 0]), version: nil) == .malformedPacket
        )
        #expect(reason(connect(flags: 0x42, rest: [0, 0, 0, 0]), version: nil) == nil)
    }

    @Test(arguments: [0x20, 0x40, 0x50, 0x70, 0x90, 0xB0, 0xC0, 0xD0, 0xE0, 0xF0] as [UInt8])
    func `unused flags of the fixed header must be 0`(type: UInt8) {
        for flags in 1...15 as ClosedRange<UInt8> { #expect(reason([type | flags, 0]) == .malformedPacket) }
    }

    @Test(arguments: [0x60, 0x80, 0xA0] as [UInt8])
    func `flags of PUBREL, SUBSCRIBE and UNSUBSCRIBE must be 2`(type: UInt8) {
        for flags in 0...15 as ClosedRange<UInt8> where flags != 2 {
            #expect(reason(packet(type | flags, [0, 1, 0, 1, 0x61, 0])) == .malformedPacket)
        }
    }

    @Test func `an invalid packet type is refused, and so is AUTH before MQTT 5`() {
        #expect(reason([0x00, 0]) == .malformedPacket)
        #expect(reason([0xF0, 0]) == nil)
        #expect(reason([0xF0, 0], version: .v3) == .malformedPacket)
    }

    @Test func `lengths are bounded, whole and short`() {
        #expect(reason([0x30, 0xFF, 0xFF, 0xFF, 0xFF]) == .malformedPacket)
        #expect(reason([0x30, 0x80, 0x00]) == .malformedPacket)
        #expect(reason([0x30, 0x80]) == nil)
        #expect(reason([0x30, 0xFF, 0x20]) == .packetTooLarge)
        #expect(reason([0x30, 100], limit: 100) == .packetTooLarge)
        #expect(reason([0x30, 98], limit: 100) == nil)
    }

    @Test func `PUBLISH has a topic, a QoS and an identifier that can be`() {
        #expect(reason(packet(0x36, [0, 1, 0x61, 0, 1, 0])) == .malformedPacket)
        #expect(reason(packet(0x38, [0, 1, 0x61, 0])) == .malformedPacket)
        #expect(reason(packet(0x32, [0, 1, 0x61, 0, 0, 0])) == .protocolError)
        #expect(reason(packet(0x30, [0, 0, 0])) == .protocolError)
        #expect(reason(packet(0x30, [0, 0]), version: .v3) == .protocolError)
        #expect(reason(packet(0x30, [0, 1, 0x2B, 0])) == .topicNameInvalid)
        #expect(reason(packet(0x30, [0, 5, 0x61])) == .malformedPacket)
        #expect(reason(packet(0x30, [0, 1, 0xFF, 0])) == .malformedPacket)
        #expect(reason(packet(0x30, [0, 1, 0x00, 0])) == .malformedPacket)
        // A surrogate in UTF-8.
        #expect(reason(packet(0x30, [0, 3, 0xED, 0xA0, 0x80, 0])) == .malformedPacket)
    }

    @Test func `SUBSCRIBE has filters, and options that can be`() {
        func subscribe(_ rest: [UInt8]) -> [UInt8] { packet(0x82, [0, 1, 0] + rest) }
        #expect(reason(subscribe([])) == .malformedPacket)
        #expect(reason(packet(0x82, [0, 0, 0, 0, 1, 0x61, 0])) == .protocolError)
        #expect(reason(subscribe([0, 1, 0x61, 3])) == .malformedPacket)
        #expect(reason(subscribe([0, 1, 0x61, 0x40])) == .malformedPacket)
        #expect(reason(subscribe([0, 1, 0x61, 0x30])) == .protocolError)
        #expect(reason(packet(0x82, [0, 1, 0, 1, 0x61, 4]), version: .v3) == .malformedPacket)
        #expect(reason(subscribe([0, 0, 0])) == .topicFilterInvalid)
        #expect(reason(packet(0xA2, [0, 1, 0])) == .malformedPacket)
        #expect(reason(packet(0xA2, [0, 1, 0, 0, 2, 0x23, 0x61])) == .topicFilterInvalid)
    }

    @Test func `properties belong to their packet, once, with a value that can be`() {
        func publish(_ properties: [UInt8]) -> [UInt8] {
            packet(0x30, [0, 1, 0x61, UInt8(properties.count)] + properties)
        }
        #expect(reason(publish([])) == nil)
        #expect(reason(publish([0x00])) == .malformedPacket)
        #expect(reason(publish([0x7E])) == .malformedPacket)
        #expect(reason(publish([0x11, 0, 0, 0, 1])) == .protocolError)
        #expect(reason(publish([0x01, 2])) == .protocolError)
        #expect(reason(publish([0x23, 0, 0])) == .protocolError)
        #expect(reason(publish([0x01, 1, 0x01, 1])) == .protocolError)
        #expect(reason(publish([0x26, 0, 0, 0, 0, 0x26, 0, 0, 0, 0])) == nil)
        #expect(reason(publish([0x0B, 1, 0x0B, 2])) == nil)
        #expect(reason(publish([0x0B, 0])) == .protocolError)
        #expect(reason(publish([0x02, 0])) == .malformedPacket)
        #expect(reason(packet(0x30, [0, 1, 0x61, 9])) == .malformedPacket)
        #expect(reason(packet(0xE0, [0x00, 5, 0x11, 0, 0, 0])) == .malformedPacket)
        #expect(reason(connect(properties: [3, 0x21, 0, 0]), version: nil) == .protocolError)
        #expect(reason(connect(properties: [3, 0x16, 0, 0]), version: nil) == .protocolError)
    }

    @Test func `a packet has 64 properties at most`() {
        func publish(properties count: Int) -> [UInt8] {
            let properties = Array(repeating: [0x26, 0, 0, 0, 0] as [UInt8], count: count).flatMap { $0 }
            var body: [UInt8] = [0, 1, 0x61]
            body.appendVariableNumber(UInt32(properties.count))
            body += properties
            var bytes: [UInt8] = [0x30]
            bytes.appendVariableNumber(UInt32(body.count))
            return bytes + body
        }
        #expect(reason(publish(properties: 64)) == nil)
        #expect(reason(publish(properties: 65)) == .implementationSpecific)
    }

    @Test func `SUBACK of MQTT 3_1_1 has the codes that its document has`() {
        for code in [0, 1, 2, 0x80] as [UInt8] { #expect(reason(packet(0x90, [0, 1, code]), version: .v3) == nil) }
        for code in [3, 0x87, 0x9B] as [UInt8] {
            #expect(reason(packet(0x90, [0, 1, code]), version: .v3) == .malformedPacket)
        }
        #expect(reason(packet(0x90, [0, 1, 0, 0x87])) == nil)
    }

    @Test func `a packet ends where its fields end`() {
        #expect(reason(packet(0xC0, [0])) == .malformedPacket)
        #expect(reason(packet(0x40, [0, 1, 0, 0, 0])) == .malformedPacket)
        #expect(reason(packet(0x40, [0])) == .malformedPacket)
        #expect(reason(packet(0x40, [0, 1, 0]), version: .v3) == .malformedPacket)
        #expect(reason(packet(0x40, [0, 1, 0x7F])) == .malformedPacket)
        #expect(reason(connect(rest: [0, 1, 0x63, 0]), version: nil) == .malformedPacket)
    }
}

struct MQTTTopicTests {
    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/+", "a/b", true), ("a/+", "a/b/c", false), ("a/+", "a/", true),
        ("a/+", "a", false), ("+/b", "a/b", true), ("+", "a", true), ("+", "/a", false), ("+/+", "/a", true),
        ("/+", "/a", true), ("a/#", "a", true), ("a/#", "a/b/c", true), ("a/#", "ab", false), ("#", "a/b", true),
        ("#", "$SYS/a", false), ("+/a", "$SYS/a", false), ("$SYS/#", "$SYS/a", true), ("a/b", "a", false),
        ("a", "a/b", false), ("a/+/c", "a/b/c", true), ("a/+/#", "a/b", true), ("a/+/#", "a", false),
        ("ü/+", "ü/€", true),
    ])
    func `a filter chooses topics`(filter: String, name: String, isChosen: Bool) {
        #expect(MQTTTopic.matches(filter, name) == isChosen)
    }

    @Test(arguments: [
        ("a", true), ("", false), ("#", true), ("a/#", true), ("a#", false), ("#/a", false), ("+", true), ("a+", false),
        ("+/a/+", true), ("/", true), ("a/\u{0}", false), ("+a/b", false), ("a/+#", false),
    ])
    func `a wildcard fills a level`(filter: String, isFilter: Bool) {
        #expect(MQTTTopic.isFilter(filter) == isFilter)
    }

    @Test(arguments: [("a/b", true), ("", false), ("a+", false), ("a/#", false), ("/", true), ("a\u{0}", false)])
    func `a topic to publish to with a wildcard is refused`(name: String, isName: Bool) {
        #expect(MQTTTopic.isName(name) == isName)
    }
}
