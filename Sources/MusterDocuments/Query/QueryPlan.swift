package import MusterWire

/// How a query is to be answered: through which index, and which part of it.
package struct QueryPlan: Hashable, Sendable {
    /// The index; nil for all documents by id.
    package var index: StoredIndex?
    /// Which part of the index.
    package var range = KeyRange()
    /// Which ids, where there is no index.
    package var ids = DocumentRange(limit: 0)
    /// Whether it is read backwards.
    package var isDescending = false
    /// Whether what was found must be sorted afterwards: only where there are no indexes.
    package var sortsAfterwards = false
    /// Whether the index's entries hold all that the query needs, so that documents are read only where an entry does
    /// not tell its values.
    package var isCovering = false
    /// Why not the index that was asked for, or that none is.
    package var warning: String?

    /// The best plan.
    ///
    /// - Parameters:
    ///   - indexes: those that the database has.
    ///   - sortsWithoutIndex: whether a sort that no index has is done in memory and not refused.
    /// - Throws: `MangoError` when no index has the sort (`.noSortIndex`), or the one to use is not to be replaced.
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
            // CouchDB's words, also where there is no such index.
            let name = "_design/" + request.index.joined(separator: ", ")
            let because =
                request.index.count == 1
                ? "it does not contain a valid index for this query" : "it is not a valid index for this query"
            warning = "\(name) was not used because \(because)." + (warning.map { "\n\($0)" } ?? "")
        }
    }

    /// Whether an index is one of partitions where a partition is asked for, and else one of all documents.
    static func hasScope(_ index: StoredIndex, of request: FindRequest) -> Bool {
        index.definition.isPartitioned == (request.partition != nil)
    }

    /// Whether an index has every document that the selector may match, in the order that is asked for.
    static func isUsable(_ index: StoredIndex, for request: FindRequest, _ bounds: FieldBounds) -> Bool {
        hasFields(index, for: request, bounds) && hasOrder(index, of: request.sort, bounds)
    }

    /// Whether an index has every document that the selector may match. Each document has an id and a revision; an
    /// index of nothing else is of no more use than the documents by id.
    static func hasFields(_ index: StoredIndex, for request: FindRequest, _ bounds: FieldBounds) -> Bool {
        // What matches nothing has every document that it may match in any index.
        if request.selector.matchesNothing { return true }
        let sorted = Set(request.sort?.fields ?? [])
        let isAsked = { (field: FieldPath) in sorted.contains(field) || bounds.requires(field) }
        let fields = index.definition.fields
        return fields.contains(where: isAsked)
            && fields.allSatisfy { isAsked($0) || $0.keys == ["_id"] || $0.keys == ["_rev"] }
    }

    private static func hasOrder(_ index: StoredIndex, of sort: SortOrder?, _ bounds: FieldBounds) -> Bool {
        guard let sort else { return true }
        // Fields that can have one value only do not disturb the order of those behind.
        var fields = index.definition.fields[...]
        while let first = fields.first, first != sort.fields.first, bounds[first]?.only != nil { fields.removeFirst() }
        return fields.starts(with: sort.fields)
    }

    static func isNamed(_ index: StoredIndex, _ names: [String]) -> Bool {
        guard let design = names.first, index.definition.design.utf8.elementsEqual(design.utf8) else { return false }
        return names.count < 2 || index.definition.name.utf8.elementsEqual(names[1].utf8)
    }

    /// Fewer documents are left by more fields that have one value, then by one that has bounds, then by fewer fields.
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
