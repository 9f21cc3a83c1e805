/// Swift source with the insides of comments, string literals and back-ticked names blanked out, column by column, so
/// that what is left can be searched line by line.
struct Code {
    let lines: [String]

    init(_ text: String) {
        var masker = Masker(Array(text.utf8))
        masker.code(until: nil)
        lines = String(decoding: masker.output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

private struct Masker {
    private let input: [UInt8]
    private(set) var output: [UInt8] = []
    private var place = 0

    private static let newline = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let hash = UInt8(ascii: "#")

    init(_ input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    /// Copies code up to the end, or to the parenthesis that closes an interpolation.
    mutating func code(until closing: UInt8?) {
        var depth = 0
        while place < input.count {
            let byte = input[place]
            if starts("//") {
                while place < input.count, input[place] != Masker.newline { blank() }
            } else if starts("/*") {
                blockComment()
            } else if byte == Masker.quote || (byte == Masker.hash && hashesBeforeQuote > 0) {
                string()
            } else if byte == UInt8(ascii: "`") {
                name()
            } else {
                if byte == closing, depth == 0 { return }
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                copy()
            }
        }
    }

    private mutating func copy() {
        output.append(input[place])
        place += 1
    }

    private mutating func blank() {
        output.append(input[place] == Masker.newline ? Masker.newline : UInt8(ascii: " "))
        place += 1
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<min(count, input.count - place) { blank() }
    }

    private func starts(_ text: StaticString, at offset: Int = 0) -> Bool {
        let begin = place + offset
        guard begin + text.utf8CodeUnitCount <= input.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { input[begin + $0] == text.utf8Start[$0] }
    }

    /// How many `#` stand here before a quotation mark; 0 when none does.
    private var hashesBeforeQuote: Int {
        var end = place
        while end < input.count, input[end] == Masker.hash { end += 1 }
        return end < input.count && input[end] == Masker.quote ? end - place : 0
    }

    private func hashes(_ count: Int, at offset: Int) -> Bool {
        place + offset + count <= input.count
            && input[(place + offset)..<(place + offset + count)].allSatisfy { $0 == Masker.hash }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && place < input.count
    }

    private mutating func name() {
        copy()
        while place < input.count, input[place] != UInt8(ascii: "`"), input[place] != Masker.newline { blank() }
        if place < input.count, input[place] != Masker.newline { copy() }
    }

    /// A literal of any kind: its delimiters stay, its text is blanked, its interpolations are code.
    private mutating func string() {
        let rawness = hashesBeforeQuote
        for _ in 0..<rawness { copy() }
        let isLong = starts("\"\"\"")
        let width = isLong ? 3 : 1
        for _ in 0..<width { copy() }
        while place < input.count {
            if !isLong, input[place] == Masker.newline { return }
            if isLong ? starts("\"\"\"") : input[place] == Masker.quote, hashes(rawness, at: width) {
                for _ in 0..<(width + rawness) { copy() }
                return
            }
            guard input[place] == Masker.backslash, hashes(rawness, at: 1) else {
                blank()
                continue
            }
            blank(1 + rawness)
            if place < input.count, input[place] == UInt8(ascii: "(") {
                copy()
                code(until: UInt8(ascii: ")"))
            } else if place < input.count {
                blank()
            }
        }
    }
}
