/// Why something is no selector, in CouchDB's words.
package enum SelectorError: Error, Hashable, Sendable {
    /// A selector is an object.
    case noObject
    /// There is no such operator, or it takes no such kind of value.
    case invalidOperator(String)
    /// CouchDB knows the operator, and has it as little as we do.
    case unsupportedOperator(String)
    /// A condition stands alone that says nothing of a field.
    case missingField
    /// An operator does not take this; carries the text of what it was given.
    case badArgument(operator: String, argument: String)
    /// No field is called this.
    case badField(String)
    /// It asks for more than one may.
    case tooManyTests(limit: Int)

    /// CouchDB's word for it.
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

    /// A sentence for the person who wrote it.
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
