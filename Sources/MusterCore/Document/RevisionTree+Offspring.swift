/// Which revisions were made from which.
extension RevisionTree {
    /// An index from each revision of a tree to those made from it, for a caller that asks about many revisions.
    public struct Offspring: Sendable {
        private let tree: RevisionTree
        /// By node: the highest child, and the next lower child of the same parent; −1 for none.
        private var highestChild: [Int]
        private var lowerSibling: [Int]

        /// Builds the index of a tree.
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

        /// Whether the tree has a revision and nothing was made from it.
        ///
        /// - Complexity: O(log n).
        public func isLeaf(_ revision: Revision) -> Bool {
            tree.index(of: revision).map { highestChild[$0] < 0 } ?? false
        }

        /// Returns the leaves that descend from a revision, or the revision itself when it is a leaf, their winner
        /// first. Empty for a revision that the tree does not have.
        ///
        /// - Complexity: O(log n) for a leaf, else O(m log m) in the number m of descendants.
        public func leaves(from revision: Revision) -> [Revision] {
            var isSeen: [Bool] = []
            return leaves(from: revision, besides: &isSeen)
        }

        /// Returns the leaves that descend from any of these revisions: those of the first, then those of the next that
        /// are not among them.
        ///
        /// - Complexity: O(m log n + n log n) for m revisions and a tree of n.
        public func leaves(fromAnyOf revisions: [Revision]) -> [Revision] {
            if revisions.count == 1 { return leaves(from: revisions[0]) }
            var isSeen = [Bool](repeating: false, count: tree.nodes.count)
            return revisions.flatMap { leaves(from: $0, besides: &isSeen) }
        }

        /// - Parameter isSeen: the nodes whose leaves were returned already, by index; the call marks further ones.
        ///   When it is empty, the call marks none.
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

    /// Returns the leaves that descend from a revision, or the revision itself when it is a leaf, their winner first.
    /// Empty for a revision that the tree does not have. `Offspring` is faster for many revisions.
    ///
    /// - Complexity: O(n log n).
    public func leaves(from revision: Revision) -> [Revision] { Offspring(of: self).leaves(from: revision) }

    /// Returns the leaves that are no leaves in a later tree of the same document: edited since, or removed.
    ///
    /// - Complexity: O(n + m).
    public func leaves(lostIn later: RevisionTree) -> [Revision] {
        let kept = later.leafIndices
        var next = 0
        return leafIndices.compactMap { index in
            let revision = nodes[index].revision
            // Both lists of leaves are in ascending order.
            while next < kept.count, later.nodes[kept[next]].revision < revision { next += 1 }
            return next < kept.count && later.nodes[kept[next]].revision == revision ? nil : revision
        }
    }
}
