/// Merges many paths into a revision tree, in less time than one by one.
extension RevisionTree {
    /// A tree that many paths are merged into, one after the other. It makes the same tree as `RevisionTree.merge`. But
    /// the cost of a merge grows with its path and hardly with the tree, and the winner is known after each.
    public struct Growth: Sendable {
        /// The nodes in the order in which they came. A node's parent is an index into this array.
        private var nodes: [Node]
        private var places: [Revision: Int]
        /// How many nodes were made from each node.
        private var childCounts: [Int]
        /// Every leaf, and some nodes that were leaves once.
        private var candidates = Candidates()

        /// Creates a growth that begins with the revisions of a tree.
        ///
        /// - Complexity: O(n).
        public init(_ tree: RevisionTree = RevisionTree()) {
            nodes = tree.nodes
            places = Dictionary(minimumCapacity: nodes.count)
            childCounts = Array(repeating: 0, count: nodes.count)
            for (place, node) in nodes.enumerated() {
                places[node.revision] = place
                if let parent = node.parent { childCounts[parent] += 1 }
            }
            for place in nodes.indices { addCandidate(place) }
        }

        /// Whether there is no revision yet.
        public var isEmpty: Bool { nodes.isEmpty }

        /// The leaf that `RevisionTree.winner` would return. Its parent is nil, because nodes have no index yet.
        public var winner: Node? {
            candidates.first.map { candidate in
                var winner = nodes[candidate.place]
                winner.parent = nil
                return winner
            }
        }

        /// Whether the tree has a revision and no other revision has it as its parent.
        public func isLeaf(_ revision: Revision) -> Bool { places[revision].map { childCounts[$0] == 0 } ?? false }

        /// Whether the tree has the content of a revision, and not only its name.
        public func knows(_ revision: Revision) -> Bool { places[revision].map { nodes[$0].isKnown } ?? false }

        /// Adds a revision and its ancestors, as `RevisionTree.merge` does.
        ///
        /// - Returns: false when the tree had the revision's content already.
        /// - Precondition: `path` is not empty and its generations go down by one.
        /// - Complexity: O(m log n), m the path's revisions and n those merged so far.
        @discardableResult
        public mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool {
            precondition(!path.isEmpty, "a path has its own revision")
            var isNew = true
            var child: Int?
            for (step, revision) in path.enumerated() {
                precondition(
                    step == 0 || path[step - 1].generation == revision.generation + 1, "generations go down by one")
                let place = nodeIndex(of: revision)
                if step == 0 {
                    isNew = !nodes[place].isKnown
                    if isNew { (nodes[place].isDeleted, nodes[place].isKnown) = (isDeleted, true) }
                }
                if let child { link(child, to: place) }
                addCandidate(place)
                child = place
            }
            while let first = candidates.first, !isCurrent(first) { candidates.removeFirst() }
            return isNew
        }

        /// The tree of all revisions merged so far.
        ///
        /// - Complexity: O(n log n), and O(n) as far as the nodes came in order.
        public var tree: RevisionTree {
            let order = nodes.indices.sorted { nodes[$0].revision < nodes[$1].revision }
            var moved = [Int](repeating: 0, count: nodes.count)
            for (index, place) in order.enumerated() { moved[place] = index }
            return RevisionTree(
                ordered: order.map { place in
                    var node = nodes[place]
                    node.parent = node.parent.map { moved[$0] }
                    return node
                })
        }

        private mutating func nodeIndex(of revision: Revision) -> Int {
            if let place = places[revision] { return place }
            places[revision] = nodes.count
            nodes.append(Node(revision: revision, parent: nil, isDeleted: false, isKnown: false))
            childCounts.append(0)
            return nodes.count - 1
        }

        /// Sets the parent of a node. When two peers disagree about a parent, the lower revision wins.
        private mutating func link(_ child: Int, to parent: Int) {
            if let other = nodes[child].parent {
                guard nodes[parent].revision < nodes[other].revision else { return }
                childCounts[other] -= 1
                addCandidate(other)
            }
            nodes[child].parent = parent
            childCounts[parent] += 1
        }

        /// Whether a candidate is still a leaf, and still deleted or not as noted.
        private func isCurrent(_ candidate: Candidate) -> Bool {
            childCounts[candidate.place] == 0 && nodes[candidate.place].isDeleted == candidate.isDeleted
        }

        /// Adds a node to the candidates for the winner when it is a leaf.
        private mutating func addCandidate(_ place: Int) {
            guard childCounts[place] == 0 else { return }
            candidates.insert(
                Candidate(place: place, revision: nodes[place].revision, isDeleted: nodes[place].isDeleted))
        }
    }

    /// A node that was a leaf when it became a candidate.
    private struct Candidate {
        var place: Int
        var revision: Revision
        var isDeleted: Bool

        /// Whether this candidate wins over another.
        func isBefore(_ other: Candidate) -> Bool {
            isDeleted == other.isDeleted ? revision > other.revision : !isDeleted
        }
    }

    /// A binary heap of candidates with the winner first.
    private struct Candidates {
        private var heap: [Candidate] = []

        var first: Candidate? { heap.first }

        mutating func insert(_ candidate: Candidate) {
            heap.append(candidate)
            var index = heap.count - 1
            while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        /// Removes the first candidate; there must be one.
        mutating func removeFirst() {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            var index = 0
            while true {
                var next = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < heap.count && heap[child].isBefore(heap[next]) { next = child }
                if next == index { return }
                heap.swapAt(index, next)
                index = next
            }
        }
    }
}
