import MusterCore
import Testing

@testable import MusterWire

struct JSONWriterTests {
    @Test func `commas stand between values and nowhere else`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.value(1)
        writer.beginObject()
        writer.endObject()
        writer.value("x")
        writer.endArray()
        writer.key("b\"")
        writer.null()
        writer.key("c")
        writer.raw(#"{"d":1}"#)
        writer.key("e")
        writer.value(true)
        writer.endObject()
        #expect(writer.bytes.text == #"{"a":[1,{},"x"],"b\"":null,"c":{"d":1},"e":true}"#)
    }

    @Test func `strings are escaped`() {
        var writer = JSONWriter()
        writer.value("\u{0}\u{1F}\"\\/\n\r\t\u{8}\u{C}é😀\u{7F}")
        #expect(writer.bytes.text == "\"\\u0000\\u001f\\\"\\\\/\\n\\r\\t\\b\\fé😀\u{7F}\"")
    }

    @Test func `whole numbers are written whole`() {
        var writer = JSONWriter()
        writer.beginArray()
        for integer in [0, 7, -10, Int64.max, .min] { writer.value(integer) }
        writer.endArray()
        #expect(writer.bytes.text == "[0,7,-10,9223372036854775807,-9223372036854775808]")
    }

    @Test func `a tree is written as it was read`() throws {
        let text = #"{"b":[1,2.5,{"a":null}],"a":"ü\n","c":false}"#
        #expect(try JSONValue(parsing: text.bytes).bytes.text == text)
    }
}
