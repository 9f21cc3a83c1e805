// `CommentStripping`: leaves the comments out of the scripts and style sheets that browsers load.

/// The text of a script or a style sheet without the comments that stand on lines of their own.
///
/// Comments explain the code to its developers. A browser needs none of them, and a phone on a slow network would load
/// them with every file.
///
/// Only whole lines are left out: those of a `//` comment, and those of a `/* … */` comment with nothing but spaces
/// before and after it. The line break before a comment stays, so that a script's statements end where they ended
/// before. A text that the scanner does not understand for certain stays as it is, and so does a comment that a licence
/// or a tool wants kept.
package enum CommentStripping {
    /// What the text is.
    package enum Language: Sendable {
        case script
        case styleSheet
    }

    /// Returns the text without its comments; the text as it is where the scanner does not understand it.
    ///
    /// - Complexity: O(*n*), where *n* is the length of the text.
    package static func strip(_ text: [UInt8], of language: Language) -> [UInt8] {
        let comments =
            switch language {
            case .script: ScriptScanner.comments(in: text)
            case .styleSheet: StyleSheetScanner.comments(in: text)
            }
        guard let comments else { return text }
        var rest: [UInt8] = []
        rest.reserveCapacity(text.count)
        var start = 0
        for lines in comments where !isWantedKept(text[lines]) {
            rest += text[start..<lines.lowerBound]
            start = lines.upperBound
        }
        return rest + text[start...]
    }

    /// Whether a licence or a tool wants the comment kept.
    private static func isWantedKept(_ comment: ArraySlice<UInt8>) -> Bool {
        // A tool's mark follows the comment's first two bytes, as in `//# sourceMappingURL` and `/*! licence */`.
        let marks = comment.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.dropFirst(2)
        if let first = marks.first, "!#@".utf8.contains(first) { return true }
        let words = String(decoding: comment, as: UTF8.self).lowercased()
        return ["@license", "@licence", "@preserve", "@cc_on", "copyright"].contains { words.contains($0) }
    }
}

/// Reads a text byte by byte, and finds comments on lines of their own.
struct CommentFinder {
    let text: [UInt8]
    /// The byte that is read next.
    var index = 0
    /// The lines of each comment that has lines of its own, with the line break after it. Neighbouring `//` lines are
    /// one comment.
    private(set) var comments: [Range<Int>] = []
    private var doesLastEndInLineComment = false

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The byte at a distance from `index`; 0 beyond the text.
    func byte(after distance: Int = 0) -> UInt8 {
        let place = index + distance
        return place < text.count ? text[place] : 0
    }

    /// Moves to the line break at the end of the line, or to the end of the text.
    mutating func skipLine() {
        while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
    }

    /// Reads the `//` comment at `index`.
    mutating func readLineComment(isRemovable: Bool) {
        let start = index
        skipLine()
        note(from: start, isRemovable: isRemovable, isLine: true)
    }

    /// Reads the `/* … */` comment at `index`; answers whether it ends.
    mutating func readBlockComment(isRemovable: Bool) -> Bool {
        let start = index
        index += 2
        while index + 1 < text.count {
            if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") {
                index += 2
                note(from: start, isRemovable: isRemovable, isLine: false)
                return true
            }
            index += 1
        }
        return false
    }

    /// Reads the string at `index`, in its quotes; answers whether it ends. A backslash before a line break continues
    /// the string on the next line.
    mutating func readString() -> Bool {
        let quote = text[index]
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\n") {
            let isEnd = text[index] == quote
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
            if isEnd { return true }
        }
        return false
    }

    /// Notes the comment between `start` and `index`, if nothing but spaces shares its lines.
    private mutating func note(from start: Int, isRemovable: Bool, isLine: Bool) {
        guard isRemovable else { return }
        var first = start
        while first > 0, Self.isBlank(text[first - 1]) { first -= 1 }
        guard first == 0 || text[first - 1] == UInt8(ascii: "\n") else { return }
        var end = index
        while end < text.count, Self.isBlank(text[end]) { end += 1 }
        guard end == text.count || text[end] == UInt8(ascii: "\n") else { return }
        end = min(end + 1, text.count)
        if isLine, doesLastEndInLineComment, let last = comments.last, last.upperBound == first {
            comments[comments.count - 1] = last.lowerBound..<end
        } else {
            comments.append(first..<end)
        }
        doesLastEndInLineComment = isLine
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
