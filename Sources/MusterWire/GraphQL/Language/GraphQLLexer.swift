/// A lexical token of a GraphQL source.
struct GraphQLToken {
    /// The kinds of token.
    enum Kind: UInt8 {
        case end, bang, dollar, ampersand, openParenthesis, closeParenthesis, spread, colon, equals, at, openBracket,
            closeBracket, openBrace, pipe, closeBrace, name, integer, float, string, blockString

        /// The kind as messages write it.
        var text: String {
            switch self {
            case .end: "<EOF>"
            case .bang: "'!'"
            case .dollar: "'$'"
            case .ampersand: "'&'"
            case .openParenthesis: "'('"
            case .closeParenthesis: "')'"
            case .spread: "'...'"
            case .colon: "':'"
            case .equals: "'='"
            case .at: "'@'"
            case .openBracket: "'['"
            case .closeBracket: "']'"
            case .openBrace: "'{'"
            case .pipe: "'|'"
            case .closeBrace: "'}'"
            case .name: "Name"
            case .integer: "Int"
            case .float: "Float"
            case .string: "String"
            case .blockString: "BlockString"
            }
        }
    }

    var kind: Kind
    /// The offset of its first byte.
    var start: UInt32
    /// The offset after its last byte.
    var end: UInt32
}

/// Splits a source into tokens (GraphQL October 2021, section 2.1).
///
/// - Important: The lexer is valid only while the bytes are, which must be valid UTF-8.
struct GraphQLLexer {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte to read.
    private(set) var offset = 0
    /// What each byte begins.
    private let classes = Self.classes

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the byte at an offset; 0 at and after the end.
    @inline(__always)
    func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// Reads the next token, and skips what the grammar ignores before it.
    @inline(__always)
    mutating func next() throws(GraphQLSyntaxFault) -> GraphQLToken {
        while offset < bytes.count {
            let byte = bytes[offset]
            switch classes[Int(byte)] {
            case .ignored: offset += 1
            case .nameStart: return name()
            case .punctuator(let kind): return token(kind, length: 1)
            case .other:
                if byte == UInt8(ascii: "#") {
                    skipComment()
                } else if byte == 0xEF, self.byte(offset + 1) == 0xBB, self.byte(offset + 2) == 0xBF {
                    offset += 3
                } else {
                    return try uncommon(byte)
                }
            }
        }
        return GraphQLToken(kind: .end, start: UInt32(bytes.count), end: UInt32(bytes.count))
    }

    private enum Class {
        case ignored, nameStart, other
        case punctuator(GraphQLToken.Kind)
    }

    private static let classes: [Class] = (0..<256).map { code in
        switch Unicode.Scalar(UInt8(code)) {
        case " ", "\t", ",", "\n", "\r": .ignored
        case "a"..."z", "A"..."Z", "_": .nameStart
        case "!": .punctuator(.bang)
        case "$": .punctuator(.dollar)
        case "&": .punctuator(.ampersand)
        case "(": .punctuator(.openParenthesis)
        case ")": .punctuator(.closeParenthesis)
        case ":": .punctuator(.colon)
        case "=": .punctuator(.equals)
        case "@": .punctuator(.at)
        case "[": .punctuator(.openBracket)
        case "]": .punctuator(.closeBracket)
        case "{": .punctuator(.openBrace)
        case "|": .punctuator(.pipe)
        case "}": .punctuator(.closeBrace)
        default: .other
        }
    }

    @inline(__always)
    private mutating func token(_ kind: GraphQLToken.Kind, length: Int) -> GraphQLToken {
        defer { offset += length }
        return GraphQLToken(kind: kind, start: UInt32(offset), end: UInt32(offset + length))
    }

    @inline(__always)
    private mutating func name() -> GraphQLToken {
        let start = offset
        offset += 1
        while offset < bytes.count, Self.continuesName(bytes[offset]) { offset += 1 }
        return GraphQLToken(kind: .name, start: UInt32(start), end: UInt32(offset))
    }

    @inline(__always)
    private static func continuesName(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }

    private mutating func skipComment() {
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
    }

    private mutating func uncommon(_ byte: UInt8) throws(GraphQLSyntaxFault) -> GraphQLToken {
        switch byte {
        case UInt8(ascii: "."):
            if self.byte(offset + 1) == byte, self.byte(offset + 2) == byte { return token(.spread, length: 3) }
        case UInt8(ascii: "\""):
            let isBlock = self.byte(offset + 1) == byte && self.byte(offset + 2) == byte
            return isBlock ? try blockString() : try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "'"): throw fault(.singleQuote, at: offset)
        default: break
        }
        throw fault(.character(scalar(at: offset) ?? 0), at: offset)
    }

    private mutating func number() throws(GraphQLSyntaxFault) -> GraphQLToken {
        let start = offset
        var isFloat = false
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if byte(offset) == UInt8(ascii: "0") {
            offset += 1
            if isDigit(byte(offset)) { throw fault(.digitAfterZero(scalar(at: offset)), at: offset) }
        } else {
            try digits()
        }
        if byte(offset) == UInt8(ascii: ".") {
            isFloat = true
            offset += 1
            try digits()
        }
        if byte(offset) | 0x20 == UInt8(ascii: "e") {
            isFloat = true
            offset += 1
            if byte(offset) == UInt8(ascii: "+") || byte(offset) == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let next = byte(offset)
        if next == UInt8(ascii: ".") || (Self.continuesName(next) && !isDigit(next)) {
            throw fault(.digit(scalar(at: offset)), at: offset)
        }
        return GraphQLToken(kind: isFloat ? .float : .integer, start: UInt32(start), end: UInt32(offset))
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private mutating func digits() throws(GraphQLSyntaxFault) {
        guard isDigit(byte(offset)) else { throw fault(.digit(scalar(at: offset)), at: offset) }
        while isDigit(byte(offset)) { offset += 1 }
    }

    private mutating func string() throws(GraphQLSyntaxFault) -> GraphQLToken {
        let start = offset
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return GraphQLToken(kind: .string, start: UInt32(start), end: UInt32(offset))
            case UInt8(ascii: "\\"):
                var scalar: UInt32 = 0
                offset = try GraphQLText.readEscape(bytes, at: offset, into: &scalar)
            case 0x0A, 0x0D: throw fault(.unterminatedString, at: offset)
            default: offset += 1
            }
        }
        throw fault(.unterminatedString, at: offset)
    }

    private mutating func blockString() throws(GraphQLSyntaxFault) -> GraphQLToken {
        let start = offset
        let quote = UInt8(ascii: "\"")
        offset += 3
        while offset < bytes.count {
            if bytes[offset] == quote, byte(offset + 1) == quote, byte(offset + 2) == quote {
                offset += 3
                return GraphQLToken(kind: .blockString, start: UInt32(start), end: UInt32(offset))
            }
            let isEscaped =
                bytes[offset] == UInt8(ascii: "\\") && byte(offset + 1) == quote && byte(offset + 2) == quote
                && byte(offset + 3) == quote
            offset += isEscaped ? 4 : 1
        }
        throw fault(.unterminatedString, at: offset)
    }

    private func fault(_ reason: GraphQLSyntaxFault.Reason, at index: Int) -> GraphQLSyntaxFault {
        GraphQLSyntaxFault(offset: UInt32(index), reason: reason)
    }

    /// The Unicode scalar at an offset; nil at the end.
    private func scalar(at index: Int) -> UInt32? {
        guard index < bytes.count else { return nil }
        let text = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self)
        return text.unicodeScalars.first?.value
    }
}
