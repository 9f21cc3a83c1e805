/// How long things may be.
enum Layout {
    static let mostLines = 400
    static let mostFunctionLines = 70
    static let mostColumns = 120

    static func longFile(_ file: SourceFile) -> [Finding] {
        guard file.lineCount > mostLines else { return [] }
        return [
            Finding(path: file.path, line: mostLines + 1, message: "\(file.lineCount) lines; \(mostLines) at most")
        ]
    }

    static func longLines(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            guard line.utf8.count > mostColumns, line.count > mostColumns else { return nil }
            return Finding(
                path: file.path, line: index + 1, message: "\(line.count) columns; \(mostColumns) at most")
        }
    }

    static func longFunctions(in file: SourceFile) -> [Finding] {
        let lines = file.code
        return lines.indices.compactMap { begin in
            guard Declaration(lines[begin])?.mayHaveBody == true, let end = endOfBody(from: begin, lines),
                end - begin + 1 > mostFunctionLines
            else { return nil }
            return Finding(
                path: file.path, line: begin + 1,
                message: "a function of \(end - begin + 1) lines; \(mostFunctionLines) at most")
        }
    }

    /// The line of the brace that closes the body of the declaration on a line; nil when it has none, as in a protocol.
    private static func endOfBody(from begin: Int, _ lines: [String]) -> Int? {
        var (round, curly) = (0, 0)
        for line in begin..<lines.count {
            if line > begin, curly == 0, round == 0, Declaration(lines[line]) != nil { return nil }
            for byte in lines[line].utf8 {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["): round += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): round -= 1
                case UInt8(ascii: "{"): curly += 1
                case UInt8(ascii: "}"):
                    curly -= 1
                    if curly == 0, round == 0 { return line }
                    if curly < 0 { return nil }
                default: break
                }
            }
        }
        return nil
    }
}

/// The head of a declaration, as far as one line of masked code shows it.
struct Declaration {
    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class", "final", "mutating",
        "nonmutating", "override", "convenience", "required", "lazy", "weak", "unowned", "indirect", "nonisolated",
        "borrowing", "consuming", "isolated", "distributed", "prefix", "postfix", "infix", "dynamic", "optional",
    ]
    private static let keywords: Set<String> = [
        "func", "init", "subscript", "deinit", "var", "let", "struct", "enum", "class", "actor", "protocol",
        "typealias", "associatedtype", "case", "extension", "macro", "import",
    ]

    /// `func`, `struct`, `import` and so on.
    let keyword: String
    /// `public` or `package` when it says so.
    let access: String?

    /// The declaration that begins on a line; nil when none does.
    init?(_ line: String) {
        var rest = Substring(line)
        var access: String?
        while true {
            rest = rest.drop { $0 == " " }
            if rest.first == "@" {
                rest = Declaration.afterAttribute(rest)
                continue
            }
            let word = String(rest.prefix { $0.isLetter })
            rest = rest.dropFirst(word.count)
            let isClassMember =
                word == "class" && Declaration.firstWord(of: rest).map(Declaration.keywords.contains) == true
            if Declaration.modifiers.contains(word), word != "class" || isClassMember {
                if rest.first == "(" {
                    rest = rest.drop { $0 != ")" }.dropFirst()
                } else if word == "public" || word == "package" {
                    access = word
                }
                continue
            }
            guard Declaration.keywords.contains(word) else { return nil }
            if let next = rest.first, !" ([<?!{".contains(next) { return nil }
            (keyword, self.access) = (word, access)
            return
        }
    }

    /// Whether it is code that runs.
    var mayHaveBody: Bool { ["func", "init", "subscript", "deinit", "var"].contains(keyword) }

    private static func firstWord(of text: Substring) -> String? {
        text.split(separator: " ", maxSplits: 1).first.map { String($0.prefix { $0.isLetter }) }
    }

    private static func afterAttribute(_ text: Substring) -> Substring {
        var rest = text.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        guard rest.first == "(" else { return rest }
        var depth = 0
        while let character = rest.popFirst() {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { break }
        }
        return rest
    }
}
