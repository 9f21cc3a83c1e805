/// Whether a document's value matches a Mango selector.
extension Selector.Test {
    /// Whether a value fulfils this test.
    ///
    /// - Parameter limit: counts each test as a step. Once no steps are left, the result is false and has no meaning.
    package func isFulfilled(by value: JSONValue, within limit: (any WorkBound)? = nil) -> Bool {
        if let limit, !limit.spendSteps(1) { return false }
        return switch self {
        case .all(let tests): tests.allSatisfy { $0.isFulfilled(by: value, within: limit) }
        case .any(let tests): tests.isEmpty || tests.contains { $0.isFulfilled(by: value, within: limit) }
        case .not(let test): !test.isFulfilled(by: value, within: limit)
        case .field(let path, let test):
            switch path.lookUp(in: value) {
            case .found(let inner): test.isFulfilled(by: inner, within: limit)
            case .absent: test == .exists(false)
            case .nowhere: false
            }
        case .compares(let comparison, let other): comparison.admits(Collation.compare(value, other))
        case .exists(let isThere): isThere
        case .kind(let kind): value.kind == kind
        case .isAmong(let values):
            (value.elements ?? [value]).contains { element in values.contains { $0.isSame(element) } }
        case .hasAll(let values): Self.hasAll(values, value)
        case .count(let count): value.elements.map { Int64($0.count) == count } ?? false
        case .remainder(let divisor, let remainder):
            value.remainder(dividingBy: divisor) == remainder
        case .finds(let pattern):
            (limit?.spendSteps(BoundedWork.stepsOfPattern) ?? true)
                && value.string.map(pattern.isFound(in:)) ?? false
        case .begins(let start): value.string.map { $0.utf8.starts(with: start.utf8) } ?? false
        case .someElement(let test): (value.elements ?? []).contains { test.isFulfilled(by: $0, within: limit) }
        case .everyElement(let test):
            value.elements.map { !$0.isEmpty && $0.allSatisfy { test.isFulfilled(by: $0, within: limit) } } ?? false
        case .someKey(let test): (value.members ?? []).contains { test.isFulfilled(by: .string($0.key), within: limit) }
        }
    }

    /// Whether a value has all of some values. CouchDB also lets `{"$all": [[1, 2]]}` match the array `[1, 2]` itself.
    private static func hasAll(_ values: [JSONValue], _ value: JSONValue) -> Bool {
        guard let elements = value.elements, !values.isEmpty else { return false }
        if values.count == 1, values[0].isSame(value) { return true }
        return values.allSatisfy { wanted in elements.contains { $0.isSame(wanted) } }
    }
}

extension Selector.Comparison {
    /// Whether a value that stands in this order to another fulfils the comparison.
    func admits(_ order: Collation.Order) -> Bool {
        switch self {
        case .less: order == .before
        case .atMost: order != .behind
        case .equal: order == .same
        case .notEqual: order != .same
        case .atLeast: order != .before
        case .greater: order == .behind
        }
    }

    /// The comparison that is fulfilled exactly where this one is not.
    var opposite: Self {
        switch self {
        case .less: .atLeast
        case .atMost: .greater
        case .equal: .notEqual
        case .notEqual: .equal
        case .atLeast: .less
        case .greater: .atMost
        }
    }
}

extension JSONValue {
    /// The remainder of a whole number; nil for any other value.
    fileprivate func remainder(dividingBy divisor: Int64) -> Int64? {
        switch self {
        // The quotient Int64.min / -1 overflows, but its remainder is 0.
        case .integer(let integer): integer.remainderReportingOverflow(dividingBy: divisor).partialValue
        // A whole number beyond Int64 is a double. The remainder of such a double is exact if the divisor is.
        case .number(let number):
            Double(exactly: divisor).flatMap { Int64(exactly: number.truncatingRemainder(dividingBy: $0)) }
        default: nil
        }
    }

    fileprivate func isSame(_ other: JSONValue) -> Bool { Collation.compare(self, other) == .same }
}
