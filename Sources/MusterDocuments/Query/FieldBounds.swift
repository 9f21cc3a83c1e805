import MusterWire

/// The conditions that every match of a selector fulfils: its required fields, and the bounds of their values.
struct FieldBounds {
    private var bounds: [FieldPath: Bound] = [:]
    private var required: Set<FieldPath> = []

    /// The bounds of a field's values, both inclusive.
    struct Bound {
        var lower: JSONValue?
        var upper: JSONValue?
        /// The prefix that gave the upper bound; nil if another condition did.
        var prefix: String?

        /// The only value that the field can have; nil if several are possible.
        var only: JSONValue? {
            guard let lower, let upper, Collation.compare(lower, upper) == .same else { return nil }
            return lower
        }

        /// The bounds as texts, for ids. Nil for a bound that is not a text.
        var lowerText: String? { lower?.string }
        var upperText: String? { upper?.string }
    }

    init(_ selector: Selector) { addConditions(of: selector.test) }

    private init() {}

    subscript(field: FieldPath) -> Bound? { bounds[field] }

    /// Whether only documents that have the field can match.
    func requires(_ field: FieldPath) -> Bool { required.contains(field) }

    /// Returns the range of an index's keys that has all matches. It fixes the leading fields that can have one value
    /// only, and bounds the next one.
    ///
    /// - Parameter partition: the partition, with which the keys of a partitioned index begin.
    func range(of fields: [FieldPath], in partition: String? = nil) -> KeyRange {
        var fixed: [JSONValue] = partition.map { [.string($0)] } ?? []
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

    private mutating func addConditions(of test: Selector.Test) {
        switch test {
        case .all(let tests): for test in tests { addConditions(of: test) }
        case .any(let tests):
            // A field that every branch requires is required.
            let branches = tests.map { test in
                var branch = FieldBounds()
                branch.addConditions(of: test)
                return branch.required
            }
            guard let first = branches.first else { return }
            required.formUnion(branches.dropFirst().reduce(first) { $0.intersection($1) })
        case .field(let path, let test):
            if test == .exists(false) { return }
            required.insert(path)
            if case .compares(let comparison, let value) = test { narrow(path, comparison, value) }
            if case .begins(let start) = test { narrow(path, begins: start) }
            if case .all(let tests) = test { for test in tests { addConditions(of: .field(path, test)) } }
        default: break
        }
    }

    /// Bounds a field to the texts that begin with `start`: from `start` to the least text after all of them.
    private mutating func narrow(_ path: FieldPath, begins start: String) {
        narrow(path, .atLeast, .string(start))
        guard let end = Self.end(ofTextsWith: start) else { return }
        narrow(path, .less, .string(end))
        if bounds[path]?.upper?.string == end { bounds[path]?.prefix = start }
    }

    /// Returns the least text, by code points, after all texts that begin with `start`; nil if there is none.
    private static func end(ofTextsWith start: String) -> String? {
        var scalars = Array(start.unicodeScalars)
        while let last = scalars.popLast() {
            guard last.value < 0x10_FFFF else { continue }
            // Skips the surrogates, which are no Unicode scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { return nil }
            return String(String.UnicodeScalarView(scalars + [scalar]))
        }
        return nil
    }

    /// Narrows the bounds by a comparison. An excluded value still becomes the bound, because the query tests each
    /// document against the whole selector afterwards.
    private mutating func narrow(_ path: FieldPath, _ comparison: Selector.Comparison, _ value: JSONValue) {
        var bound = bounds[path] ?? Bound()
        if [.equal, .atLeast, .greater].contains(comparison) {
            if bound.lower.map({ Collation.compare($0, value) == .before }) ?? true { bound.lower = value }
        }
        if [.equal, .atMost, .less].contains(comparison) {
            if bound.upper.map({ Collation.compare($0, value) == .behind }) ?? true {
                bound.upper = value
                bound.prefix = nil
            }
        }
        if bound.lower != nil || bound.upper != nil { bounds[path] = bound }
    }
}
