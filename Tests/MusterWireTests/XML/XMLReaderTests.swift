import Testing

@testable import MusterWire

struct XMLReaderTests {
    /// The events of a text in short form, or the fault.
    private func events(_ bytes: [UInt8]) -> String {
        do throws(XMLError) {
            let text = try bytes.withUnsafeBytes { buffer in
                Result { () throws(XMLError) in try XMLEncoding.utf8(buffer) }
            }.get()
            return try text.withUnsafeBytes { buffer in
                Result { () throws(XMLError) in try Self.walk(XMLReader(buffer)) }
            }.get()
        } catch {
            return "line \(error.line): \(error.reason)"
        }
    }

    private static func walk(_ reader: XMLReader) throws(XMLError) -> String {
        var reader = reader
        var result = ""
        while true {
            switch try reader.next() {
            case .start:
                result += "<\(reader.localName)"
                if let value = try reader.attribute("a") { result += " a=\(value)" }
                result += ">"
            case .end: result += "</>"
            case .text: result += try reader.text()
            case .finished: return result
            }
        }
    }

    private func check(_ text: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(events(text.bytes) == expected, sourceLocation: sourceLocation)
    }

    @Test func `elements, attributes and text are read`() {
        check("<x/>", "<x></>")
        check("<?xml version=\"1.0\"?>\n<!-- c --> <x a = '1' b=\"2\">t<y/>u</x>\n<!-- d -->\n", "<x a=1>t<y></>u</>")
        check("<p:x p:a='1' a='2'></p:x >", "<x a=2></>")
        check("<x><![CDATA[<&]]>]]&gt;</x>", "<x><&]]></>")
        check("<x a='&lt;&#65;&#x1F600;&apos;'>&amp;&quot;&gt;</x>", "<x a=<A😀'>&\"></>")
        check("<é a='ü'/>", "<é a=ü></>")
    }

    @Test func `malformed XML is refused with its line`() {
        check("", "line 1: there is no element")
        check("text", "line 1: there is no element")
        check("<x>\n", "line 2: the text ends too early")
        check("<x>\n</y>", "line 2: expected </x>, found </y>")
        check("<x/>\n<y/>", "line 2: something follows the root element")
        check("<x/>t", "line 1: something follows the root element")
        check("</x>", "line 1: there is no element")
        check("<x a='1' a='2'/>", "line 1: the attribute a appears twice")
        check("<x a=1/>", "line 1: unexpected byte 49")
        check("<x a='<'/>", "line 1: unexpected byte 60")
        check("<x a='1'b='2'/>", "line 1: unexpected byte 98")
        check("<1/>", "line 1: unexpected byte 49")
        check("<x>\u{1}</x>", "line 1: a character that XML does not allow")
        check("<x><!-- ", "line 1: the text ends too early")
        check("<x><![CDATA[ ", "line 1: the text ends too early")
        check("<x><!ELEMENT y></x>", "line 1: unexpected byte 33")
    }

    @Test func `entities of a document type are neither read nor expanded`() {
        check(
            "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>", "line 1: a document type is refused")
        check("<x>&e;</x>", "line 1: there is no entity &e;")
        check("<x>&</x>", "line 1: there is no entity &;")
        for name in ["#0", "#xD800", "#x110000", "#xFFFF", "#8", "#-5", "#+65", "#", "#x", "LT"] {
            check("<x>&\(name);</x>", "line 1: there is no entity &\(name);")
        }
    }

    @Test func `depth and attributes are bounded`() {
        let deep = String(repeating: "<x>", count: 33)
        check(deep, "line 1: nested deeper than 32 elements")
        let many = (0..<65).map { " a\($0)=''" }.joined()
        check("<x\(many)/>", "line 1: more than 64 attributes")
    }

    @Test func `other encodings are turned into UTF-8`() {
        let text = "<?xml version='1.0' encoding='UTF-16'?><x a='ü'>€😀</x>"
        var big: [UInt8] = [0xFE, 0xFF]
        var little: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 {
            big += [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            little += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        #expect(events(big) == "<x a=ü>€😀</>")
        #expect(events(little) == "<x a=ü>€😀</>")
        #expect(events(Array(big.dropFirst(2))) == "<x a=ü>€😀</>")
        #expect(events(Array(little.dropLast())) == "line 1: the text is not valid UTF-16")
        #expect(events([0xEF, 0xBB, 0xBF] + "<x/>".bytes) == "<x></>")
        #expect(events("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><x>".bytes + [0xFC] + "</x>".bytes) == "<x>ü</>")
        #expect(events("<x>\n".bytes + [0xFC] + "</x>".bytes) == "line 2: the text is not valid UTF-8")
        check(
            "<?xml version='1.0' encoding='Shift_JIS'?><x/>",
            "line 1: the encoding shift_jis is not known here; use UTF-8")
    }
}
