import MusterWire

extension IndexDefinition {
    /// Makes sure that what leaves documents out of the index looks for no pattern (`$regex`): the writer asks it of
    /// every document that anybody writes, and one pattern may take milliseconds. CouchDB takes such an index.
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
    /// Whether a pattern is looked for in it. At most 1,000 tests deep, as a selector has no more.
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
