/// What an operation costs before anything is read: how deep its fields nest, and how many it selects.
struct GraphQLCost {
    /// How deep fields nest, with fragments expanded.
    var depth = 0
    /// How many fields are selected, with fragments expanded wherever they are spread.
    var fields = 0
    /// How deep lists of introspection nest below `__schema` and `__type`, with fragments expanded.
    var introspectionLists = 0
    /// How deep fields nest that are such lists where they stand below `__schema` or `__type`.
    private var lists = 0

    private mutating func add(_ other: GraphQLCost) {
        depth = max(depth, other.depth)
        fields = Self.sum(fields, other.fields)
        introspectionLists = max(introspectionLists, other.introspectionLists)
        lists = max(lists, other.lists)
    }

    /// Adds the field that has this as the cost of its selection set.
    private mutating func addParent(_ name: GraphQLNames.ID, _ listNames: [GraphQLNames.ID]) {
        depth += 1
        fields = Self.sum(fields, 1)
        if listNames.contains(name) { lists += 1 }
        if name == GraphQLKeyword.introspection.rawValue || name == GraphQLKeyword.introspectionType.rawValue {
            introspectionLists = max(introspectionLists, lists)
        }
    }

    /// The lists by which introspection leads from a type to many others.
    private static let listNames = ["fields", "inputFields", "interfaces", "possibleTypes"]

    /// The sum; the largest number when it does not fit.
    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// Returns the cost of a selection set in a valid document.
    ///
    /// - Complexity: O(selections of the document): each fragment is counted once.
    static func of(_ slice: GraphQLDocument.Slice, _ request: GraphQLRequest) -> GraphQLCost {
        var costs = [GraphQLCost?](repeating: nil, count: request.document.fragments.count)
        let listNames = Self.listNames.compactMap { request.document.names.find($0) }
        // A fragment is counted after those that it spreads. A valid document has no circle of fragments.
        var stack = fragments(in: slice, request)
        while let fragment = stack.last {
            if costs[fragment] != nil {
                stack.removeLast()
                continue
            }
            let selections = request.document.fragments[fragment].selections
            let missing = fragments(in: selections, request).filter { costs[$0] == nil && $0 != fragment }
            if missing.isEmpty || stack.count > costs.count * costs.count {
                costs[fragment] = cost(selections, request, costs, listNames)
                stack.removeLast()
            } else {
                stack += missing
            }
        }
        return cost(slice, request, costs, listNames)
    }

    private static func fragments(in slice: GraphQLDocument.Slice, _ request: GraphQLRequest) -> [Int] {
        if request.document.fragments.isEmpty { return [] }
        var seen: Set<Int> = []
        return slice.range.compactMap { index in
            let selection = request.document.selections[index]
            guard selection.kind == .spread, let fragment = request.fragment(selection.name) else { return nil }
            return seen.insert(fragment).inserted ? fragment : nil
        }
    }

    private static func cost(
        _ slice: GraphQLDocument.Slice, _ request: GraphQLRequest, _ fragments: [GraphQLCost?],
        _ listNames: [GraphQLNames.ID]
    ) -> GraphQLCost {
        var total = GraphQLCost()
        var index = slice.first
        while index < slice.end {
            let selection = request.document.selections[Int(index)]
            let children = GraphQLDocument.Slice(first: index + 1, end: selection.end)
            switch selection.kind {
            case .field:
                var field = cost(children, request, fragments, listNames)
                field.addParent(selection.name, listNames)
                total.add(field)
            case .inline: total.add(cost(children, request, fragments, listNames))
            case .spread:
                if let fragment = request.fragment(selection.name), let cost = fragments[fragment] { total.add(cost) }
            }
            index = selection.end
        }
        return total
    }

    /// Checks the cost against limits.
    func check(_ limits: GraphQLLimits, at location: GraphQLLocation) throws(GraphQLErrors) {
        if depth > limits.depth {
            throw GraphQLErrors([
                GraphQLError(.limit, "The operation nests fields deeper than \(limits.depth) levels.", at: [location])
            ])
        }
        if fields > limits.fields {
            throw GraphQLErrors([
                GraphQLError(.limit, "The operation selects more than \(limits.fields) fields.", at: [location])
            ])
        }
        if introspectionLists > limits.introspectionLists {
            throw GraphQLErrors([
                GraphQLError(
                    .limit,
                    "The operation nests lists of introspection deeper than \(limits.introspectionLists) levels.",
                    at: [location])
            ])
        }
    }
}
