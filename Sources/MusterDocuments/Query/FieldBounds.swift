import MusterWire

/// What a selector says for certain of each field: what must be there, and between which values.
struct FieldBounds {
    private var bounds: [FieldPath: Bound] = [:]
    private var required: Set<FieldPath> = []

    /// Between which values a field is.
    struct Bound {
        var lower: JSONValue?
        var upper: JSONValue?
        /// What the text begins with, where that gave the upper bound.
        var prefix: String?

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

    private init() {}

    subscript(field: FieldPath) -> Bound? { bounds[field] }

    /// Whether only documents with the field match.
    func requires(_ field: FieldPath) -> Bool { required.contains(field) }

    /// The part of an index's keys in which all matches are: fields with one value, and one with bounds.
    ///
    /// - Parameter partition: the partition that the keys of a partitioned index begin with.
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

    private mutating func take(_ test: Selector.Test) {
        switch test {
        case .all(let tests): for test in tests { take(test) }
        case .any(let tests):
            // What every branch requires is required.
            let branches = tests.map { test in
                var branch = FieldBounds()
                branch.take(test)
                return branch.required
            }
            guard let first = branches.first else { return }
            required.formUnion(branches.dropFirst().reduce(first) { $0.intersection($1) })
        case .field(let path, let test):
            if test == .exists(false) { return }
            required.insert(path)
            if case .compares(let comparison, let value) = test { narrow(path, comparison, value) }
            if case .begins(let start) = test { narrow(path, begins: start) }
            if case .all(let tests) = test { for test in tests { take(.field(path, test)) } }
        default: break
        }
    }

    /// Texts that begin with one are between it and the least text that is behind all of them.
    private mutating func narrow(_ path: FieldPath, begins start: String) {
        narrow(path, .atLeast, .string(start))
        guard let end = Self.end(ofTextsWith: start) else { return }
        narrow(path, .less, .string(end))
        if bounds[path]?.upper?.string == end { bounds[path]?.prefix = start }
    }

    /// The least text, by code points, that is behind all that begin with `start`; nil where none is.
    private static func end(ofTextsWith start: String) -> String? {
        var scalars = Array(start.unicodeScalars)
        while let last = scalars.popLast() {
            guard last.value < 0x10_FFFF else { continue }
            // Surrogates are no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { return nil }
            return String(String.UnicodeScalarView(scalars + [scalar]))
        }
        return nil
    }

    /// A bound is kept also where its own value is excluded: documents are looked at once more anyway.
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
