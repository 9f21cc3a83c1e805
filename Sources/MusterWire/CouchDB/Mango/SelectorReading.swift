/// Parses a selector: it makes implicit operators explicit, joins nested fields to whole paths, and moves negations
/// inwards. CouchDB does the same, and it decides how absent fields match. Within `$elemMatch`, `$allMatch` and
/// `$keyMapMatch` CouchDB leaves negations where they are.
struct SelectorReading {
    private var count = 0
    /// The number of element selectors around the current one.
    private var depth = 0

    /// Parses a selector or condition for the value at a path.
    mutating func test(_ value: JSONValue, at path: FieldPath) throws(SelectorError) -> Selector.Test {
        count += 1
        guard count <= Selector.testLimit else { throw .tooManyTests(limit: Selector.testLimit) }
        guard let members = value.members, !members.isEmpty else {
            return leaf(.compares(.equal, value), at: path)
        }
        var tests: [Selector.Test] = []
        for member in members { tests.append(try test(member, at: path)) }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    private mutating func test(_ member: JSONValue.Member, at path: FieldPath) throws(SelectorError) -> Selector.Test {
        guard member.key.utf8.first == UInt8(ascii: "$") else {
            return try test(member.value, at: path.appending(FieldPath(member.key)))
        }
        if let comparison = Self.comparisons[member.key] {
            return leaf(.compares(comparison, operand(member.value, at: path)), at: path)
        }
        switch member.key {
        case "$and": return .all(try tests(member, at: path))
        case "$or": return .any(try tests(member, at: path))
        case "$nor": return .all(try tests(member, at: path).map(opposite))
        case "$not":
            guard member.value.kind == .object else { throw bad(member) }
            return opposite(try test(member.value, at: path))
        case "$elemMatch": return leaf(.someElement(try inner(member)), at: path)
        case "$allMatch": return leaf(.everyElement(try inner(member)), at: path)
        case "$keyMapMatch": return leaf(.someKey(try inner(member)), at: path)
        default: return leaf(try plain(member), at: path)
        }
    }

    private static let comparisons: [String: Selector.Comparison] = [
        "$lt": .less, "$lte": .atMost, "$eq": .equal, "$ne": .notEqual, "$gte": .atLeast, "$gt": .greater,
    ]

    private static let kinds: [String: JSONKind] = [
        "null": .null, "boolean": .boolean, "number": .number, "string": .string, "array": .array, "object": .object,
    ]

    /// Parses an operator that contains no selector.
    private mutating func plain(_ member: JSONValue.Member) throws(SelectorError) -> Selector.Test {
        switch member.key {
        case "$exists":
            guard let isThere = member.value.boolean else { throw bad(member) }
            return .exists(isThere)
        case "$type":
            guard let name = member.value.string else { throw bad(member) }
            return .kind(Self.kinds[name])
        case "$in": return .isAmong(try values(member))
        case "$nin": return .not(.isAmong(try values(member)))
        case "$all": return .hasAll(try values(member))
        case "$size":
            guard let count = member.value.integer, count >= 0 else { throw bad(member) }
            return .count(count)
        case "$mod":
            guard let pair = member.value.elements, pair.count == 2, let divisor = pair[0].integer, divisor != 0,
                let remainder = pair[1].integer
            else { throw bad(member) }
            return .remainder(divisor: divisor, remainder: remainder)
        case "$regex":
            guard let text = member.value.string else { throw .invalidOperator(member.key) }
            guard let pattern = PatternExpression(text) else { throw bad(member) }
            return .finds(pattern)
        case "$beginsWith":
            guard let start = member.value.string else { throw .invalidOperator(member.key) }
            return .begins(start)
        case "$where", "$geoWithin", "$geoIntersects", "$near", "$nearSphere": throw .unsupportedOperator(member.key)
        default: throw .invalidOperator(member.key)
        }
    }

    private mutating func tests(
        _ member: JSONValue.Member, at path: FieldPath
    ) throws(SelectorError) -> [Selector.Test] {
        var tests: [Selector.Test] = []
        for value in try values(member) { tests.append(try test(value, at: path)) }
        return tests
    }

    private func opposite(_ test: Selector.Test) -> Selector.Test { depth == 0 ? test.negated : .not(test) }

    /// Parses a selector of elements or keys. Its paths begin at the element.
    private mutating func inner(_ member: JSONValue.Member) throws(SelectorError) -> Selector.Test {
        guard member.value.kind == .object else { throw bad(member) }
        depth += 1
        defer { depth -= 1 }
        return try test(member.value, at: .document)
    }

    private mutating func values(_ member: JSONValue.Member) throws(SelectorError) -> [JSONValue] {
        guard let values = member.value.elements else { throw bad(member) }
        count += values.count
        guard count <= Selector.testLimit else { throw .tooManyTests(limit: Selector.testLimit) }
        return values
    }

    /// The value that a field is compared with. CouchDB compares a document's id in Erlang's order, in which a text is
    /// behind every value of another kind.
    private func operand(_ value: JSONValue, at path: FieldPath) -> JSONValue {
        depth == 0 && path.keys == ["_id"] && value.kind != .string ? .null : value
    }

    private func leaf(_ test: Selector.Test, at path: FieldPath) -> Selector.Test {
        path.keys.isEmpty ? test : .field(path, test)
    }

    private func bad(_ member: JSONValue.Member) -> SelectorError {
        let text = String(decoding: member.value.bytes.prefix(200), as: UTF8.self)
        return .badArgument(operator: member.key, argument: text)
    }
}

extension Selector.Test {
    /// The negation of the test, moved inwards as far as it goes.
    var negated: Selector.Test {
        switch self {
        case .all(let tests): .any(tests.map(\.negated))
        case .any(let tests): .all(tests.map(\.negated))
        case .not(let test): test
        case .field(let path, let test): .field(path, test.negated)
        case .compares(let comparison, let value): .compares(comparison.opposite, value)
        case .exists(let isThere): .exists(!isThere)
        default: .not(self)
        }
    }
}
