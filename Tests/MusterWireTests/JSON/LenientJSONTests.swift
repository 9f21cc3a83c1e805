import Testing

@testable import MusterWire

/// JSON as small devices write it.
struct LenientJSONTests {
    private func read(_ text: String, depth: Int = 8, values: Int = 100) throws -> String {
        try read(Array(text.utf8), depth: depth, values: values)
    }

    private func read(_ bytes: [UInt8], depth: Int = 8, values: Int = 100) throws -> String {
        let value = try JSONValue(lenientlyParsing: bytes, depthLimit: depth, valueLimit: values)
        return String(decoding: value.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":nan,"b":1}"#, #"{"b":1}"#), (#"{"a":-Infinity,"b":1}"#, #"{"b":1}"#),
        (#"{"a":1e999,"b":1}"#, #"{"b":1}"#), (#"{"a":,"b":1}"#, #"{"b":1}"#), (#"{"b":1,"a":}"#, #"{"b":1}"#),
        (#"{,,"b":1,,}"#, #"{"b":1}"#), (#"[1,,2,]"#, "[1,2]"), (#"[nan,1]"#, "[null,1]"),
        (#"{"a":+5,"b":.5,"c":007,"d":5.,"e":-.5e1}"#, #"{"a":5,"b":0.5,"c":7,"d":5,"e":-5}"#),
        (#"{"a":True,"b":NULL}"#, #"{"a":true,"b":null}"#), (#"{"a":0x1F,"b":1}"#, #"{"b":1}"#),
        (#"{"a":"\q\u12","b":1}"#, #"{"a":"qu12","b":1}"#), (#"{"a":"\ud83d"}"#, #"{"a":"�"}"#),
        (#"{"a":"\ud83d\ude00\ud83d","b":1,}"#, #"{"a":"😀�","b":1}"#),
        (#"{"a":1,"a":1}"#, #"{"a":1}"#), (#"{"a":1,"a":2,"b":1}"#, #"{"b":1}"#),
        (#"{"a":[[[[[[[[[1]],2]]]]]]],"b":1}"#, #"{"a":[[[[[[[null,2]]]]]]],"b":1}"#),
        ("{\"a\":1}\0\0\n,]}", #"{"a":1}"#), ("\u{FEFF}{\"a\":1,}", #"{"a":1}"#),
    ])
    func `what can be read is read, and the rest is left out`(text: String, expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test func `raw bytes in a string are kept but for NULs, or become replacements`() throws {
        #expect(try read(Array(#"{"a":"x"#.utf8) + [0, 9, 0xFF] + Array(#""}"#.utf8)) == "{\"a\":\"x\\t�\"}")
    }

    @Test(arguments: [
        #"{"a":1 "b":2}"#, #"{"a":"x"y","b":2}"#, #"{"a":1"#, #"{"a":"x"#, #"{"a" 1}"#, "{a:1}", #"{"a":1} x"#,
        #"{"a":1}{"b":2}"#, "[1}", "[1 2]", "hello", "", " \0", ",", #"{"a":[1,2}"#, #"{"a":::}"#,
    ])
    func `text whose structure is not clear is refused`(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func `the number of values and the depth are bounded`() throws {
        #expect(throws: JSONError.self) { try read("[" + String(repeating: "nan,", count: 101) + "]") }
        let deep = String(repeating: "[", count: 50) + String(repeating: "]", count: 50)
        #expect(try read("{\"a\":\(deep),}") == #"{"a":[[[[[[[null]]]]]]]}"#)
        #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 100_000)) }
    }
}
