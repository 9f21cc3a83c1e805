import MusterWire

/// The fields that a selector tests, as the texts of their paths.
struct SelectorFields {
    private(set) var all: Set<String> = []
    /// The fields whose conditions can narrow the range of an index, by CouchDB's rules.
    private(set) var indexable: Set<String> = []
    /// Whether a condition tests the document as a whole and not a field.
    private(set) var hasDocument = false

    /// Collects the fields of a selector.
    init(_ selector: Selector) { addFields(of: selector.test, isNarrowing: true) }

    /// Whether the entries of an index have every field that a query tests and returns. No field of the index may be
    /// inside another one, because the document is rebuilt from its fields.
    static func cover(_ request: FindRequest, in index: StoredIndex) -> Bool {
        guard request.projection != .whole, !request.wantsConflicts else { return false }
        let read = SelectorFields(request.selector)
        guard !read.hasDocument else { return false }
        let fields = index.definition.fields
        let isNested = fields.contains { outer in
            fields.contains { $0.keys.count > outer.keys.count && $0.keys.starts(with: outer.keys) }
        }
        let available = Set(fields.map(\.text) + ["_id"])
        return !isNested && read.all.union(request.projection.fields.map(\.text)).isSubset(of: available)
    }

    /// Collects the fields of a test.
    ///
    /// - Parameter isNarrowing: whether every match fulfils the test.
    private mutating func addFields(of test: Selector.Test, isNarrowing: Bool) {
        switch test {
        case .all(let tests): for test in tests { addFields(of: test, isNarrowing: isNarrowing) }
        case .any(let tests): for test in tests { addFields(of: test, isNarrowing: false) }
        case .not(let test): addFields(of: test, isNarrowing: false)
        case .field(let path, let test): addFields(of: test, at: path, isNarrowing: isNarrowing)
        default: hasDocument = true
        }
    }

    private mutating func addFields(of test: Selector.Test, at path: FieldPath, isNarrowing: Bool) {
        all.insert(path.text)
        switch test {
        case .all(let tests): for test in tests { addFields(of: test, at: path, isNarrowing: isNarrowing) }
        case .compares(let comparison, _) where isNarrowing && comparison != .notEqual: indexable.insert(path.text)
        case .exists where isNarrowing, .begins where isNarrowing: indexable.insert(path.text)
        default: break
        }
    }
}
