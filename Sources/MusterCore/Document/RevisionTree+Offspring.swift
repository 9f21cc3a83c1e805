extension RevisionTree {
    /// What was made from each revision of a tree: made once, where many are asked for.
    public struct Offspring: Sendable {
        private let tree: RevisionTree
        /// The highest that was made from each node, and the next lower one of the same parent; -1 for none.
        private var highestChild: [Int]
        private var lowerSibling: [Int]

        /// What was made from each revision.
        ///
        /// - Complexity: O(n).
        public init(of tree: RevisionTree) {
            self.tree = tree
            highestChild = Array(repeating: -1, count: tree.nodes.count)
            lowerSibling = highestChild
            for (index, node) in tree.nodes.enumerated() {
                guard let parent = node.parent else { continue }
                lowerSibling[index] = highestChild[parent]
                highestChild[parent] = index
            }
        }

        /// Whether nothing was made from this revision; false for one that is not here.
        ///
        /// - Complexity: O(log n).
        public func isLeaf(_ revision: Revision) -> Bool {
            tree.index(of: revision).map { highestChild[$0] < 0 } ?? false
        }

        /// The leaves that a revision led to, itself when it is one, the winner of them first; empty for one that is
        /// not here.
        ///
        /// - Complexity: O(log n) for a leaf, else O(m log m), m what was made from the revision.
        public func leaves(from revision: Revision) -> [Revision] {
            var isSeen: [Bool] = []
            return leaves(from: revision, besides: &isSeen)
        }

        /// The leaves that these revisions led to: those of the first, then those of the next that are not among them.
        ///
        /// - Complexity: O(m log n + n log n), m how many revisions there are and n the tree's.
        public func leaves(fromAnyOf revisions: [Revision]) -> [Revision] {
            if revisions.count == 1 { return leaves(from: revisions[0]) }
            var isSeen = [Bool](repeating: false, count: tree.nodes.count)
            return revisions.flatMap { leaves(from: $0, besides: &isSeen) }
        }

        /// - Parameter isSeen: the nodes whose leaves were told, by index; noted unless it is empty.
        private func leaves(from revision: Revision, besides isSeen: inout [Bool]) -> [Revision] {
            guard let start = tree.index(of: revision) else { return [] }
            var found: [Int] = []
            var waiting = [start]
            while let index = waiting.popLast() {
                if !isSeen.isEmpty {
                    if isSeen[index] { continue }
                    isSeen[index] = true
                }
                if highestChild[index] < 0 { found.append(index) }
                var child = highestChild[index]
                while child >= 0 {
                    waiting.append(child)
                    child = lowerSibling[child]
                }
            }
            return RevisionTree.ranked(found.sorted().map { tree.nodes[$0] }).map(\.revision)
        }
    }

    /// The leaves that a revision led to, itself when it is one, the winner of them first; empty for one that is not
    /// here. Whoever asks for many asks `Offspring`.
    ///
    /// - Complexity: O(n log n).
    public func leaves(from revision: Revision) -> [Revision] { Offspring(of: self).leaves(from: revision) }

    /// The leaves that are none in a later tree of the same document: edited since, or gone.
    ///
    /// - Complexity: O(n + m).
    public func leaves(lostIn later: RevisionTree) -> [Revision] {
        let kept = later.leafIndices
        var next = 0
        return leafIndices.compactMap { index in
            let revision = nodes[index].revision
            // Both are in ascending order.
            while next < kept.count, later.nodes[kept[next]].revision < revision { next += 1 }
            return next < kept.count && later.nodes[kept[next]].revision == revision ? nil : revision
        }
    }
}
