/// A fault in an event pattern, and its place.
public struct EventPatternError: Error, Hashable, Sendable {
    /// The faulty part as an RFC 6901 pointer; empty for the whole pattern.
    public var pointer: String
    /// The fault.
    public var reason: Reason

    /// Creates a fault at a place.
    public init(pointer: String, reason: Reason) {
        self.pointer = pointer
        self.reason = reason
    }

    /// The faults that a pattern can have.
    public enum Reason: Error, Hashable, Sendable {
        /// A pattern must be an object, with a list of values or a further object for every key.
        case notAnObject
        case notAListOrObject
        case empty
        /// A value in a list must be a scalar or an object with one operator.
        case notAValue
        case unknownOperator(String)
        /// An operator's object must name one operator and nothing else.
        case notOneOperator
        /// The operand is wrong; the text describes what the operator needs.
        case operand(String)
        case consecutiveWildcards
        case wildcardEscape
        case notABlock
        case tooDeep(limit: Int)
        case tooLong(limit: Int)
        case tooManyCombinations(limit: Int)
        /// The pattern is not JSON; the text describes the fault.
        case notJSON(String)
    }
}

extension EventPatternError.Reason: CustomStringConvertible {
    /// The fault in words that follow the pointer in a sentence.
    public var description: String {
        switch self {
        case .notAnObject: "must be an object"
        case .notAListOrObject: "must be a list of values or an object"
        case .empty: "must not be empty"
        case .notAValue: "must be a string, a number, true, false, null or an object with an operator"
        case .unknownOperator(let name): "has no operator \"\(name)\""
        case .notOneOperator: "must name exactly one operator"
        case .operand(let words): words
        case .consecutiveWildcards: "must not have two wildcards in a row"
        case .wildcardEscape: "must have a backslash only before * or another backslash"
        case .notABlock: "must be a block of IP addresses such as 10.0.0.0/24 or 2001:db8::/32"
        case .tooDeep(let limit): "is nested deeper than \(limit) levels"
        case .tooLong(let limit): "is longer than \(limit) characters"
        case .tooManyCombinations(let limit): "has $or lists with more than \(limit) combinations"
        case .notJSON(let words): words
        }
    }
}

extension EventPatternError: CustomStringConvertible {
    /// The pointer and the fault, in one sentence without a full stop.
    public var description: String { "\(pointer.isEmpty ? "the pattern" : pointer) \(reason)" }
}
