/// A value of an event, as JSON has them: what patterns are matched with.
public enum EventValue: Hashable, Sendable {
    /// Members in their order; no key stands twice.
    case object([Member])
    /// Elements in their order.
    case array([EventValue])
    /// Anything that holds no other value.
    case scalar(EventScalar)

    /// A key and its value.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: ExactText
        /// Its value.
        public var value: EventValue

        /// A key and its value.
        public init(_ key: String, _ value: EventValue) {
            self.key = ExactText(key)
            self.value = value
        }
    }

    /// The value of a key, when this is an object that has it.
    ///
    /// - Complexity: O(members).
    public subscript(key: ExactText) -> EventValue? {
        guard case .object(let members) = self else { return nil }
        for index in members.indices where members[index].key == key { return members[index].value }
        return nil
    }
}

/// A value that holds no other: what the fields of a pattern are held against.
public enum EventScalar: Hashable, Sendable {
    case text(ExactText)
    case number(EventNumber)
    case boolean(Bool)
    case null
}

extension EventValue {
    /// A text.
    public static func string(_ text: String) -> EventValue { .scalar(.text(ExactText(text))) }
    /// A number, which must be finite.
    public static func number(_ number: Double) -> EventValue { .scalar(.number(EventNumber(number))) }
    /// A whole number.
    public static func integer(_ number: Int64) -> EventValue { .scalar(.number(.whole(number))) }
    /// True or false.
    public static func boolean(_ boolean: Bool) -> EventValue { .scalar(.boolean(boolean)) }
    /// Nothing.
    public static var null: EventValue { .scalar(.null) }

    /// The text, when this is one.
    public var text: String? { if case .scalar(.text(let text)) = self { text.text } else { nil } }

    /// Whether a scalar stands at the end of a path of keys. Arrays on the way are looked into, whatever their depth;
    /// an empty array and an object hold no scalar of their own.
    ///
    /// - Complexity: O(the size of this value).
    func hasLeaf(at path: ArraySlice<ExactText>) -> Bool {
        switch self {
        case .array(let elements): return elements.contains { $0.hasLeaf(at: path) }
        case .scalar: return path.isEmpty
        case .object:
            guard let key = path.first, let value = self[key] else { return false }
            return value.hasLeaf(at: path.dropFirst())
        }
    }
}
