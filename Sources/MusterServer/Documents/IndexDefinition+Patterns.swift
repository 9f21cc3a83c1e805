import MusterWire

/// Refuses regular expressions in index definitions.
extension IndexDefinition {
    /// Checks that the index's partial selector contains no pattern (`$regex`). The writer applies the selector to
    /// every document that is written, and one pattern may take milliseconds. CouchDB accepts such an index.
    ///
    /// - Throws: `MangoError`.
    package func requireNoPattern() throws {
        guard let partialSelector, try Selector(parsing: partialSelector).test.holdsPattern else { return }
        throw MangoError(
            "invalid_selector",
            "partial_filter_selector takes no $regex here: each write of a document would have to look for it. "
                + "Use $beginsWith, or ask for the pattern in _find.")
    }
}

extension Selector.Test {
    /// Whether the test contains a pattern. A selector nests at most 1,000 tests, which bounds the recursion.
    fileprivate var holdsPattern: Bool {
        switch self {
        case .finds: true
        case .all(let tests), .any(let tests): tests.contains(where: \.holdsPattern)
        case .not(let test), .field(_, let test), .someElement(let test), .everyElement(let test), .someKey(let test):
            test.holdsPattern
        case .compares, .exists, .kind, .isAmong, .hasAll, .count, .remainder, .begins: false
        }
    }
}
