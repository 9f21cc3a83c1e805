/// A fault in the grammar of a GraphQL source, and its place.
struct GraphQLSyntaxFault: Error {
    /// The place, in bytes from the beginning.
    var offset: UInt32
    var reason: Reason

    enum Reason {
        case character(UInt32)
        case singleQuote
        case digitAfterZero(UInt32?)
        case digit(UInt32?)
        case unterminatedString
        case escape(String)
        case unicodeEscape(String)
        case expected(String, found: String)
        case unexpected(String)
        case description
        case variable(String)
        case reservedEnumValue(String)
        case sourceBytes(limit: Int)
        case nesting(limit: Int)
        case listNesting(limit: Int)
        case definitions(limit: Int)
        case operations(limit: Int)
        case variables(limit: Int)
        case arguments(limit: Int)
    }
}

extension GraphQLSyntaxFault {
    /// Whether the source may be grammatical all the same, and only too costly.
    private var isLimit: Bool {
        switch reason {
        case .sourceBytes, .nesting, .listNesting, .definitions, .operations, .variables, .arguments: true
        default: false
        }
    }

    /// The fault as an error of the response.
    func error(in source: GraphQLSource) -> GraphQLError {
        if case .sourceBytes = reason { return GraphQLError(.limit, description) }
        let location = GraphQLPlaces(source).location(of: offset)
        return isLimit
            ? GraphQLError(.limit, description, at: [location])
            : GraphQLError(.syntax, "Syntax Error: \(description)", at: [location])
    }

    private var description: String {
        switch reason {
        case .character(let scalar): "Unexpected character: \(Self.name(of: scalar))."
        case .singleQuote:
            "Unexpected single quote character ('), did you mean to use a double quote (\")?"
        case .digitAfterZero(let scalar): "Invalid number, unexpected digit after 0: \(Self.name(of: scalar))."
        case .digit(let scalar): "Invalid number, expected digit but got: \(Self.name(of: scalar))."
        case .unterminatedString: "Unterminated string."
        case .escape(let text): "Invalid character escape sequence: '\(text)'."
        case .unicodeEscape(let text): "Invalid Unicode escape sequence: '\(text)'."
        case .expected(let expected, let found): "Expected \(expected), found \(found)."
        case .unexpected(let found): "Unexpected \(found)."
        case .description: "Unexpected description, descriptions are supported only on type definitions."
        case .variable(let name): "Unexpected variable '$\(name)' in constant value."
        case .reservedEnumValue(let token): "\(token) is reserved and cannot be used for an enum value."
        case .sourceBytes(let limit): "The document is longer than \(limit) bytes."
        case .nesting(let limit): "The document nests deeper than \(limit) levels."
        case .listNesting(let limit): "A type nests lists deeper than \(limit) levels."
        case .definitions(let limit): "The document has more than \(limit) definitions."
        case .operations(let limit): "The document has more than \(limit) operations."
        case .variables(let limit): "An operation has more than \(limit) variables."
        case .arguments(let limit): "A field or an input object has more than \(limit) arguments."
        }
    }

    private static func name(of scalar: UInt32?) -> String {
        guard let scalar else { return "<EOF>" }
        if scalar == 0x22 { return "'\"'" }
        if (0x20...0x7E).contains(scalar) { return "'\(Character(Unicode.Scalar(UInt8(scalar))))'" }
        let digits = String(scalar, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
