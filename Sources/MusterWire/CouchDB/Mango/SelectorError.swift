/// The reason why a selector is invalid. The error codes and reasons are CouchDB's.
package enum SelectorError: Error, Hashable, Sendable {
    /// The selector is not an object.
    case noObject
    /// The operator does not exist, or does not take this kind of value.
    case invalidOperator(String)
    /// CouchDB knows the operator and does not support it either.
    case unsupportedOperator(String)
    /// A condition outside any field.
    case missingField
    /// The operator's argument is invalid. Carries the text of the argument.
    case badArgument(operator: String, argument: String)
    /// The name of a field is malformed.
    case badField(String)
    /// The selector has more conditions than the limit.
    case tooManyTests(limit: Int)

    /// CouchDB's error code.
    package var word: String {
        switch self {
        case .noObject: "invalid_selector_json"
        case .invalidOperator: "invalid_operator"
        case .unsupportedOperator: "not_supported"
        case .missingField: "invalid_selector"
        case .badArgument: "bad_arg"
        case .badField: "invalid_field_name"
        case .tooManyTests: "bad_request"
        }
    }

    /// The explanation for people, one sentence.
    package var reason: String {
        switch self {
        case .noObject: "Selector must be a JSON object"
        case .invalidOperator(let name): "Invalid operator: \(name)"
        case .unsupportedOperator(let name): "Unsupported operator: \(name)"
        case .missingField: "One or more conditions is missing a field name."
        case .badArgument(let name, let argument): "Bad argument for operator \(name): \(argument)"
        case .badField(let text): "Invalid field name: \(text)"
        case .tooManyTests(let limit): "A selector has at most \(limit) conditions"
        }
    }
}
