/// Elements of XML that are being written. Every name and every value is escaped.
package struct XMLElements: Hashable, Sendable {
    /// The elements as XML.
    package private(set) var text = ""

    package init() {}

    /// Adds an element with attributes and, if wanted, a text.
    package mutating func add(_ name: String, _ attributes: [(String, String)], text content: String = "") {
        if content.isEmpty {
            addTag(name, attributes, end: "/>")
        } else {
            addTag(name, attributes, end: ">")
            text += Self.escaped(content, keepsLines: true)
            end(name)
        }
    }

    package mutating func begin(_ name: String, _ attributes: [(String, String)]) {
        addTag(name, attributes, end: ">")
    }

    package mutating func end(_ name: String) { text += "</\(name)>" }

    package mutating func append(_ elements: XMLElements) { text += elements.text }

    /// Returns what was written so far, in UTF-8, and removes it.
    package mutating func takeBytes() -> [UInt8] {
        defer { text = "" }
        return Array(text.utf8)
    }

    private mutating func addTag(_ name: String, _ attributes: [(String, String)], end: String) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        text += end
    }

    /// A text without the characters that XML does not allow, and with references for those that it gives a meaning.
    ///
    /// - Parameter keepsLines: whether line breaks and tabs stay, which a reader keeps in the text of an element alone.
    private static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepsLines, "\t" where keepsLines: result.unicodeScalars.append(scalar)
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value & 0xFFFE == 0xFFFE: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
