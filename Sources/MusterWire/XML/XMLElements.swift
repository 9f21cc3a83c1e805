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
            text += Self.escaped(content)
            end(name)
        }
    }

    package mutating func begin(_ name: String, _ attributes: [(String, String)]) {
        addTag(name, attributes, end: ">")
    }

    package mutating func end(_ name: String) { text += "</\(name)>" }

    package mutating func append(_ elements: XMLElements) { text += elements.text }

    private mutating func addTag(_ name: String, _ attributes: [(String, String)], end: String) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        text += end
    }

    /// A text without the characters that XML does not allow, and with references for those that it gives a meaning.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
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
