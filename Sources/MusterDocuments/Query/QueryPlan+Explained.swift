package import MusterWire

/// Explains a plan for `_explain`, in CouchDB's words (`mango_cursor:explain/1`).
package struct QueryExplanation: Hashable, Sendable {
    /// The first key of the index that the query reads, in the order of reading.
    package var startKey = JSONValue.null
    /// The last key; `"<MAX>"` stands for the end of all values.
    package var endKey = JSONValue.null
    /// The indexes that the planner did not choose.
    package var candidates: [Candidate]
    /// The fields of the selector that an index can narrow, sorted.
    package var indexableFields: [String] = []
    /// The other fields of the selector, sorted.
    package var unindexableFields: [String] = []

    /// An index that the planner did not choose.
    package struct Candidate: Hashable, Sendable {
        /// The index; nil for the documents by id.
        package var index: StoredIndex?
        /// Whether the query could use it.
        package var isUsable: Bool
        /// Why the planner did not choose it, in CouchDB's word.
        package var reason: String
        /// Its rank among the candidates: 1 is the closest to the chosen index.
        package var ranking: Int
        /// Whether its entries have all fields that the query needs; nil for the documents by id.
        package var isCovering: Bool?
    }

    /// Explains a plan.
    ///
    /// - Parameters:
    ///   - plan: the plan; nil if no index provides the sort.
    ///   - indexes: the indexes of the database.
    package init(_ plan: QueryPlan?, for request: FindRequest, indexes: [StoredIndex]) {
        let bounds = FieldBounds(request.selector)
        candidates = Self.candidates(plan, request, indexes.filter(\.isReady), bounds)
        let fields = SelectorFields(request.selector)
        indexableFields = fields.indexable.sorted()
        unindexableFields = fields.all.subtracting(fields.indexable).sorted()
        guard let plan, !request.selector.findsNothing else { return }
        let (first, last) = Self.keys(of: plan, bounds)
        (startKey, endKey) = plan.isDescending ? (last, first) : (first, last)
    }

    private static let greatest = JSONValue.string("<MAX>")

    /// Returns the least and the greatest key of the range.
    private static func keys(of plan: QueryPlan, _ bounds: FieldBounds) -> (JSONValue, JSONValue) {
        guard let index = plan.index else {
            let bound = bounds[FieldPath(keys: ["_id"])]
            return (bound?.lower ?? .null, bound?.explainedUpper ?? greatest)
        }
        var (first, last): ([JSONValue], [JSONValue]) = ([], [])
        for field in index.definition.fields {
            guard let bound = bounds[field] else { break }
            if let lower = bound.lower { first.append(lower) }
            if let upper = bound.explainedUpper { last.append(upper) }
            if bound.only == nil { break }
        }
        return (.array(first), .array(last + [greatest]))
    }

    // MARK: Candidates

    private static func candidates(
        _ plan: QueryPlan?, _ request: FindRequest, _ indexes: [StoredIndex], _ bounds: FieldBounds
    ) -> [Candidate] {
        let isNamed = { (index: StoredIndex) in QueryPlan.isNamed(index, request.index) }
        let (whole, partial) = (
            indexes.filter { isNamed($0) || $0.definition.partialSelector == nil },
            indexes.filter { !isNamed($0) && $0.definition.partialSelector != nil }
        )
        let usable = whole.filter { QueryPlan.isUsable($0, for: request, bounds) }
        let isByName = plan?.index.map(isNamed) ?? false
        let excluded = isByName ? usable.filter { !isNamed($0) } : []
        let rivals = usable.filter { !excluded.contains($0) }
            .sorted { QueryPlan.isWorse($1, than: $0, bounds) }
        let isByID = plan != nil && plan?.index == nil
        let byIDIsUsable = request.sort.map { $0.fields == [FieldPath(keys: ["_id"])] } ?? true

        // Ranks as CouchDB does: first the usable indexes that lost to the chosen one, then each group that was
        // excluded earlier.
        var rank = max(1, rivals.count)
        var found: [Candidate] = []
        if let winner = plan?.index {
            found += rivals.enumerated().dropFirst().map { number, index in
                Candidate(
                    index: index, isUsable: true, reason: reason(index, lostTo: winner, bounds), ranking: number)
            }
        }
        let byID = { (reason: String, rank: Int) in
            Candidate(index: nil, isUsable: byIDIsUsable, reason: reason, ranking: rank)
        }
        if plan?.index != nil, byIDIsUsable, !isByName {
            found.append(byID("unfavored_type", rank))
            rank += 1
        }
        let byIDIsExcluded = isByName && byIDIsUsable
        if byIDIsExcluded { found.append(byID("excluded_by_user", rank)) }
        found += excluded.map { Candidate(index: $0, isUsable: true, reason: "excluded_by_user", ranking: rank) }
        if byIDIsExcluded || !excluded.isEmpty { rank += 1 }
        let unusable = whole.filter { !usable.contains($0) }
        found += unusable.map { index in
            let reason = QueryPlan.hasFields(index, for: request, bounds) ? "sort_order_mismatch" : "field_mismatch"
            return Candidate(index: index, isUsable: false, reason: reason, ranking: rank)
        }
        if !isByID, !byIDIsUsable {
            let hasID = bounds.requires(FieldPath(keys: ["_id"]))
            found.append(byID(hasID ? "sort_order_mismatch" : "field_mismatch", rank))
        }
        if !unusable.isEmpty || !byIDIsUsable { rank += 1 }
        found += partial.map { Candidate(index: $0, isUsable: false, reason: "is_partial", ranking: rank) }
        for place in found.indices {
            found[place].isCovering = found[place].index.map { SelectorFields.cover(request, in: $0) }
        }
        return found.sorted(by: isOrdered)
    }

    private static func reason(_ index: StoredIndex, lostTo winner: StoredIndex, _ bounds: FieldBounds) -> String {
        let overlap = { (index: StoredIndex) in index.definition.fields.prefix { bounds[$0] != nil }.count }
        if overlap(index) < overlap(winner) { return "less_overlap" }
        return index.definition.fields.count > winner.definition.fields.count
            ? "too_many_fields" : "alphabetically_comes_after"
    }

    /// Orders as CouchDB does: design documents in descending order, the documents by id last.
    private static func isOrdered(_ one: Candidate, before other: Candidate) -> Bool {
        guard let left = one.index?.definition else { return false }
        guard let right = other.index?.definition else { return true }
        return (left.design, left.name) > (right.design, right.name)
    }
}

extension FieldBounds.Bound {
    /// The upper bound as CouchDB shows it: the range of a prefix ends with the prefix and U+FFFF.
    fileprivate var explainedUpper: JSONValue? { prefix.map { .string($0 + "\u{FFFF}") } ?? upper }
}
