/// The data of a response while it is being found: nodes that know their parents, so that a null can propagate.
struct GraphQLResultTree {
    /// The index of a node.
    typealias NodeID = Int

    private enum Content {
        case null
        case leaf(JSONValue)
        /// Elements, whose nodes follow each other.
        case list(first: NodeID, count: Int)
        /// Fields, from `firstField` to `lastField`.
        case object
    }

    private struct Node {
        var content = Content.null
        /// The node around it; -1 for the root.
        var parent: NodeID
        /// Whether it must not be null.
        var isNonNull: Bool
        /// Whether a null has taken the place of it or of a node around it.
        var isDropped = false
        var step: GraphQLError.PathElement
        /// How many fields an object has, the first and the last of them, and the field after this one; -1 for none.
        /// No object has an array of its own: there may be thousands.
        var fieldCount = 0
        var firstField = -1
        var lastField = -1
        var nextField = -1
    }

    private var nodes: [Node] = [
        Node(content: .object, parent: -1, isNonNull: false, step: .index(0))
    ]
    private(set) var errors: [GraphQLError] = []
    /// How many bytes the names and texts have so far.
    private(set) var bytes = 0
    private var isStopped = false
    /// Whether a null has taken the place of any node.
    private var hasDropped = false
    private let errorLimit: Int

    init(errorLimit: Int) { self.errorLimit = errorLimit }

    /// The node of the whole data.
    static let root: NodeID = 0

    var count: Int { nodes.count }

    /// Adds a field to an object.
    mutating func addField(_ name: String, to parent: NodeID, isNonNull: Bool) -> NodeID {
        let node = nodes.count
        bytes += name.utf8.count
        nodes.append(Node(parent: parent, isNonNull: isNonNull, step: .name(name)))
        guard case .object = nodes[parent].content else { return node }
        let last = nodes[parent].lastField
        if last < 0 { nodes[parent].firstField = node } else { nodes[last].nextField = node }
        nodes[parent].lastField = node
        nodes[parent].fieldCount += 1
        return node
    }

    /// Makes a node a list, and returns the nodes of its elements.
    mutating func makeList(_ node: NodeID, count: Int, isNonNull: Bool) -> Range<NodeID> {
        let first = nodes.count
        for index in 0..<count { nodes.append(Node(parent: node, isNonNull: isNonNull, step: .index(index))) }
        nodes[node].content = .list(first: first, count: count)
        return first..<(first + count)
    }

    /// Makes a node an object without fields.
    mutating func makeObject(_ node: NodeID) { nodes[node].content = .object }

    mutating func setLeaf(_ node: NodeID, _ value: JSONValue) {
        bytes += value.string?.utf8.count ?? 8
        nodes[node].content = .leaf(value)
    }

    /// Whether a node still appears in the response.
    ///
    /// - Complexity: O(depth); O(1) while no error has dropped a node.
    func isKept(_ node: NodeID) -> Bool {
        guard hasDropped else { return true }
        var node = node
        while node >= 0 {
            if nodes[node].isDropped { return false }
            node = nodes[node].parent
        }
        return true
    }

    /// Makes a node null because of an error, and with it the nodes around it that would otherwise hold a forbidden
    /// null (GraphQL October 2021, section 6.4.4). Notes the error, unless the node is already out of the response.
    mutating func fail(_ node: NodeID, with error: GraphQLError) {
        guard isKept(node) else { return }
        if errors.count < errorLimit {
            var error = error
            error.path = path(of: node)
            errors.append(error)
        } else if errors.count == errorLimit {
            errors.append(
                GraphQLError(.limit, "Only the first \(errorLimit) errors are listed.", code: "LimitExceeded"))
        }
        var node = node
        while nodes[node].isNonNull, nodes[node].parent >= 0 { node = nodes[node].parent }
        drop(node)
    }

    private mutating func drop(_ node: NodeID) {
        nodes[node].content = .null
        nodes[node].isDropped = true
        hasDropped = true
    }

    /// Gives up: the data is null, for one more error.
    mutating func stop(with error: GraphQLError) {
        if isStopped { return }
        isStopped = true
        errors.append(error)
        drop(Self.root)
    }

    private func path(of node: NodeID) -> [GraphQLError.PathElement] {
        var path: [GraphQLError.PathElement] = []
        var node = node
        while nodes[node].parent >= 0 {
            path.append(nodes[node].step)
            node = nodes[node].parent
        }
        return path.reversed()
    }

    /// The data as far as it has been found.
    var data: JSONValue { value(of: Self.root) }

    private func value(of node: NodeID) -> JSONValue {
        switch nodes[node].content {
        case .null: .null
        case .leaf(let value): value
        case .list(let first, let count): .array((first..<(first + count)).map { value(of: $0) })
        case .object: .object(members(of: node))
        }
    }

    private func members(of node: NodeID) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(nodes[node].fieldCount)
        var field = nodes[node].firstField
        while field >= 0 {
            if case .name(let name) = nodes[field].step { members.append(.init(name, value(of: field))) }
            field = nodes[field].nextField
        }
        return members
    }
}
