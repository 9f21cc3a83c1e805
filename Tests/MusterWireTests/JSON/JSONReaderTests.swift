import Testing

@testable import MusterWire

struct JSONReaderTests {
    private func fault(_ text: String, depthLimit: Int = 32) -> JSONError? {
        do {
            _ = try JSONValue(parsing: text.bytes, depthLimit: depthLimit)
            return nil
        } catch {
            return error
        }
    }

    private func check(_ text: String, _ expected: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect((try? JSONValue(parsing: text.bytes)) == expected, sourceLocation: sourceLocation)
    }

    private func check(
        _ text: [UInt8], at pointer: String, _ offset: Int, _ reason: JSONError.Reason,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = JSONError(pointer: pointer, offset: offset, reason: reason)
        #expect(throws: expected, sourceLocation: sourceLocation) { try JSONValue(parsing: text) }
        // Passing over a value judges it as reading it does.
        #expect(throws: expected, sourceLocation: sourceLocation) {
            try text.withUnsafeBytes {
                var reader = JSONReader($0)
                try reader.skip()
                try reader.finish()
            }
        }
    }

    private func check(
        _ text: String, at pointer: String, _ offset: Int, _ reason: JSONError.Reason,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(text.bytes, at: pointer, offset, reason, sourceLocation: sourceLocation)
    }

    @Test func `values of every kind are read`() {
        check("{}", .object([]))
        check(" [ ] ", .array([]))
        check("null", .null)
        check("\t[true,\r\n false]", .array([.boolean(true), .boolean(false)]))
        check(
            #"{"a":{"b":[1,"c"]},"d":-0.5}"#,
            .object([
                .init("a", .object([.init("b", .array([.integer(1), .string("c")]))])), .init("d", .number(-0.5)),
            ]))
        check("\u{FEFF}1", .integer(1))
    }

    @Test func `escapes are resolved`() {
        check(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00""#, .string("\"\\/\u{8}\u{C}\n\r\tAé€😀"))
        check(#"{"lat":1}"#, .object([.init("lat", .integer(1))]))
    }

    @Test func `whole numbers keep all their digits`() {
        check("9223372036854775807", .integer(.max))
        check("-9223372036854775808", .integer(.min))
        check("9223372036854775808", .number(9223372036854775808))
        check("-0", .number(-0.0))
        check("1e2", .integer(100))
    }

    @Test func `invalid JSON is refused at the offset of the fault`() {
        check("", at: "", 0, .unexpectedEnd)
        check("[1,", at: "/1", 3, .unexpectedEnd)
        check("[1,]", at: "/1", 3, .unexpectedByte(UInt8(ascii: "]")))
        check(#"{"a":1,}"#, at: "", 7, .unexpectedByte(UInt8(ascii: "}")))
        check(#"{"a" 1}"#, at: "/a", 5, .unexpectedByte(UInt8(ascii: "1")))
        check(#"{"a":[0,{"b":tru}]}"#, at: "/a/1/b", 16, .unexpectedByte(UInt8(ascii: "}")))
        check("{} x", at: "", 3, .trailingBytes)
        check("[1 2]", at: "/0", 3, .unexpectedByte(UInt8(ascii: "2")))
        check("NaN", at: "", 0, .unexpectedByte(UInt8(ascii: "N")))
        check("// a\n1", at: "", 0, .unexpectedByte(UInt8(ascii: "/")))
        check("'a'", at: "", 0, .unexpectedByte(UInt8(ascii: "'")))
        check("{a:1}", at: "", 1, .unexpectedByte(UInt8(ascii: "a")))
    }

    @Test func `numbers are written as JSON writes them`() {
        for text in ["01", "-", "1.", ".5", "+1", "1e", "1e+", "0x1", "-01", "1.e5"] {
            #expect(fault(text) != nil, "\(text)")
        }
        check("[01]", at: "/0", 1, .invalidNumber)
        check("[1e999]", at: "/0", 1, .numberOverflow)
        check("[-1\(String(repeating: "0", count: 400))]", at: "/0", 1, .numberOverflow)
        check("[" + String(repeating: "1", count: 2000) + "]", at: "/0", 1, .numberTooLong(limitBytes: 1100))
    }

    @Test func `strings are valid UTF-8 without control characters`() {
        check([0x22, 0xC3, 0x28, 0x22], at: "", 1, .invalidUTF8)
        check([0x22, 0xC0, 0x80, 0x22], at: "", 1, .invalidUTF8)
        check([0x22, 0xED, 0xA0, 0x80, 0x22], at: "", 1, .invalidUTF8)
        check([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], at: "", 1, .invalidUTF8)
        check([0x22, 0xE2, 0x82], at: "", 1, .invalidUTF8)
        check("[\"a\nb\"]", at: "/0", 3, .controlCharacter)
        check(#"["\x"]"#, at: "/0", 2, .invalidEscape)
        check(#"["\u12g4"]"#, at: "/0", 2, .invalidEscape)
        check(#"["\ud800"]"#, at: "/0", 2, .loneSurrogate)
        check(#"["\ud800\u0041"]"#, at: "/0", 2, .loneSurrogate)
        check(#"["\udc00"]"#, at: "/0", 2, .loneSurrogate)
        check(#"["abc"#, at: "/0", 5, .unexpectedEnd)
    }

    @Test func `special bytes are found at every offset of a machine word`() {
        for length in 0..<40 {
            for place in 0..<length {
                var text = Array(repeating: UInt8(ascii: "a"), count: length)
                text[place] = 0x1F
                #expect(throws: JSONError(pointer: "", offset: place + 1, reason: .controlCharacter)) {
                    try JSONValue(parsing: [0x22] + text + [0x22])
                }
            }
        }
    }

    @Test func `a key twice in one object is a fault that names it`() {
        check(#"{"a":1,"b":{"c":1,"\u0063":2}}"#, at: "/b/c", 18, .duplicateKey)
        let many = (0..<20).map { "\"k\($0)\":1" }.joined(separator: ",")
        check("{\(many),\"k3\":1}", at: "/k3", 151, .duplicateKey)
        #expect(fault(#"{"a":{"a":1},"b":{"a":1}}"#) == nil)
        // Keys are code points: an é of one and an é of two are two keys.
        #expect(fault("{\"\u{E9}\":1,\"e\u{301}\":2}") == nil)
        #expect(fault("{\(many),\"\u{E9}\":1,\"e\u{301}\":2}") == nil)
    }

    @Test func `nesting is bounded`() {
        #expect(fault("[[[]]]", depthLimit: 3) == nil)
        #expect(fault("[[[[]]]]", depthLimit: 3)?.reason == .tooDeep(limit: 3))
        #expect(fault(String(repeating: "[", count: 1_000_000))?.reason == .tooDeep(limit: 32))
        #expect(fault("[[],[],[],[[]]]", depthLimit: 3) == nil)
    }

    @Test func `values are bounded in number`() {
        #expect(throws: JSONError(pointer: "/3", offset: 7, reason: .tooManyValues(limit: 4))) {
            try JSONValue(parsing: "[1,2,3,4]".bytes, valueLimit: 4)
        }
    }

    @Test func `a pointer escapes what would mislead`() {
        #expect(fault(#"{"a/b~c":x}"#)?.pointer == "/a~1b~0c")
        #expect(fault(#"{"a\"}":[1,x]}"#)?.pointer == #"/a"}/1"#)
    }

    @Test func `a rounded number stays a number when it is written and read`() throws {
        for text in ["9007199254740992.5", "1e16", "9223372036854775808", "-0", "9007199254740991.0"] {
            let value = try JSONValue(parsing: text.bytes)
            #expect(try JSONValue(parsing: value.bytes) == value, "\(text)")
        }
    }

    @Test func `random bytes never trap the reader`() {
        var random = Seeded(seed: 1)
        let alphabet = Array("{}[]\",:0123456789.eE+-\\utrfalsn \n\u{E9}".utf8)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<30, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            do {
                let value = try JSONValue(parsing: text)
                #expect(try JSONValue(parsing: value.bytes) == value)
            } catch {
                #expect(error.offset <= text.count)
            }
        }
    }
}
