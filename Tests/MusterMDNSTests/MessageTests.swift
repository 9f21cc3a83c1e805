import MusterMDNS
import Testing

/// Names, records and messages as bytes.
struct MessageTests {
    private func name(_ text: String) throws -> DNSName { try #require(DNSName(text)) }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test func `a question is written as RFC 6762 has it`() throws {
        let message = DNSMessage(asking: [DNSQuestion(try name("_ipp._tcp.local"), .ptr, wantsUnicast: true)])
        let expected = bytes(
            """
            0000 0000 0001 0000 0000 0000
            04 5f697070 04 5f746370 05 6c6f63616c 00 000c 8001
            """)
        #expect(message.encoded() == expected)
        #expect(try DNSMessage(decoding: expected) == message)
    }

    @Test func `a response is written with its names compressed`() throws {
        let type = try name("_ipp._tcp.local")
        let instance = try #require(type.prepending("A.B".utf8))
        let host = try name("h.local")
        let message = DNSMessage(
            answering: [DNSRecord(type, .pointer(instance), timeToLive: 4500)],
            additionals: [
                DNSRecord(
                    instance, .service(ServiceLocation(port: 631, target: host)), timeToLive: 120, flushesCache: true),
                DNSRecord(instance, .text([3] + Array("a=1".utf8)), timeToLive: 4500, flushesCache: true),
                DNSRecord(host, .address(.v4(0x0A00_0001)), timeToLive: 120, flushesCache: true),
                DNSRecord(
                    host, .address(.v6(high: 0xFE80_0000_0000_0000, low: 1)), timeToLive: 120, flushesCache: true),
                DNSRecord(
                    instance, .present([.txt, .srv], next: instance), timeToLive: 120, flushesCache: true),
            ])
        let expected = bytes(
            """
            0000 8400 0000 0001 0000 0005
            04 5f697070 04 5f746370 05 6c6f63616c 00 000c 0001 00001194 0006 03 412e42 c00c
            c027 0021 8001 00000078 000a 0000 0000 0277 01 68 c016
            c027 0010 8001 00001194 0004 03 613d31
            c03f 0001 8001 00000078 0004 0a000001
            c03f 001c 8001 00000078 0010 fe800000000000000000000000000001
            c027 002f 8001 00000078 001c 03412e42 04 5f697070 04 5f746370 05 6c6f63616c 00 00 05 0000800040
            """)
        #expect(message.encoded() == expected)
        #expect(try DNSMessage(decoding: expected) == message)
    }

    @Test func `records of unknown types are kept as bytes`() throws {
        let message = try DNSMessage(
            decoding: bytes(
                """
                0000 8400 0000 0001 0000 0001
                01 61 05 6c6f63616c 00 0005 0001 00000078 0002 c00c
                00 0029 05a0 00001194 0004 0004 0000
                """))
        #expect(message.answers.first?.data == .unknown(RecordType(rawValue: 5), [0xC0, 0x0C]))
        #expect(message.additionals.first?.name == .root)
        #expect(message.additionals.first?.type.rawValue == 41)
    }

    @Test(arguments: [
        ("an empty message", ""),
        ("half a header", "0000 0000 0001"),
        ("a question that is not there", "0000 0000 0001 0000 0000 0000"),
        ("a pointer to itself", "0000 0000 0001 0000 0000 0000 c00c 000c 0001"),
        ("a pointer ahead", "0000 0000 0001 0000 0000 0000 c010 000c 0001 0161 00"),
        ("a loop of two pointers", "0000 0000 0002 0000 0000 0000 0161 c00c 000c 0001 c00e 000c 0001"),
        ("a pointer cut in half", "0000 0000 0001 0000 0000 0000 c0"),
        ("a label of a reserved kind", "0000 0000 0001 0000 0000 0000 4161 00 000c 0001"),
        ("a label beyond the end", "0000 0000 0001 0000 0000 0000 3f61"),
        ("data beyond the end", "0000 8400 0000 0001 0000 0000 00 0001 0001 00000078 0004 0a0000"),
        ("an address of three bytes", "0000 8400 0000 0001 0000 0000 00 0001 0001 00000078 0003 0a0000"),
        ("an address of IPv6 of four bytes", "0000 8400 0000 0001 0000 0000 00 001c 0001 00000078 0004 0a000001"),
        ("a pointer longer than its data", "0000 8400 0000 0001 0000 0000 00 000c 0001 00000078 0001 0161 00"),
        ("a service without a name", "0000 8400 0000 0001 0000 0000 00 0021 0001 00000078 0006 0000 0000 0277"),
        ("a text longer than its data", "0000 8400 0000 0001 0000 0000 00 0010 0001 00000078 0003 04 6162"),
        ("a bit map of no bytes", "0000 8400 0000 0001 0000 0000 00 002f 0001 00000078 0003 00 00 00"),
        ("bit maps out of order", "0000 8400 0000 0001 0000 0000 00 002f 0001 00000078 0007 00 010140 000140"),
    ])
    func `malformed DNS messages are refused`(_ what: String, _ hexadecimal: String) {
        #expect(throws: DNSError.self, "\(what)") { try DNSMessage(decoding: bytes(hexadecimal)) }
    }

    @Test func `a packet of 9,000 bytes is refused`() {
        #expect(throws: DNSError.tooLong(bytes: 9_000)) {
            try DNSMessage(decoding: [UInt8](repeating: 0, count: 9_000))
        }
    }

    @Test func `names that grow by pointers beyond 255 bytes are refused`() {
        // Each question is a label of 63 bytes before the name of the last one.
        var message = bytes("0000 0000 0005 0000 0000 0000")
        var earlier: Int?
        for _ in 0..<5 {
            let place = message.count
            message += [63] + [UInt8](repeating: 0x61, count: 63)
            message += earlier.map { [0xC0 | UInt8($0 >> 8), UInt8($0 & 255)] } ?? [0]
            message += bytes("000c 0001")
            earlier = place
        }
        #expect(throws: DNSError.self) { try DNSMessage(decoding: message) }
    }

    @Test func `a message of nothing but pointers is read in bounded time`() throws {
        // A record of a chain of pointers, each to the one before, and a record whose name begins at its end.
        var message = bytes("0000 8400 0000 0002 0000 0000 00 0063 0001 00000078 0fa0")
        var earlier = 12
        for _ in 0..<2_000 {
            let place = message.count
            message += [0xC0 | UInt8(earlier >> 8), UInt8(earlier & 255)]
            earlier = place
        }
        message += [0xC0 | UInt8(earlier >> 8), UInt8(earlier & 255)] + bytes("0001 0001 00000078 0004 0a000001")
        #expect(throws: DNSError.badPointer(at: earlier + 2)) { try DNSMessage(decoding: message) }
    }

    @Test func `names are equal whatever the case of their letters`() throws {
        #expect(try name("Printer._IPP._tcp.LOCAL") == name("printer._ipp._tcp.local."))
        #expect(try name("a.local") != name("b.local"))
        #expect(try Set([name("A.local"), name("a.local")]).count == 1)
        // Beyond ASCII letters differ.
        #expect(try name("É.local") != name("é.local"))
    }

    @Test(arguments: [
        ("Ana's phone", #"Ana's phone.local"#), ("a.b", #"a\.b.local"#), (#"a\b"#, #"a\\b.local"#),
        ("tab\t", #"tab\009.local"#), ("Überraschung 🎉", "Überraschung 🎉.local"),
    ])
    func `the names of instances are escaped and read back`(_ label: String, _ text: String) throws {
        let name = try #require(DNSName.local.prepending(label.utf8))
        #expect(name.description == text)
        #expect(DNSName(text) == name)
        #expect(name.firstLabel == label)
    }

    @Test func `a label that is not UTF-8 is escaped byte by byte`() throws {
        let name = try #require(DNSName(labels: [[0xFF, 0x41], Array("local".utf8)]))
        #expect(name.description == #"\255A.local"#)
        #expect(DNSName(name.description) == name)
    }

    @Test func `names that are too long or have empty labels are refused`() {
        #expect(DNSName("a..b") == nil)
        #expect(DNSName(String(repeating: "a", count: 64)) == nil)
        #expect(DNSName(String(repeating: "a", count: 63)) != nil)
        #expect(DNSName([String](repeating: String(repeating: "a", count: 63), count: 4).joined(separator: ".")) == nil)
        #expect(DNSName(#"a\25"#) == nil)
        #expect(DNSName(#"a\300"#) == nil)
        #expect(DNSName("a\\") == nil)
        #expect(DNSName.local.prepending([UInt8](repeating: 0x61, count: 64)) == nil)
        #expect(DNSName(".") == .root)
    }

    @Test(arguments: [
        (HostAddress.v4(0xE000_00FB), "224.0.0.251"),
        (.v6(high: 0xFF02_0000_0000_0000, low: 0xFB), "ff02::fb"),
        (.v6(high: 0, low: 1), "::1"), (.v6(high: 0, low: 0), "::"),
        (.v6(high: 0x2001_0DB8_0000_0000, low: 0x0001_0000_0000_0001), "2001:db8::1:0:0:1"),
        (.v6(high: 0x0001_0002_0003_0004, low: 0x0005_0006_0007_0000), "1:2:3:4:5:6:7:0"),
    ])
    func `addresses are written as RFC 5952 says`(_ address: HostAddress, _ text: String) {
        #expect(address.description == text)
        #expect(HostAddress(bytes: address.bytes) == address)
    }

    @Test func `any message reads back as it was written`() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            let message = try randomMessage(&random)
            #expect(try DNSMessage(decoding: message.encoded()) == message)
            #expect(try DNSMessage(decoding: message.encoded(isLegacy: true)) == message)
        }
    }

    @Test func `no truncated or changed message ends the process`() throws {
        var random = SeededRandom(seed: 8)
        for _ in 0..<30 {
            let whole = try randomMessage(&random).encoded()
            for end in whole.indices { _ = try? DNSMessage(decoding: Array(whole[..<end])) }
            for place in whole.indices {
                var changed = whole
                changed[place] = UInt8.random(in: 0...255, using: &random)
                _ = try? DNSMessage(decoding: changed)
            }
        }
    }

    private func randomMessage(_ random: inout SeededRandom) throws -> DNSMessage {
        let names = try ["a.local", "b.a.local", "_x._tcp.local", "Größe._x._tcp.local", "."].map(name)
        func anyName() -> DNSName { names.randomElement(using: &random) ?? .local }
        func records() -> [DNSRecord] {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                let data: DNSRecordData =
                    switch Int.random(in: 0...6, using: &random) {
                    case 0: .address(.v4(.random(in: 0...UInt32.max, using: &random)))
                    case 1: .address(.v6(high: .random(in: 0...UInt64.max, using: &random), low: 5))
                    case 2: .pointer(anyName())
                    case 3: .service(ServiceLocation(priority: 1, weight: 2, port: 3, target: anyName()))
                    case 4: .text([2, 65, 66, 0])
                    case 5: .present([.a, .srv, RecordType(rawValue: 1_000)], next: anyName())
                    default: .unknown(RecordType(rawValue: 99), [1, 2, 3])
                    }
                return DNSRecord(
                    anyName(), data, timeToLive: .random(in: 0...9_000, using: &random),
                    flushesCache: .random(using: &random))
            }
        }
        var message = DNSMessage()
        message.id = .random(in: 0...UInt16.max, using: &random)
        message.isResponse = .random(using: &random)
        message.isTruncated = .random(using: &random)
        message.questions = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            DNSQuestion(anyName(), .srv, wantsUnicast: .random(using: &random))
        }
        (message.answers, message.authorities, message.additionals) = (records(), records(), records())
        return message
    }
}

/// Random numbers that a seed repeats: SplitMix64.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
