/// The known revisions of a document, each with the revision that it was made from.
///
/// Conflict resolution needs no communication: merging is a pure function. The same paths make the same tree, and so
/// the same `winner`, in whatever order they come. The tree is modelled after CouchDB's `couch_key_tree`.
public struct RevisionTree: Hashable, Sendable {
    /// A revision in the tree.
    public struct Node: Hashable, Sendable {
        /// The revision's name: its generation and its hash.
        public var revision: Revision
        /// The index of the revision that this one was made from; nil when no ancestor is known.
        public var parent: Int?
        /// Whether the revision deletes the document (a tombstone). It is replicated as any other revision.
        public var isDeleted: Bool
        /// Whether the revision's content was ever received; an ancestor may be known by its name alone.
        public var isKnown: Bool

        public init(revision: Revision, parent: Int?, isDeleted: Bool, isKnown: Bool) {
            self.revision = revision
            self.parent = parent
            self.isDeleted = isDeleted
            self.isKnown = isKnown
        }
    }

    /// All nodes in ascending order of their revisions, so that a parent comes before its children.
    public private(set) var nodes: [Node]

    public init() { nodes = [] }

    /// Creates a tree from stored nodes.
    ///
    /// - Returns: nil when the nodes are not in order, or a parent is not of the generation before.
    public init?(nodes: [Node]) {
        for (index, node) in nodes.enumerated() {
            if index > 0, nodes[index - 1].revision >= node.revision { return nil }
            guard let parent = node.parent else { continue }
            guard nodes.indices.contains(parent), nodes[parent].revision.generation == node.revision.generation - 1
            else { return nil }
        }
        self.nodes = nodes
    }

    /// Creates a tree from nodes that are in order.
    init(ordered nodes: [Node]) { self.nodes = nodes }

    /// Adds a revision and its ancestors.
    ///
    /// - Parameters:
    ///   - path: the revision and its ancestors, newest first.
    ///   - isDeleted: whether the revision deletes the document.
    /// - Returns: false when the tree had the revision's content already; then the call added ancestors at most.
    /// - Precondition: `path` is not empty and its generations go down by one.
    /// - Complexity: O(n + m), n the tree's revisions and m the path's. `Growth` is faster for many merges in a row.
    @discardableResult
    public mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool {
        precondition(!path.isEmpty, "a path has its own revision")
        var isNew = true
        var weave = Weave(capacity: nodes.count + path.count)
        var rest = 0
        var parent: Int?
        // The path in reverse is in ascending order like the tree, so one walk over both is enough.
        for (step, revision) in path.enumerated().reversed() {
            precondition(
                step == 0 || path[step - 1].generation == revision.generation + 1, "generations go down by one")
            while rest < nodes.count, nodes[rest].revision < revision { weave.add(nodes[rest], &rest) }
            var node = Node(revision: revision, parent: nil, isDeleted: false, isKnown: false)
            let isHere = rest < nodes.count && nodes[rest].revision == revision
            if isHere { node = nodes[rest] }
            if step == 0 {
                isNew = !node.isKnown
                if isNew { (node.isDeleted, node.isKnown) = (isDeleted, true) }
            }
            if isHere { weave.add(node, &rest) } else { weave.insert(node) }
            if let parent { weave.makeLastChild(of: parent) }
            parent = weave.nodes.count - 1
        }
        while rest < nodes.count { weave.add(nodes[rest], &rest) }
        nodes = weave.nodes
        return isNew
    }

    /// The nodes of a tree and of a path, merged in ascending order.
    private struct Weave {
        var nodes: [Node] = []
        /// The new index of each node of the tree.
        private var moved: [Int] = []

        init(capacity: Int) { nodes.reserveCapacity(capacity) }

        /// Appends the tree's next node, with the new index of its parent.
        mutating func add(_ node: Node, _ next: inout Int) {
            moved.append(nodes.count)
            nodes.append(node)
            if let parent = node.parent { nodes[nodes.count - 1].parent = moved[parent] }
            next += 1
        }

        /// Appends a node that the tree does not have.
        mutating func insert(_ node: Node) { nodes.append(node) }

        /// Sets the parent of the last node. When two peers disagree about a parent, the lower revision wins, so that
        /// the order of merges does not matter.
        mutating func makeLastChild(of parent: Int) {
            let last = nodes.count - 1
            nodes[last].parent = min(nodes[last].parent ?? parent, parent)
        }
    }

    /// Keeps the last `limit` revisions of the path to each leaf, the leaf included, and removes all others
    /// (`_revs_limit`).
    ///
    /// - Returns: the revisions that it removed.
    /// - Complexity: O(n).
    @discardableResult
    public mutating func stem(to limit: Int) -> [Revision] {
        guard nodes.count > limit else { return [] }
        // By node: how many revisions of the path may stay from this one on, by the leaf that allows most; nil before
        // any leaf.
        var left = [Int?](repeating: nil, count: nodes.count)
        var kept = [Bool](repeating: false, count: nodes.count)
        // Children before their parents.
        for index in nodes.indices.reversed() {
            let here = left[index] ?? limit
            kept[index] = here > 0
            guard let parent = nodes[index].parent else { continue }
            left[parent] = max(left[parent] ?? 0, here - 1)
        }
        return kept.contains(false) ? removeNodes(kept) : []
    }

    /// Removes leaves as if they had never been (`_purge`), and every ancestor that leads to no other leaf.
    ///
    /// - Returns: the leaves that it removed; a revision that is no leaf stays.
    @discardableResult
    public mutating func purge(_ revisions: Set<Revision>) -> [Revision] {
        let leaves = leafIndices
        let purged = leaves.filter { revisions.contains(nodes[$0].revision) }
        guard !purged.isEmpty else { return [] }
        let names = purged.map { nodes[$0].revision }
        var kept = [Bool](repeating: false, count: nodes.count)
        for leaf in leaves where !revisions.contains(nodes[leaf].revision) {
            var next: Int? = leaf
            while let index = next, !kept[index] {
                kept[index] = true
                next = nodes[index].parent
            }
        }
        _ = removeNodes(kept)
        return names
    }

    private mutating func removeNodes(_ kept: [Bool]) -> [Revision] {
        var gone: [Revision] = []
        var remaining: [Node] = []
        var moved = [Int?](repeating: nil, count: nodes.count)
        for (index, node) in nodes.enumerated() {
            guard kept[index] else {
                gone.append(node.revision)
                continue
            }
            moved[index] = remaining.count
            remaining.append(node)
            remaining[remaining.count - 1].parent = node.parent.flatMap { moved[$0] }
        }
        nodes = remaining
        return gone
    }
}

extension RevisionTree {
    /// Whether the tree has no revision.
    public var isEmpty: Bool { nodes.isEmpty }

    /// Returns the node of a revision; nil for a revision that the tree does not have.
    public func node(_ revision: Revision) -> Node? { index(of: revision).map { nodes[$0] } }

    /// Whether the tree has the content of a revision, and not only its name.
    public func knows(_ revision: Revision) -> Bool { node(revision)?.isKnown == true }

    /// The revisions that nothing was made from, the winner first: living ones before deleted ones, each from the
    /// highest down.
    ///
    /// - Complexity: O(n).
    public var leaves: [Node] { Self.ranked(leafIndices.map { nodes[$0] }) }

    /// Returns leaves that are given in ascending order with the winner first.
    static func ranked(_ leaves: [Node]) -> [Node] {
        leaves.reversed().filter { !$0.isDeleted } + leaves.reversed().filter(\.isDeleted)
    }

    /// The leaf that every peer chooses without asking the others; nil for an empty tree.
    ///
    /// - Complexity: O(n), and O(1) when the highest revision is not deleted.
    public var winner: Node? {
        // The highest revision is always a leaf.
        guard let last = nodes.last, last.isDeleted else { return nodes.last }
        return leafIndices.last { !nodes[$0].isDeleted }.map { nodes[$0] } ?? last
    }

    /// The living leaves beside the winner, highest first.
    public var conflicts: [Revision] { leaves.dropFirst().filter { !$0.isDeleted }.map(\.revision) }

    /// The deleted leaves beside the winner, highest first.
    public var deletedConflicts: [Revision] { leaves.dropFirst().filter(\.isDeleted).map(\.revision) }

    /// Whether the tree has a revision and nothing was made from it.
    ///
    /// - Complexity: O(n).
    public func isLeaf(_ revision: Revision) -> Bool {
        guard let index = index(of: revision) else { return false }
        return !nodes.contains { $0.parent == index }
    }

    /// Returns a revision and its ancestors, newest first; nothing for a revision that the tree does not have.
    public func path(of revision: Revision) -> [Revision] {
        var path: [Revision] = []
        var next = index(of: revision)
        while let index = next {
            path.append(nodes[index].revision)
            next = nodes[index].parent
        }
        return path
    }

    /// Returns the revisions whose content the tree does not have (`_revs_diff`).
    public func missing(_ revisions: [Revision]) -> [Revision] {
        revisions.filter { !knows($0) }
    }

    /// Returns the leaves that a missing revision may have been made from: those of a lower generation than the highest
    /// missing one.
    public func possibleAncestors(of missing: [Revision]) -> [Revision] {
        guard let highest = missing.lazy.map(\.generation).max(), let lowest = nodes.first,
            lowest.revision.generation < highest
        else { return [] }
        return leaves.map(\.revision).filter { $0.generation < highest }
    }

    func index(of revision: Revision) -> Int? {
        var low = 0
        var high = nodes.count
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].revision < revision { low = middle + 1 } else { high = middle }
        }
        return low < nodes.count && nodes[low].revision == revision ? low : nil
    }

    /// The indexes of the leaves, ascending.
    var leafIndices: [Int] {
        if nodes.count == 1 { return [0] }
        var isParent = [Bool](repeating: false, count: nodes.count)
        for node in nodes { if let parent = node.parent { isParent[parent] = true } }
        return nodes.indices.filter { !isParent[$0] }
    }
}
