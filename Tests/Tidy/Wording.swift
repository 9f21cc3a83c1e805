/// What a file must say, and must not.
enum Wording {
    /// What needs a doc comment also where only our own targets see it. Members need none there: many are what a
    /// protocol asks for, and has documented.
    private static let types: Set<String> = ["struct", "enum", "class", "actor", "protocol"]

    /// Public declarations, and types that other targets see, without a doc comment above them. Attributes may stand
    /// between. An initializer needs one only where it promises more than its type's comment does.
    static func undocumented(in file: SourceFile) -> [Finding] {
        let code = file.code
        return code.indices.compactMap { line in
            guard let declaration = Declaration(code[line]), let access = declaration.access,
                !["import", "extension", "init"].contains(declaration.keyword),
                access == "public" || types.contains(declaration.keyword)
            else { return nil }
            var above = line - 1
            while above >= 0, code[above].drop(while: { $0 == " " }).hasPrefix("@"), Declaration(code[above]) == nil {
                above -= 1
            }
            let isDocumented = above >= 0 && file.lines[above].drop { $0 == " " }.hasPrefix("///")
            return isDocumented
                ? nil
                : Finding(path: file.path, line: line + 1, message: "no doc comment on this \(access) declaration")
        }
    }

    /// Places in the code, comments and literals apart, where a word stands.
    static func code(_ word: String, in file: SourceFile, because reason: String) -> [Finding] {
        guard file.contains(word) else { return [] }
        return file.code.enumerated().compactMap { index, line in
            occurs(word, in: line) ? Finding(path: file.path, line: index + 1, message: "\(word) \(reason)") : nil
        }
    }

    /// Traps that stand for code not written yet.
    static func unwritten(in file: SourceFile) -> [Finding] {
        guard file.contains("fatalError(") else { return [] }
        let excuses = ["to" + "do", "fix" + "me", "implement", "not yet", "later"]
        return zip(file.code, file.lines).enumerated().compactMap { index, line in
            guard occurs("fatalError(", in: line.0), excuses.contains(where: line.1.lowercased().contains) else {
                return nil
            }
            return Finding(path: file.path, line: index + 1, message: "a trap in place of code")
        }
    }

    /// Lines that hold a text, whatever it is part of.
    static func text(_ needle: String, in file: SourceFile, because reason: String) -> [Finding] {
        guard file.contains(needle) else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            line.contains(needle)
                ? Finding(path: file.path, line: index + 1, message: "\"\(needle)\" \(reason)") : nil
        }
    }

    /// How tests are switched off, and whether what stands in the parentheses gives a reason.
    private static let skips: [(opening: String, givesReason: @Sendable (Substring) -> Bool)] = [
        (".enabled(" + "if:", { outside(of: $0).contains(",") }),
        (".disabled" + "(", { $0.contains("\"") }),
        ("pytest.mark.skip" + "if(", { $0.contains("reason=") }),
        ("pytest.mark.skip" + "(", { $0.contains("\"") }),
        ("pytest.mark.skip" + "\n", { _ in false }),
        ("pytest.skip" + "(", { $0.contains("\"") }),
        ("skip: " + "true", { _ in false }),
    ]

    /// Tests that are switched off without saying why.
    static func silentSkips(in file: SourceFile) -> [Finding] {
        let looked = skips.filter { file.contains($0.opening) }
        if looked.isEmpty { return [] }
        let text = (file.isSwift ? file.code : file.lines).joined(separator: "\n")
        return looked.flatMap { skip in
            ranges(of: skip.opening, in: text).compactMap { range in
                guard !skip.givesReason(arguments(in: text, from: range.upperBound)) else { return nil }
                let line = text[..<range.lowerBound].count { $0 == "\n" } + 1
                return Finding(path: file.path, line: line, message: "a test is skipped and gives no reason")
            }
        }
    }

    /// What stands in no further parentheses, brackets or braces.
    private static func outside(of text: Substring) -> String {
        var depth = 0
        return text.reduce(into: "") { result, character in
            if "([{".contains(character) { depth += 1 }
            if depth == 0 { result.append(character) }
            if ")]}".contains(character) { depth -= 1 }
        }
    }

    /// What stands between an open parenthesis and the one that closes it.
    private static func arguments(in text: String, from start: String.Index) -> Substring {
        var depth = 1
        let end = text[start...].firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        return text[start..<(end ?? text.endIndex)]
    }

    private static func ranges(of needle: String, in text: String) -> [Range<String.Index>] {
        var found: [Range<String.Index>] = []
        var rest = text[...]
        while let range = rest.firstRange(of: needle) {
            found.append(range)
            rest = rest[range.upperBound...]
        }
        return found
    }

    /// Whether a word stands in a line, and not as the end of a longer one.
    private static func occurs(_ word: String, in line: String) -> Bool {
        ranges(of: word, in: line).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && before != "_" && before != "."
        }
    }

    /// The blocks of Swift in a page that are not word by word one of the examples.
    static func uncompiled(in file: SourceFile, _ examples: Set<ArraySlice<String>>) -> [Finding] {
        var findings: [Finding] = []
        var start: Int?
        for (index, line) in file.lines.enumerated() {
            if start == nil, line == "```swift" {
                start = index + 1
            } else if let first = start, line == "```" {
                start = nil
                if examples.contains(file.lines[first..<index]) { continue }
                findings.append(
                    Finding(path: file.path, line: first, message: "is no file of Examples/, which are compiled"))
            }
        }
        return findings
    }
}
