/// Finds the comments of a style sheet (CSS Syntax Module Level 3, https://www.w3.org/TR/css-syntax-3/).
struct StyleSheetScanner {
    private var finder: CommentFinder

    /// Returns the lines of the comments on lines of their own; nil for a text that is not understood: one with line
    /// breaks other than `\n`, or with a string, a comment or an address that does not end.
    static func comments(in text: [UInt8]) -> [Range<Int>]? {
        guard !text.contains(UInt8(ascii: "\r")), !text.contains(0x0C) else { return nil }
        var scanner = StyleSheetScanner(finder: CommentFinder(text))
        while scanner.finder.index < text.count {
            guard scanner.readPart() else { return nil }
        }
        return scanner.finder.comments
    }

    /// Reads a comment, a string, an address or a byte; answers whether it ends.
    private mutating func readPart() -> Bool {
        switch finder.byte() {
        case UInt8(ascii: "/") where finder.byte(after: 1) == UInt8(ascii: "*"):
            return finder.readBlockComment(isRemovable: true)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return finder.readString()
        case UInt8(ascii: "\\"):
            finder.index += 2
        case UInt8(ascii: "("):
            finder.index += 1
            if isAfterURL { return readAddress() }
        default:
            finder.index += 1
        }
        return true
    }

    /// Whether the bracket before `index` follows `url`. A longer name that ends so is taken for it as well: then the
    /// text in its brackets is not searched for comments.
    private var isAfterURL: Bool {
        let end = finder.index - 1
        guard end >= 3 else { return false }
        return finder.text[(end - 3)..<end].elementsEqual("url".utf8) { $0 | 0x20 == $1 }
    }

    /// Reads the address in `url(…)`. One without quotes may hold what would begin a comment elsewhere.
    private mutating func readAddress() -> Bool {
        while [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n")].contains(finder.byte()) { finder.index += 1 }
        if [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(finder.byte()) { return true }
        while finder.index < finder.text.count {
            let byte = finder.byte()
            finder.index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: ")") { return true }
        }
        return false
    }
}
