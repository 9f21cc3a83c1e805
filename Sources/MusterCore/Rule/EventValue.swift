/// A JSON value of an event, which patterns are matched with.
public enum EventValue: Hashable, Sendable {
    /// The members in their order; no key occurs twice.
    case object([Member])
    /// The elements in their order.
    case array([EventValue])
    /// A value that holds no other.
    case scalar(EventScalar)

    /// A member of an object: a key and its value.
    public struct Member: Hashable, Sendable {
        /// The key, compared byte by byte.
        public var key: ExactText
        /// The value, of any kind.
        public var value: EventValue

        /// Creates a member; its key must be unlike the others of its object.
        public init(_ key: String, _ value: EventValue) {
            self.key = ExactText(key)
            self.value = value
        }
    }

    /// The value of a key; nil when this is no object or does not have the key.
    ///
    /// - Complexity: O(members).
    public subscript(key: ExactText) -> EventValue? {
        guard case .object(let members) = self else { return nil }
        for index in members.indices where members[index].key == key { return members[index].value }
        return nil
    }
}

/// A value that holds no other: a text, a number, a boolean or null.
public enum EventScalar: Hashable, Sendable {
    case text(ExactText)
    case number(EventNumber)
    case boolean(Bool)
    case null
}

extension EventValue {
    /// A JSON string.
    public static func string(_ text: String) -> EventValue { .scalar(.text(ExactText(text))) }
    /// Creates a number, which must be finite.
    public static func number(_ number: Double) -> EventValue { .scalar(.number(EventNumber(number))) }
    /// A JSON number without a fraction.
    public static func integer(_ number: Int64) -> EventValue { .scalar(.number(.whole(number))) }
    /// JSON's `true` or `false`.
    public static func boolean(_ boolean: Bool) -> EventValue { .scalar(.boolean(boolean)) }
    /// JSON's `null`. It differs from a member that is absent.
    public static var null: EventValue { .scalar(.null) }

    /// The text; nil when this is no text.
    public var text: String? { if case .scalar(.text(let text)) = self { text.text } else { nil } }

    /// Whether there is a scalar at the end of a path of keys. The search looks into arrays on the way, whatever their
    /// depth. An empty array and an object are no scalars.
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
