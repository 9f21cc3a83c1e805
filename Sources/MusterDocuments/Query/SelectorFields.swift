import MusterWire

/// The fields that a selector reads, as paths.
struct SelectorFields {
    /// All of them.
    private(set) var all: Set<String> = []
    /// Those whose conditions can narrow the part of an index that is read, as CouchDB sees it.
    private(set) var indexable: Set<String> = []
    /// Whether a condition is about the document as a whole, not about a field.
    private(set) var hasDocument = false

    /// Collects the fields of a selector.
    init(_ selector: Selector) { take(selector.test, isNarrowing: true) }

    /// Whether the entries of an index hold every field that a query reads and returns. No field of the index may be
    /// inside another one, for the document is built of them again.
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

    /// - Parameter isNarrowing: whether what the test says holds of every match.
    private mutating func take(_ test: Selector.Test, isNarrowing: Bool) {
        switch test {
        case .all(let tests): for test in tests { take(test, isNarrowing: isNarrowing) }
        case .any(let tests): for test in tests { take(test, isNarrowing: false) }
        case .not(let test): take(test, isNarrowing: false)
        case .field(let path, let test): take(test, of: path, isNarrowing: isNarrowing)
        default: hasDocument = true
        }
    }

    private mutating func take(_ test: Selector.Test, of path: FieldPath, isNarrowing: Bool) {
        all.insert(path.text)
        switch test {
        case .all(let tests): for test in tests { take(test, of: path, isNarrowing: isNarrowing) }
        case .compares(let comparison, _) where isNarrowing && comparison != .notEqual: indexable.insert(path.text)
        case .exists where isNarrowing, .begins where isNarrowing: indexable.insert(path.text)
        default: break
        }
    }
}
