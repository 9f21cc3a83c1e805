/// Finds the comments of a script, by the language's lexical grammar (ECMA-262, section 12, https://tc39.es/ecma262/).
struct ScriptScanner {
    /// What was read last, as far as it says what a slash after it is.
    private enum Previous {
        /// An operator, an opening bracket, or a word that a value follows: a slash begins a regular expression.
        case operation
        /// The end of a value: a slash divides it.
        case value
        /// `if`, `for`, `while` or `with`: what follows its brackets is a statement.
        case control
        /// A dot: a name follows, also one that is a word of the language elsewhere.
        case dot
        /// `}`, `++`, `--`, or a word that is a name at some places: a slash may be either.
        case either
    }

    /// A bracket that is open.
    private enum Bracket {
        case round(isOfControl: Bool)
        case square
        case curly
        /// `${` in a template.
        case template
    }

    private var finder: CommentFinder
    private var previous = Previous.operation
    private var brackets: [Bracket] = []
    private var openTemplates = 0

    private init(_ text: [UInt8]) {
        finder = CommentFinder(text)
    }

    /// Returns the lines of the comments on lines of their own; nil for a text that is not understood.
    ///
    /// A comment in a template stays. Not understood are a slash that may divide or begin a regular expression, a text
    /// that is no script, and what this scanner does not know: line breaks other than `\n`, names and spaces beyond
    /// ASCII outside texts and comments, and comments as HTML writes them.
    static func comments(in text: [UInt8]) -> [Range<Int>]? {
        guard hasPlainLineBreaks(text) else { return nil }
        var scanner = ScriptScanner(text)
        while scanner.finder.index < text.count {
            guard scanner.readPart() else { return nil }
        }
        return scanner.brackets.isEmpty ? scanner.finder.comments : nil
    }

    /// Whether no other byte ends a line: a carriage return, U+2028 or U+2029.
    private static func hasPlainLineBreaks(_ text: [UInt8]) -> Bool {
        for (index, byte) in text.enumerated() {
            if byte == UInt8(ascii: "\r") { return false }
            if byte == 0xE2, index + 2 < text.count, text[index + 1] == 0x80, text[index + 2] & 0xFE == 0xA8 {
                return false
            }
        }
        return true
    }

    /// Reads a space, a comment, a text, a word or a sign; answers whether it is understood.
    private mutating func readPart() -> Bool {
        let byte = finder.byte()
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
            finder.index += 1
            return true
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            previous = .value
            return finder.readString()
        case UInt8(ascii: "`"):
            finder.index += 1
            return readTemplate()
        case UInt8(ascii: "/"):
            return readSlash()
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            open(byte)
            return true
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            return close(byte)
        case _ where Self.isOfWord(byte):
            readWord()
            return true
        default:
            return readSign(byte)
        }
    }

    // MARK: - Brackets

    private mutating func open(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("): brackets.append(.round(isOfControl: previous == .control))
        case UInt8(ascii: "["): brackets.append(.square)
        default: brackets.append(.curly)
        }
        previous = .operation
        finder.index += 1
    }

    /// Reads a closing bracket; answers whether it closes the one that was opened last.
    private mutating func close(_ byte: UInt8) -> Bool {
        finder.index += 1
        switch (brackets.popLast(), byte) {
        case (.round(let isOfControl), UInt8(ascii: ")")): previous = isOfControl ? .operation : .value
        case (.square, UInt8(ascii: "]")): previous = .value
        case (.curly, UInt8(ascii: "}")): previous = .either
        case (.template, UInt8(ascii: "}")):
            openTemplates -= 1
            return readTemplate()
        default: return false
        }
        return true
    }

    // MARK: - Texts

    /// Reads the text of a template from `index` to its end or to the next `${`; answers whether either comes.
    private mutating func readTemplate() -> Bool {
        while finder.index < finder.text.count {
            switch finder.byte() {
            case UInt8(ascii: "`"):
                finder.index += 1
                previous = .value
                return true
            case UInt8(ascii: "$") where finder.byte(after: 1) == UInt8(ascii: "{"):
                finder.index += 2
                brackets.append(.template)
                openTemplates += 1
                previous = .operation
                return true
            case UInt8(ascii: "\\"):
                finder.index += 2
            default:
                finder.index += 1
            }
        }
        return false
    }

    /// Reads a comment, a regular expression or a division; answers whether it is clear which.
    private mutating func readSlash() -> Bool {
        switch finder.byte(after: 1) {
        case UInt8(ascii: "/"):
            finder.readLineComment(isRemovable: openTemplates == 0)
            return true
        case UInt8(ascii: "*"):
            return finder.readBlockComment(isRemovable: openTemplates == 0)
        default:
            break
        }
        switch previous {
        case .operation, .control: return readRegularExpression()
        case .value: break
        // A regular expression ends on its line: without another slash there this one divides.
        case .dot, .either: guard !hasAnotherSlash else { return false }
        }
        finder.index += 1
        previous = .operation
        return true
    }

    private var hasAnotherSlash: Bool {
        var rest = finder
        rest.index += 1
        let start = rest.index
        rest.skipLine()
        return finder.text[start..<rest.index].contains(UInt8(ascii: "/"))
    }

    /// Reads a regular expression; answers whether it ends on its line. Its flags are read as a word.
    private mutating func readRegularExpression() -> Bool {
        var isInClass = false
        finder.index += 1
        while finder.index < finder.text.count {
            switch finder.byte() {
            case UInt8(ascii: "\n"): return false
            case UInt8(ascii: "\\"):
                if finder.byte(after: 1) == UInt8(ascii: "\n") { return false }
                finder.index += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                finder.index += 1
                while Self.isOfWord(finder.byte()) { finder.index += 1 }
                previous = .value
                return true
            default: break
            }
            finder.index += 1
        }
        return false
    }

    // MARK: - Words and signs

    /// Reads a name, a word of the language or a number.
    private mutating func readWord() {
        let start = finder.index
        let isNumber = Self.isDigit(finder.byte())
        while Self.isOfWord(finder.byte()) || (isNumber && finder.byte() == UInt8(ascii: ".")) { finder.index += 1 }
        guard previous != .dot, !isNumber else {
            previous = .value
            return
        }
        let word = finder.text[start..<finder.index]
        if previous == .control, word.elementsEqual("await".utf8) { return }
        previous = Self.meaning(of: word)
    }

    /// The longest word in the lists below.
    private static let longestWord = 10
    private static let beforeValues: Set<String> = [
        "break", "case", "continue", "debugger", "default", "delete", "do", "else", "extends", "finally", "in",
        "instanceof", "new", "return", "throw", "try", "typeof", "void",
    ]

    private static func meaning(of word: ArraySlice<UInt8>) -> Previous {
        // No word of the language is longer, or has a letter that is no small one.
        guard word.count <= longestWord, word.allSatisfy({ (0x61...0x7A).contains($0) }) else { return .value }
        let text = String(decoding: word, as: UTF8.self)
        switch text {
        case "if", "for", "while", "with": return .control
        case "await", "let", "of", "static", "yield": return .either
        default: return beforeValues.contains(text) ? .operation : .value
        }
    }

    /// Reads a sign that is no bracket; answers whether a script may have it.
    private mutating func readSign(_ byte: UInt8) -> Bool {
        let next = finder.byte(after: 1)
        switch byte {
        case UInt8(ascii: "."):
            if next == UInt8(ascii: "."), finder.byte(after: 2) == UInt8(ascii: ".") {
                finder.index += 3
                previous = .operation
                return true
            }
            previous = Self.isDigit(next) ? .operation : .dot
        case UInt8(ascii: "+") where next == byte, UInt8(ascii: "-") where next == byte:
            // `-->` at the beginning of a line is a comment in a script that is no module.
            guard finder.byte(after: 2) != UInt8(ascii: ">") else { return false }
            finder.index += 2
            previous = .either
            return true
        case UInt8(ascii: "<") where next == UInt8(ascii: "!"):
            // `<!--` is a comment in a script that is no module.
            return false
        case UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "<"),
            UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "|"),
            UInt8(ascii: "~"), UInt8(ascii: "@"):
            previous = .operation
        case UInt8(ascii: "#") where finder.index > 0:
            // The name of a private member, also of one that is called as a word of the language.
            previous = .dot
        default:
            // Beyond ASCII, an escape in a name, or no sign of the language.
            return false
        }
        finder.index += 1
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }
}
