package import MusterWire

/// The plan of a query: the index that it uses, and the part of the index that it reads.
package struct QueryPlan: Hashable, Sendable {
    /// The index; nil for the documents in the order of their ids.
    package var index: StoredIndex?
    /// The range of the index's keys to read.
    package var range = KeyRange()
    /// The range of ids to read if there is no index.
    package var ids = DocumentRange(limit: 0)
    /// Whether the index or the ids are read backwards.
    package var isDescending = false
    /// Whether the documents are sorted in memory afterwards. Only databases without indexes need it.
    package var sortsAfterwards = false
    /// Whether the index's entries have all fields that the query needs. The query then reads a document only if its
    /// entry does not contain the values.
    package var isCovering = false
    /// A message to the client that no index is used, or why the index that it named is not used; nil otherwise.
    package var warning: String?

    /// Chooses the best plan.
    ///
    /// - Parameters:
    ///   - indexes: the indexes of the database.
    ///   - sortsWithoutIndex: whether a sort that no index provides is done in memory and not refused.
    /// - Throws: `MangoError` if no index provides the sort (`.noSortIndex`), or if the query forbids a fallback and no
    ///   index is usable (`.invalidIndex`).
    package init(
        _ request: FindRequest, indexes: [StoredIndex], sortsWithoutIndex: Bool = false
    ) throws(MangoError) {
        let bounds = FieldBounds(request.selector)
        let id = FieldPath(keys: ["_id"])
        let usable = indexes.filter {
            $0.isReady && Self.hasScope($0, of: request) && Self.isUsable($0, for: request, bounds)
        }
        let named = usable.filter { Self.isNamed($0, request.index) }
        let free = usable.filter { $0.definition.partialSelector == nil }
        if !request.allowsFallback, named.isEmpty, !request.index.isEmpty || free.isEmpty {
            throw .invalidIndex(request.index)
        }
        if let best = (named.isEmpty ? free : named).max(by: { Self.isWorse($0, than: $1, bounds) }) {
            index = best
            isCovering = SelectorFields.cover(request, in: best)
            range = bounds.range(of: best.definition.fields, in: request.partition)
            isDescending = request.sort?.isDescending ?? false
        } else {
            isDescending = request.sort?.isDescending ?? false
            if let sort = request.sort, sort.fields != [id] {
                guard sortsWithoutIndex else { throw .noSortIndex }
                sortsAfterwards = true
            }
            let bound = bounds[id]
            ids = DocumentRange(
                lower: bound?.lowerText, upper: bound?.upperText, isDescending: isDescending && !sortsAfterwards,
                withBodies: true, limit: 0)
            if let partition = request.partition { ids.narrow(to: partition) }
            if bound == nil { warning = "No matching index found, create an index to optimize query time." }
        }
        if !request.index.isEmpty, named.isEmpty {
            // These are CouchDB's words, also for an index that does not exist.
            let name = "_design/" + request.index.joined(separator: ", ")
            let because =
                request.index.count == 1
                ? "it does not contain a valid index for this query" : "it is not a valid index for this query"
            warning = "\(name) was not used because \(because)." + (warning.map { "\n\($0)" } ?? "")
        }
    }

    /// Whether an index has the scope of a query: partitions for a query of a partition, the whole database otherwise.
    static func hasScope(_ index: StoredIndex, of request: FindRequest) -> Bool {
        index.definition.isPartitioned == (request.partition != nil)
    }

    /// Whether an index has every document that the selector may match, in the order that the query asks for.
    static func isUsable(_ index: StoredIndex, for request: FindRequest, _ bounds: FieldBounds) -> Bool {
        hasFields(index, for: request, bounds) && hasOrder(index, of: request.sort, bounds)
    }

    /// Whether an index has every document that the selector may match. An index of `_id` and `_rev` alone is not used:
    /// every document has them, so it is no better than the documents by id.
    static func hasFields(_ index: StoredIndex, for request: FindRequest, _ bounds: FieldBounds) -> Bool {
        // A selector that matches nothing can use any index.
        if request.selector.matchesNothing { return true }
        let sorted = Set(request.sort?.fields ?? [])
        let isAsked = { (field: FieldPath) in sorted.contains(field) || bounds.requires(field) }
        let fields = index.definition.fields
        return fields.contains(where: isAsked)
            && fields.allSatisfy { isAsked($0) || $0.keys == ["_id"] || $0.keys == ["_rev"] }
    }

    private static func hasOrder(_ index: StoredIndex, of sort: SortOrder?, _ bounds: FieldBounds) -> Bool {
        guard let sort else { return true }
        // Leading fields that can have one value only do not change the order of the fields after them.
        var fields = index.definition.fields[...]
        while let first = fields.first, first != sort.fields.first, bounds[first]?.only != nil { fields.removeFirst() }
        return fields.starts(with: sort.fields)
    }

    static func isNamed(_ index: StoredIndex, _ names: [String]) -> Bool {
        guard let design = names.first, index.definition.design.utf8.elementsEqual(design.utf8) else { return false }
        return names.count < 2 || index.definition.name.utf8.elementsEqual(names[1].utf8)
    }

    /// Whether an index narrows the search less than another: it fixes fewer leading fields to one value; or the next
    /// field has no bounds; or it has more fields. Equal ones are ordered by name.
    static func isWorse(_ one: StoredIndex, than other: StoredIndex, _ bounds: FieldBounds) -> Bool {
        func rank(_ index: StoredIndex) -> (Int, Int, Int, String, String) {
            let fields = index.definition.fields
            let fixed = fields.prefix { bounds[$0]?.only != nil }.count
            let isBounded = fixed < fields.count && bounds[fields[fixed]] != nil
            return (fixed, isBounded ? 1 : 0, -fields.count, other.definition.design, other.definition.name)
        }
        let (left, right) = (rank(one), rank(other))
        if (left.0, left.1, left.2) != (right.0, right.1, right.2) {
            return (left.0, left.1, left.2) < (right.0, right.1, right.2)
        }
        return (one.definition.design, one.definition.name) > (other.definition.design, other.definition.name)
    }
}
