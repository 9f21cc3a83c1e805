/// Every revision of a document that is still known, each with the one it was made from.
///
/// Merging is a pure function: whatever the order in which paths come, one tree results, and with it one winner. After
/// CouchDB's `couch_key_tree`.
public struct RevisionTree: Hashable, Sendable {
    /// A revision in the tree.
    public struct Node: Hashable, Sendable {
        /// Which it is.
        public var revision: Revision
        /// The index of the revision it was made from; nil for one whose ancestors are not known.
        public var parent: Int?
        /// Whether it says that the document is no more.
        public var isDeleted: Bool
        /// Whether what it says was ever told to us; an ancestor may be known by name alone.
        public var isKnown: Bool

        /// A node.
        public init(revision: Revision, parent: Int?, isDeleted: Bool, isKnown: Bool) {
            self.revision = revision
            self.parent = parent
            self.isDeleted = isDeleted
            self.isKnown = isKnown
        }
    }

    /// All nodes in ascending order of their revisions, so a parent stands before its children.
    public private(set) var nodes: [Node]

    /// A tree without revisions.
    public init() { nodes = [] }

    /// A tree of nodes that were stored.
    ///
    /// - Returns: nil when they are not in order, or a parent is not of the generation before.
    public init?(nodes: [Node]) {
        for (index, node) in nodes.enumerated() {
            if index > 0, nodes[index - 1].revision >= node.revision { return nil }
            guard let parent = node.parent else { continue }
            guard nodes.indices.contains(parent), nodes[parent].revision.generation == node.revision.generation - 1
            else { return nil }
        }
        self.nodes = nodes
    }

    /// A tree of nodes that are in order.
    init(ordered nodes: [Node]) { self.nodes = nodes }

    /// Adds a revision and its ancestors.
    ///
    /// - Parameters:
    ///   - path: the revision and what it was made from, newest first, each of the generation before the last's.
    ///   - isDeleted: whether the revision says that the document is no more.
    /// - Returns: false when the revision was known already, with what it says; then at most an ancestor was learnt.
    /// - Precondition: `path` is not empty and its generations go down by one.
    /// - Complexity: O(n + m), n the tree's revisions and m the path's. Of many in a row, `Growth` makes less.
    @discardableResult
    public mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool {
        precondition(!path.isEmpty, "a path has its own revision")
        var isNew = true
        var weave = Weave(capacity: nodes.count + path.count)
        var rest = 0
        var parent: Int?
        // Both are in ascending order once the path is read from its end: one walk over the two.
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

    /// Adds all that another tree of the same document has.
    ///
    /// - Complexity: O(n + m).
    public mutating func merge(_ other: RevisionTree) {
        var weave = Weave(capacity: nodes.count + other.nodes.count)
        var theirs: [Int] = []
        theirs.reserveCapacity(other.nodes.count)
        var rest = 0
        for node in other.nodes {
            while rest < nodes.count, nodes[rest].revision < node.revision { weave.add(nodes[rest], &rest) }
            if rest < nodes.count, nodes[rest].revision == node.revision {
                var both = nodes[rest]
                if !both.isKnown { (both.isDeleted, both.isKnown) = (node.isDeleted, node.isKnown) }
                weave.add(both, &rest)
            } else {
                var new = node
                new.parent = nil
                weave.insert(new)
            }
            if let parent = node.parent { weave.makeLastChild(of: theirs[parent]) }
            theirs.append(weave.nodes.count - 1)
        }
        while rest < nodes.count { weave.add(nodes[rest], &rest) }
        nodes = weave.nodes
    }

    /// Two trees becoming one, in ascending order.
    private struct Weave {
        var nodes: [Node] = []
        /// Where each node of the tree that is woven into stands now.
        private var moved: [Int] = []

        init(capacity: Int) { nodes.reserveCapacity(capacity) }

        /// Takes over the tree's next node.
        mutating func add(_ node: Node, _ next: inout Int) {
            moved.append(nodes.count)
            nodes.append(node)
            if let parent = node.parent { nodes[nodes.count - 1].parent = moved[parent] }
            next += 1
        }

        /// Puts one that the tree has not.
        mutating func insert(_ node: Node) { nodes.append(node) }

        /// Says what the last node was made from. Where someone lies about that, the lower one has it, whoever is heard
        /// first.
        mutating func makeLastChild(of parent: Int) {
            let last = nodes.count - 1
            nodes[last].parent = min(nodes[last].parent ?? parent, parent)
        }
    }

    /// Forgets ancestors that are more than `limit` revisions away from every leaf (`_revs_limit`).
    ///
    /// - Returns: the revisions that are gone.
    /// - Complexity: O(n).
    @discardableResult
    public mutating func stem(to limit: Int) -> [Revision] {
        guard nodes.count > limit else { return [] }
        // How many revisions may still be told from each on, whatever leaf one comes from; nil where none was asked.
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

    /// Takes leaves out as if they had never been (`_purge`), and every ancestor that leads to no other leaf.
    ///
    /// - Returns: the leaves that were taken out; a revision that is no leaf stays.
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
    /// Whether there is no revision.
    public var isEmpty: Bool { nodes.isEmpty }

    /// The node of a revision.
    public func node(_ revision: Revision) -> Node? { index(of: revision).map { nodes[$0] } }

    /// Whether what a revision says was told already.
    public func knows(_ revision: Revision) -> Bool { node(revision)?.isKnown == true }

    /// The revisions that nothing was made from, the winner first: what lives before what is deleted, then the higher.
    ///
    /// - Complexity: O(n).
    public var leaves: [Node] { Self.ranked(leafIndices.map { nodes[$0] }) }

    /// Leaves in ascending order become such that the winner is first.
    static func ranked(_ leaves: [Node]) -> [Node] {
        leaves.reversed().filter { !$0.isDeleted } + leaves.reversed().filter(\.isDeleted)
    }

    /// The leaf that everyone agrees on without asking each other; nil for an empty tree.
    ///
    /// - Complexity: O(n), O(1) where the highest revision lives.
    public var winner: Node? {
        // Nothing was made from the highest.
        guard let last = nodes.last, last.isDeleted else { return nodes.last }
        return leafIndices.last { !nodes[$0].isDeleted }.map { nodes[$0] } ?? last
    }

    /// The living leaves beside the winner, highest first.
    public var conflicts: [Revision] { leaves.dropFirst().filter { !$0.isDeleted }.map(\.revision) }

    /// The deleted leaves beside the winner, highest first.
    public var deletedConflicts: [Revision] { leaves.dropFirst().filter(\.isDeleted).map(\.revision) }

    /// Whether nothing was made from this revision; false for one that is not here.
    public func isLeaf(_ revision: Revision) -> Bool {
        guard let index = index(of: revision) else { return false }
        return !nodes.contains { $0.parent == index }
    }

    /// A revision and its ancestors, newest first; empty for one that is not here.
    public func path(of revision: Revision) -> [Revision] {
        var path: [Revision] = []
        var next = index(of: revision)
        while let index = next {
            path.append(nodes[index].revision)
            next = nodes[index].parent
        }
        return path
    }

    /// Those of these revisions that are not here (`_revs_diff`): not known, or by name alone.
    public func missing(_ revisions: [Revision]) -> [Revision] {
        revisions.filter { !knows($0) }
    }

    /// Leaves that a missing revision may have been made from: those of a lower generation than the highest missing.
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

    /// Where the leaves stand, in ascending order.
    var leafIndices: [Int] {
        if nodes.count == 1 { return [0] }
        var isParent = [Bool](repeating: false, count: nodes.count)
        for node in nodes { if let parent = node.parent { isParent[parent] = true } }
        return nodes.indices.filter { !isParent[$0] }
    }
}
