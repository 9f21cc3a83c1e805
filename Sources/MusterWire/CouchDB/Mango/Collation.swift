/// The order of JSON values that views and Mango use: null, false, true, numbers, strings, arrays, objects.
///
/// Numbers are ordered by value. Arrays are ordered by their elements, and a prefix comes first. Objects are ordered by
/// their members in the order in which they are written, keys before values. Strings are ordered by their UTF-8 bytes,
/// that is by code points. CouchDB orders strings by ICU's root collation (where `a` < `B`) instead; that order differs
/// between versions of ICU, so two indexes of one file could disagree.
package enum Collation {
    /// The position of one value relative to another.
    package enum Order: Sendable {
        case before, same, behind
    }

    /// Compares two values.
    package static func compare(_ one: JSONValue, _ other: JSONValue) -> Order {
        switch (one, other) {
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.string(let left), .string(let right)): compare(left, right)
        case (.array(let left), .array(let right)): compare(left, right)
        case (.object(let left), .object(let right)): compare(left, right)
        default:
            if let left = one.number, let right = other.number {
                order(left, right)
            } else {
                order(rank(one), rank(other))
            }
        }
    }

    /// Compares two strings by their UTF-8 bytes.
    package static func compare(_ one: String, _ other: String) -> Order {
        if one.utf8.elementsEqual(other.utf8) { return .same }
        return one.utf8.lexicographicallyPrecedes(other.utf8) ? .before : .behind
    }

    /// The rank of a value's kind in the order of kinds.
    package static func rank(_ value: JSONValue) -> UInt8 {
        switch value {
        case .null: 1
        case .boolean(false): 2
        case .boolean(true): 3
        case .integer, .number: 4
        case .string: 5
        case .array: 6
        case .object: 7
        }
    }

    private static func compare(_ one: [JSONValue], _ other: [JSONValue]) -> Order {
        for (left, right) in zip(one, other) {
            let order = compare(left, right)
            if order != .same { return order }
        }
        return order(one.count, other.count)
    }

    private static func compare(_ one: [JSONValue.Member], _ other: [JSONValue.Member]) -> Order {
        for (left, right) in zip(one, other) {
            let keys = compare(left.key, right.key)
            if keys != .same { return keys }
            let values = compare(left.value, right.value)
            if values != .same { return values }
        }
        return order(one.count, other.count)
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Order {
        one < other ? .before : one > other ? .behind : .same
    }
}
