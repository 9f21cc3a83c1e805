/// A value that a scalar refuses.
package struct GraphQLScalarFault: Error, Hashable, Sendable {
    /// The reason, one sentence for the developer of the client.
    package var message: String

    package init(_ message: String) { self.message = message }
}

/// How values of a scalar type are checked.
package struct GraphQLScalar: Sendable {
    /// Checks a value that a client gives, and returns it as resolvers shall see it.
    package let coerceInput: @Sendable (JSONValue) throws(GraphQLScalarFault) -> JSONValue
    /// Checks a value that a resolver gives, and returns it as the response shall show it.
    package let coerceResult: @Sendable (JSONValue) throws(GraphQLScalarFault) -> JSONValue
    /// Which of the five scalars of the specification it is; nil for a custom one.
    let builtIn: BuiltIn?

    package init(
        input: @escaping @Sendable (JSONValue) throws(GraphQLScalarFault) -> JSONValue,
        result: @escaping @Sendable (JSONValue) throws(GraphQLScalarFault) -> JSONValue = { value in value }
    ) {
        coerceInput = input
        coerceResult = result
        builtIn = nil
    }

    init(_ builtIn: BuiltIn) {
        self.builtIn = builtIn
        coerceInput = { value throws(GraphQLScalarFault) in try builtIn.input(value) }
        coerceResult = { value throws(GraphQLScalarFault) in try builtIn.result(value) }
    }

    /// A scalar that accepts any value.
    package static let any = GraphQLScalar { value in value }

    /// The scalars of the specification (October 2021, section 3.5).
    enum BuiltIn: String, CaseIterable, Sendable {
        case int = "Int"
        case float = "Float"
        case string = "String"
        case boolean = "Boolean"
        case id = "ID"

        func input(_ value: JSONValue) throws(GraphQLScalarFault) -> JSONValue {
            switch self {
            case .int: return try Self.int(value)
            case .float:
                guard value.kind == .number, let number = value.number else { throw refuse("non numeric value", value) }
                return .number(number)
            case .string:
                guard case .string = value else { throw refuse("a non string value", value) }
                return value
            case .boolean:
                guard case .boolean = value else { throw refuse("a non boolean value", value) }
                return value
            case .id:
                if case .string = value { return value }
                guard let integer = value.integer else { throw refuse("value", value) }
                return .string("\(integer)")
            }
        }

        func result(_ value: JSONValue) throws(GraphQLScalarFault) -> JSONValue {
            switch (self, value) {
            case (.string, .boolean(let boolean)): return .string(boolean ? "true" : "false")
            case (.string, .integer(let integer)): return .string("\(integer)")
            case (.string, .number), (.string, .array), (.string, .object): throw refuse("value", value)
            case (.boolean, .integer(let integer)): return .boolean(integer != 0)
            case (.int, .boolean(let boolean)): return .integer(boolean ? 1 : 0)
            case (.float, .boolean(let boolean)): return .integer(boolean ? 1 : 0)
            case (.float, .integer): return value
            default: return try input(value)
            }
        }

        private static func int(_ value: JSONValue) throws(GraphQLScalarFault) -> JSONValue {
            guard value.kind == .number, let number = value.number, number == number.rounded() else {
                throw BuiltIn.int.refuse("non-integer value", value)
            }
            guard let integer = value.integer, Int32(exactly: integer) != nil else {
                throw BuiltIn.int.refuse("non 32-bit signed integer value", value)
            }
            return .integer(integer)
        }

        private func refuse(_ words: String, _ value: JSONValue) -> GraphQLScalarFault {
            GraphQLScalarFault("\(rawValue) cannot represent \(words): \(value.excerpt)")
        }
    }
}

extension JSONValue {
    /// The value as JSON for a message. What is longer than some 200 bytes ends with an ellipsis.
    ///
    /// - Complexity: O(1) in the size of the value.
    var excerpt: String {
        var text = ""
        append(to: &text)
        return text.utf8.count > Self.excerptBytes ? text.prefix(Self.excerptBytes) + "…" : text
    }

    private static let excerptBytes = 200

    private func append(to text: inout String) {
        guard text.utf8.count <= Self.excerptBytes else { return }
        switch self {
        case .array(let elements):
            text += "["
            for (index, element) in elements.prefix(Self.excerptBytes).enumerated() {
                if index > 0 { text += "," }
                element.append(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.prefix(Self.excerptBytes).enumerated() {
                if index > 0 { text += "," }
                JSONValue.string(member.key).append(to: &text)
                text += ":"
                member.value.append(to: &text)
            }
            text += "}"
        case .string(let string):
            let start = JSONValue.string(String(string.prefix(Self.excerptBytes)))
            text += String(decoding: start.bytes, as: UTF8.self)
        case .integer, .number, .boolean, .null: text += String(decoding: bytes, as: UTF8.self)
        }
    }
}
