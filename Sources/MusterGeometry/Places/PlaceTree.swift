/// Places that do not change, packed into a tree of boxes in space, as an R-tree is.
///
/// In space (metres from the middle of the Earth) there is no antimeridian and no pole: every box is as good as any
/// other, and the distance to a box bounds the distance on the ground from below. Each node halves its places along
/// its longest side; the left child follows its parent, so that a descent reads memory forwards.
struct PlaceTree: Sendable {
    /// The entries of all places; those of one leaf are neighbours.
    private(set) var entries: [PlaceEntry]
    private(set) var nodes: [Node] = []

    /// How many places a leaf has at most.
    static let leafCapacity = 16

    /// A node of the tree: a box, and its children or entries.
    struct Node: Sendable {
        /// The lower corner, and the upper one from lane 4 on; rounded outwards by `slack`.
        var corners: SIMD8<Float>
        /// In a leaf the first of its entries, else the right child.
        var start: Int32
        /// How many entries a leaf has; 0 for an inner node.
        var count: Int32
    }

    /// By how many metres every box is wider: more than the rounding errors of `Float` numbers and their differences.
    private static let slack = 2.0

    /// Packs some places.
    ///
    /// - Complexity: O(n log n).
    init(_ places: [PlaceEntry]) {
        entries = places
        guard !places.isEmpty else { return }
        nodes.reserveCapacity(places.count / (Self.leafCapacity / 2) * 2 + 1)
        var built: [Node] = []
        swap(&built, &nodes)
        entries.withUnsafeMutableBufferPointer { Self.build($0, 0..<places.count, &built) }
        nodes = built
    }

    /// How many places there are.
    var count: Int { entries.count }

    private static func build(
        _ entries: UnsafeMutableBufferPointer<PlaceEntry>, _ range: Range<Int>, _ nodes: inout [Node]
    ) {
        var low = SIMD3<Double>(repeating: .infinity)
        var high = SIMD3<Double>(repeating: -.infinity)
        for index in range {
            let entry = entries[index]
            low = pointwiseMin(low, entry.middle - entry.reach)
            high = pointwiseMax(high, entry.middle + entry.reach)
        }
        let lower = SIMD3<Float>(low - slack)
        let upper = SIMD3<Float>(high + slack)
        let corners = SIMD8<Float>(
            lowHalf: SIMD4(lower.x, lower.y, lower.z, 0), highHalf: SIMD4(upper.x, upper.y, upper.z, 0))
        guard range.count > leafCapacity else {
            nodes.append(Node(corners: corners, start: Int32(range.lowerBound), count: Int32(range.count)))
            return
        }
        let sides = high - low
        let axis = sides.x >= sides.y ? (sides.x >= sides.z ? 0 : 2) : (sides.y >= sides.z ? 1 : 2)
        // Whole leaves to the left, so that all but the last are full.
        let leaves = (range.count + leafCapacity - 1) / leafCapacity
        let middle = range.lowerBound + leaves / 2 * leafCapacity
        split(entries, range, at: middle, axis: axis)
        let parent = nodes.count
        nodes.append(Node(corners: corners, start: 0, count: 0))
        build(entries, range.lowerBound..<middle, &nodes)
        nodes[parent].start = Int32(nodes.count)
        build(entries, middle..<range.upperBound, &nodes)
    }

    /// Partitions the places along an axis so that the lesser ones come before a given place in the order (Hoare's
    /// selection).
    private static func split(
        _ entries: UnsafeMutableBufferPointer<PlaceEntry>, _ range: Range<Int>, at place: Int, axis: Int
    ) {
        var low = range.lowerBound
        var high = range.upperBound - 1
        while low < high {
            let pivot = median(
                entries[low].middle[axis], entries[low + (high - low) / 2].middle[axis], entries[high].middle[axis])
            var left = low
            var right = high
            while left <= right {
                while entries[left].middle[axis] < pivot { left += 1 }
                while entries[right].middle[axis] > pivot { right -= 1 }
                if left <= right {
                    entries.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if place <= right { high = right } else if place >= left { low = left } else { return }
        }
    }

    private static func median(_ a: Double, _ b: Double, _ c: Double) -> Double {
        max(min(a, b), min(max(a, b), c))
    }
}

extension PlaceTree.Node {
    /// Returns a lower bound of the squared distance through space from a point to the box. The rounding of this last
    /// step may lift it above the true one, by one part in a million.
    @inline(__always)
    func squaredDistance(to point: SIMD4<Float>) -> Float {
        let outside = pointwiseMax(
            pointwiseMax(corners.lowHalf - point, point - corners.highHalf), SIMD4<Float>(repeating: 0))
        return outside.x * outside.x + outside.y * outside.y + outside.z * outside.z
    }

    /// Whether it has a point in common with another box.
    @inline(__always)
    func overlaps(_ box: SpaceBox) -> Bool {
        let lower = corners.lowHalf
        let upper = corners.highHalf
        return Double(lower.x) <= box.high.x && Double(upper.x) >= box.low.x && Double(lower.y) <= box.high.y
            && Double(upper.y) >= box.low.y && Double(lower.z) <= box.high.z && Double(upper.z) >= box.low.z
    }
}
