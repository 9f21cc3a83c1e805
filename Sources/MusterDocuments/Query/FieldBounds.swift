import MusterWire

/// What a selector says for certain of each field: what must be there, and between which values.
struct FieldBounds {
    private var bounds: [FieldPath: Bound] = [:]
    private var required: Set<FieldPath> = []

    /// Between which values a field is.
    struct Bound {
        var lower: JSONValue?
        var upper: JSONValue?

        /// The one value it can have.
        var only: JSONValue? {
            guard let lower, let upper, Collation.compare(lower, upper) == .same else { return nil }
            return lower
        }

        /// The bounds of ids, which are texts: what is no text bounds them on one side or not at all.
        var lowerText: String? { lower?.string }
        var upperText: String? { upper?.string }
    }

    init(_ selector: Selector) { take(selector.test) }

    subscript(field: FieldPath) -> Bound? { bounds[field] }

    /// Whether only documents with the field match.
    func requires(_ field: FieldPath) -> Bool { required.contains(field) }

    /// The part of an index's keys in which all matches are: fields with one value, and one with bounds.
    func range(of fields: [FieldPath]) -> KeyRange {
        var fixed: [JSONValue] = []
        for field in fields {
            guard let bound = bounds[field] else { break }
            if let only = bound.only {
                fixed.append(only)
                continue
            }
            let whole = CollationKey(fixed)
            return KeyRange(
                lower: bound.lower.map { CollationKey(fixed + [$0]) } ?? (fixed.isEmpty ? nil : whole),
                upper: bound.upper.map { CollationKey(fixed + [$0]).end } ?? (fixed.isEmpty ? nil : whole.end))
        }
        return fixed.isEmpty ? KeyRange() : KeyRange(lower: CollationKey(fixed), upper: CollationKey(fixed).end)
    }

    private mutating func take(_ test: Selector.Test) {
        switch test {
        case .all(let tests): for test in tests { take(test) }
        case .field(let path, let test):
            if test == .exists(false) { return }
            required.insert(path)
            if case .compares(let comparison, let value) = test { narrow(path, comparison, value) }
            if case .all(let tests) = test { for test in tests { take(.field(path, test)) } }
        default: break
        }
    }

    /// A bound is kept also where its own value is excluded: documents are looked at once more anyway.
    private mutating func narrow(_ path: FieldPath, _ comparison: Selector.Comparison, _ value: JSONValue) {
        var bound = bounds[path] ?? Bound()
        if [.equal, .atLeast, .greater].contains(comparison) {
            if bound.lower.map({ Collation.compare($0, value) == .before }) ?? true { bound.lower = value }
        }
        if [.equal, .atMost, .less].contains(comparison) {
            if bound.upper.map({ Collation.compare($0, value) == .behind }) ?? true { bound.upper = value }
        }
        if bound.lower != nil || bound.upper != nil { bounds[path] = bound }
    }
}
