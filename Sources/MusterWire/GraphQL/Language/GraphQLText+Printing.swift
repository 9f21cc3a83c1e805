extension GraphQLText {
    /// Prints a text as a string value between quotation marks.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x08: result += "\\b"
            case 0x09: result += "\\t"
            case 0x0A: result += "\\n"
            case 0x0C: result += "\\f"
            case 0x0D: result += "\\r"
            case 0...0x1F, 0x7F...0x9F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Prints a description: as a block string where that reads back as the same text, else as a quoted one.
    static func description(_ text: String, indentation: String) -> String {
        let literal = isPrintableAsBlock(text) ? block(text) : quoted(text)
        return literal.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + indentation)
    }

    /// Prints a text as a block string.
    static func block(_ text: String) -> String {
        let escaped = text.split(separator: "\"\"\"", omittingEmptySubsequences: false).joined(separator: "\\\"\"\"")
        let lines = escaped.split(separator: "\n", omittingEmptySubsequences: false)
        let isSingleLine = lines.count <= 1
        let forcesLeading =
            lines.count > 1 && lines.dropFirst().allSatisfy { $0.isEmpty || $0.first == " " || $0.first == "\t" }
        let endsInTripleQuotes = escaped.hasSuffix("\\\"\"\"")
        let forcesTrailing = (text.hasSuffix("\"") && !endsInTripleQuotes) || text.hasSuffix("\\")
        let isMultiLine =
            !isSingleLine || text.unicodeScalars.count > 70 || forcesTrailing || forcesLeading || endsInTripleQuotes
        let skipsLeading = isSingleLine && (text.first == " " || text.first == "\t")
        let before = (isMultiLine && !skipsLeading) || forcesLeading ? "\n" : ""
        let after = isMultiLine || forcesTrailing ? "\n" : ""
        return "\"\"\"" + before + escaped + after + "\"\"\""
    }

    /// Whether the block string of a text reads back as the same text.
    private static func isPrintableAsBlock(_ text: String) -> Bool {
        if text.isEmpty { return true }
        var (isEmptyLine, hasIndent, hasCommonIndent, hasSeenLine) = (true, false, true, false)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n":
                if isEmptyLine, !hasSeenLine { return false }
                (hasSeenLine, isEmptyLine, hasIndent) = (true, true, false)
            case " ", "\t": hasIndent = hasIndent || isEmptyLine
            default:
                if scalar.value <= 0x0F { return false }
                hasCommonIndent = hasCommonIndent && hasIndent
                isEmptyLine = false
            }
        }
        return !isEmptyLine && !(hasCommonIndent && hasSeenLine)
    }
}
