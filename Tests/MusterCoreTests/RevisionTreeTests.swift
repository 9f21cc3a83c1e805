import MusterCore
import Testing

/// Revision trees as pure functions.
@Suite struct RevisionTreeTests {
    private func revision(_ text: String) -> Revision {
        guard let revision = Revision(text) else { preconditionFailure("\(text) is a revision") }
        return revision
    }

    private func tree(_ paths: [String]...) -> RevisionTree {
        var tree = RevisionTree()
        for path in paths { tree.merge(path.map(revision), isDeleted: false) }
        return tree
    }

    /// Any document's history: revisions whose name says where they come from, so that two paths never disagree.
    private func paths(_ generator: inout SplitMix) -> [(path: [Revision], isDeleted: Bool)] {
        (0..<8).map { _ in
            var name = ""
            var path: [Revision] = []
            let start = Int.random(in: 0..<3, using: &generator)
            for generation in 1...(start + 1 + Int.random(in: 0..<5, using: &generator)) {
                name += ["a", "b"][Int.random(in: 0..<2, using: &generator)]
                if generation > start { path.insert(revision("\(generation)-\(name)"), at: 0) }
            }
            return (path, path[0].hash.text.hasSuffix("ab"))
        }
    }

    @Test(arguments: 0..<200)
    func `paths make one tree, in whatever order they come`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        let paths = paths(&generator)
        var expected = RevisionTree()
        for (path, isDeleted) in paths { expected.merge(path, isDeleted: isDeleted) }
        for _ in 0..<4 {
            var order = Array(paths.indices)
            order.shuffle(using: &generator)
            var tree = RevisionTree()
            for index in order { tree.merge(paths[index].path, isDeleted: paths[index].isDeleted) }
            #expect(tree == expected)
            #expect(tree.winner == expected.winner)
        }
        #expect(RevisionTree(nodes: expected.nodes) == expected)
        #expect(expected.leaves.first == expected.winner)
        #expect(expected.leaves.allSatisfy { expected.isLeaf($0.revision) })
        for (path, isDeleted) in paths {
            #expect(expected.path(of: path[0]).starts(with: path))
            #expect(expected.missing([path[0]]).isEmpty)
            #expect(expected.node(path[0])?.isDeleted == isDeleted)
        }
    }

    @Test func `a living leaf wins over a deleted one, then the higher generation, then the higher hash`() {
        var tree = tree(["2-a", "1-a"], ["2-b", "1-a"], ["1-z"])
        #expect(tree.winner?.revision == revision("2-b"))
        #expect(tree.conflicts == [revision("2-a"), revision("1-z")])
        tree.merge([revision("3-a"), revision("2-b")], isDeleted: true)
        #expect(tree.winner?.revision == revision("2-a"))
        #expect(tree.conflicts == [revision("1-z")])
        #expect(tree.deletedConflicts == [revision("3-a")])
        #expect(tree.leaves(from: revision("1-a")) == [revision("2-a"), revision("3-a")])
        #expect(tree.leaves(from: revision("9-a")).isEmpty)
    }

    @Test func `a revision known by name alone is missing until its body arrives`() {
        var tree = tree(["3-c", "2-b", "1-a"])
        #expect(tree.missing(["1-a", "2-b", "3-c", "3-d"].map(revision)) == ["1-a", "2-b", "3-d"].map(revision))
        #expect(tree.possibleAncestors(of: [revision("4-x")]) == [revision("3-c")])
        #expect(tree.possibleAncestors(of: [revision("3-x")]).isEmpty)
        let isNew = tree.merge([revision("2-b"), revision("1-a")], isDeleted: false)
        #expect(isNew)
        #expect(tree.missing([revision("2-b")]).isEmpty)
        let isNewAgain = tree.merge([revision("2-b"), revision("1-a")], isDeleted: false)
        #expect(!isNewAgain)
        #expect(tree.winner?.revision == revision("3-c"))
    }

    @Test func `of two different parents of a revision the order of arrival does not matter`() {
        let one = tree(["2-x", "1-a"], ["2-x", "1-b"])
        let other = tree(["2-x", "1-b"], ["2-x", "1-a"])
        #expect(one == other)
        #expect(one.path(of: revision("2-x")) == [revision("2-x"), revision("1-a")])
    }

    @Test func `stemming forgets what is far from every leaf, and keeps what one leaf needs`() {
        var tree = tree(["5-e", "4-d", "3-c", "2-b", "1-a"], ["3-x", "2-b", "1-a"])
        let farGone = tree.stem(to: 2)
        #expect(farGone == ["1-a", "3-c"].map(revision))
        #expect(tree.path(of: revision("5-e")) == ["5-e", "4-d"].map(revision))
        #expect(tree.path(of: revision("3-x")) == ["3-x", "2-b"].map(revision))
        #expect(tree.node(revision("4-d"))?.parent == nil)
        let goneTwice = tree.stem(to: 2)
        #expect(goneTwice.isEmpty)
        let stemmed = tree.stem(to: 1)
        #expect(stemmed.count == 2)
        #expect(tree.leaves.map(\.revision) == ["5-e", "3-x"].map(revision))
    }

    @Test func `a purged leaf goes with the ancestors that lead nowhere else`() {
        var tree = tree(["3-c", "2-b", "1-a"], ["3-x", "2-y", "1-a"])
        let notLeaf = tree.purge([revision("2-b")])
        #expect(notLeaf.isEmpty)
        let loser = tree.purge([revision("3-x")])
        #expect(loser == [revision("3-x")])
        #expect(tree.nodes.map(\.revision) == ["1-a", "2-b", "3-c"].map(revision))
        let last = tree.purge([revision("3-c")])
        #expect(last == [revision("3-c")])
        #expect(tree.isEmpty)
        #expect(tree.winner == nil)
    }

    @Test func `nodes out of order, or with a parent of another generation, are refused`() {
        let node = RevisionTree.Node(revision: revision("2-b"), parent: nil, isDeleted: false, isKnown: true)
        let first = RevisionTree.Node(revision: revision("1-a"), parent: nil, isDeleted: false, isKnown: true)
        var child = node
        child.parent = 0
        #expect(RevisionTree(nodes: [first, child]) != nil)
        #expect(RevisionTree(nodes: [node, first]) == nil)
        #expect(RevisionTree(nodes: [first, first]) == nil)
        child.revision = revision("3-b")
        #expect(RevisionTree(nodes: [first, child]) == nil)
        child.parent = 7
        #expect(RevisionTree(nodes: [first, child]) == nil)
    }

    @Test func `a thousand conflicts are one tree with one winner`() {
        var tree = tree(["1-a"])
        for index in 0..<1_000 { tree.merge([revision("2-\(10_000 + index)"), revision("1-a")], isDeleted: false) }
        #expect(tree.leaves.count == 1_000)
        #expect(tree.winner?.revision == revision("2-10999"))
        #expect(tree.conflicts.count == 999)
        for index in 0..<999 {
            tree.merge([revision("3-\(index)"), revision("2-\(10_000 + index)")], isDeleted: true)
        }
        #expect(tree.conflicts.isEmpty)
        #expect(tree.winner?.revision == revision("2-10999"))
    }

    @Test(arguments: 0..<200)
    func `many merged at once make the tree that one after the other makes, with the same winner at each`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        var tree = RevisionTree()
        // Some come first; and some lie about where a revision comes from.
        for (path, isDeleted) in paths(&generator) { tree.merge(path, isDeleted: isDeleted) }
        var growth = RevisionTree.Growth(tree)
        #expect(growth.tree == tree)
        for (path, isDeleted) in paths(&generator) + paths(&generator) {
            var path = path
            if path.count > 1, Int.random(in: 0..<4, using: &generator) == 0 {
                path[1] = Revision(generation: path[1].generation, hash: .text("lie"))
            }
            #expect(growth.knows(path[0]) == tree.knows(path[0]))
            #expect(growth.isLeaf(path[0]) == tree.isLeaf(path[0]))
            let isNew = growth.merge(path, isDeleted: isDeleted)
            #expect(isNew == tree.merge(path, isDeleted: isDeleted))
            var winner = tree.winner
            #expect(winner == tree.leaves.first)
            winner?.parent = nil
            #expect(growth.winner == winner)
        }
        #expect(growth.tree == tree)
    }

    @Test(arguments: 0..<200)
    func `a tree indexed for many lookups answers as one lookup alone does`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        var tree = RevisionTree()
        for (path, isDeleted) in paths(&generator) { tree.merge(path, isDeleted: isDeleted) }
        let offspring = RevisionTree.Offspring(of: tree)
        var expected: [Revision] = []
        for node in tree.nodes {
            let leaves = tree.leaves.map(\.revision).filter { tree.path(of: $0).contains(node.revision) }
            #expect(offspring.leaves(from: node.revision) == leaves)
            #expect(tree.leaves(from: node.revision) == leaves)
            #expect(offspring.isLeaf(node.revision) == tree.isLeaf(node.revision))
            expected += leaves.filter { !expected.contains($0) }
        }
        #expect(offspring.leaves(fromAnyOf: tree.nodes.map(\.revision) + [revision("9-x")]) == expected)
        #expect(offspring.leaves(from: revision("9-x")).isEmpty)
        let before = tree
        for (path, isDeleted) in paths(&generator) { tree.merge(path, isDeleted: isDeleted) }
        let lost = before.leaves.map(\.revision).filter { !tree.isLeaf($0) }
        #expect(before.leaves(lostIn: tree) == lost.sorted())
    }

    @Test(arguments: 0..<200)
    func `stemming keeps what is near to any leaf`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        var tree = RevisionTree()
        for (path, isDeleted) in paths(&generator) { tree.merge(path, isDeleted: isDeleted) }
        for limit in 1...4 {
            var stemmed = tree
            let gone = stemmed.stem(to: limit)
            let near = Set(tree.leaves.flatMap { tree.path(of: $0.revision).prefix(limit) })
            #expect(stemmed.nodes.map(\.revision) == near.sorted())
            #expect(gone == tree.nodes.map(\.revision).filter { !near.contains($0) })
        }
    }

    @Test func `twenty thousand conflicts grow into one tree without a scan for each`() {
        let root = revision("1-a")
        var growth = RevisionTree.Growth()
        let leaves = (0..<20_000).map { Revision(generation: 2, hash: .digest(0, UInt64($0))) }
        for leaf in leaves { growth.merge([leaf, root], isDeleted: false) }
        #expect(growth.winner?.revision == leaves.last)
        // The winner goes, and goes again: the next is at hand.
        for leaf in leaves.reversed().prefix(10_000) {
            #expect(growth.winner?.revision == leaf)
            growth.merge([Revision(generation: 3, hash: leaf.hash), leaf], isDeleted: true)
        }
        var tree = growth.tree
        #expect(tree.nodes.count == 30_001)
        #expect(tree.stem(to: 1_000).isEmpty)
        let offspring = RevisionTree.Offspring(of: tree)
        #expect(leaves.allSatisfy { offspring.leaves(from: $0).count == 1 })
        #expect(offspring.leaves(fromAnyOf: leaves + [root, root]).count == 20_000)
        #expect(tree.leaves.count == 20_000)
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
