/// The places of an index in ascending order of distance, found one by one (Hjaltason and Samet's incremental search).
///
/// The distance is the exact geodesic one; for a place with an extent it is measured to the centre of its box. The
/// order of places at the same distance is unspecified.
public struct NearestPlaces: Sequence, IteratorProtocol {
    /// A place and how far away it is.
    public struct Found: Hashable, Sendable {
        /// The slot of the place.
        public let slot: Int32
        /// How far it is from the centre of the search, along the geodesic.
        public let distance: Metres
    }

    private let index: PlaceIndex
    private let centre: Coordinate
    private let middle: SIMD3<Double>
    private let rough: SIMD4<Float>
    private var heap: [Step] = []

    /// A step that the search takes when nothing nearer is left.
    private struct Step {
        /// A lower bound of the distance on the ground, metres.
        var bound: Double
        /// A tree, or −1 for the tail.
        var tree: Int32
        /// A node, or an entry, by `kind`.
        var item: Int32
        var kind: Kind

        enum Kind { case node, entry, exact }
    }

    /// Creates the sequence of all places of an index around a centre.
    public init(_ index: PlaceIndex, to centre: Coordinate) {
        self.index = index
        self.centre = centre
        middle = SpacePoint(centre).vector
        rough = SIMD4(Float(middle.x), Float(middle.y), Float(middle.z), 0)
        heap.reserveCapacity(256)
        for number in index.trees.indices where index.trees[number].count > 0 {
            push(Step(bound: 0, tree: Int32(number), item: 0, kind: .node))
        }
        for number in index.tail.indices { pushEntry(-1, Int32(number), index.tail[number]) }
    }

    /// Returns the next place; nil when there are no more.
    ///
    /// - Complexity: O(log n) for places that lie apart.
    public mutating func next() -> Found? {
        while let step = pop() {
            switch step.kind {
            case .exact: return Found(slot: entry(step).slot, distance: Metres(step.bound))
            case .entry:
                var exact = step
                exact.kind = .exact
                exact.bound = centre.distance(to: entry(step).coordinate).value
                push(exact)
            case .node: open(step)
            }
        }
        return nil
    }

    private func entry(_ step: Step) -> PlaceEntry {
        step.tree < 0 ? index.tail[Int(step.item)] : index.trees[Int(step.tree)].entries[Int(step.item)]
    }

    private mutating func open(_ step: Step) {
        let node = index.trees[Int(step.tree)].nodes[Int(step.item)]
        if node.count == 0 {
            pushNode(step.tree, step.item + 1)
            pushNode(step.tree, node.start)
        } else {
            for item in node.start..<(node.start + node.count) {
                pushEntry(step.tree, item, index.trees[Int(step.tree)].entries[Int(item)])
            }
        }
    }

    private mutating func pushNode(_ tree: Int32, _ item: Int32) {
        let squared = index.trees[Int(tree)].nodes[Int(item)].squaredDistance(to: rough)
        push(Step(bound: Double(squared.squareRoot() * (1 - 1e-5)), tree: tree, item: item, kind: .node))
    }

    private mutating func pushEntry(_ tree: Int32, _ item: Int32, _ entry: PlaceEntry) {
        guard index.has(entry.slot) else { return }
        let way = entry.middle - middle
        let bound = SpacePoint.leastOnGround((way * way).sum().squareRoot()) - 1e-6
        push(Step(bound: bound, tree: tree, item: item, kind: .entry))
    }

    private mutating func push(_ step: Step) {
        heap.append(step)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard step.bound < heap[parent].bound else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = step
    }

    private mutating func pop() -> Step? {
        guard let top = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return top }
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].bound < heap[child].bound { child += 1 }
            guard heap[child].bound < last.bound else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = last
        return top
    }
}
