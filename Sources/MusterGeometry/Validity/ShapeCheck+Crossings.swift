/// Counts how often edges of different polygons cross, under rules that allow it.
struct EdgeCrossings {
    private var countOfEdge = KeyTable()
    private(set) var total = 0

    /// Counts a crossing of two edges.
    ///
    /// - Returns: the larger number of crossings that either edge has now.
    mutating func count(_ one: EdgeTree.Edge, _ other: EdgeTree.Edge) -> Int {
        total += 1
        return max(count(one), count(other))
    }

    private mutating func count(_ edge: EdgeTree.Edge) -> Int {
        let key = UInt64(UInt32(bitPattern: edge.ring)) << 32 | UInt64(UInt32(bitPattern: edge.index))
        let count = (countOfEdge.value(key) ?? 0) + 1
        countOfEdge.set(key, to: count)
        return Int(count)
    }
}

extension ShapeCheck {
    /// Counts two crossing edges of different polygons that may overlap, and reports the crossing beyond the limit.
    mutating func countCrossing(_ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ position: RawVertex, limit: Int) {
        if crossings.count(one, other) > limit || crossings.total > rules.crossingLimit {
            add(
                .tooManyCrossings, at: rings[Int(one.ring)].faultPlace(Int(one.index)),
                other: rings[Int(other.ring)].faultPlace(Int(other.index)), position: position)
        }
    }
}

/// Finds the rings of a polygon that hold a corner of another one, for polygons of many rings: O(n log n) in all for n
/// corners, where comparing every pair of rings takes the square.
struct RingFinder {
    private let index: RegionIndex
    private var found: [Int32] = []

    /// With fewer rings each pair is compared.
    private static let leastRings = 32

    /// Creates a finder for the valid rings of a polygon; nil when one goes round the globe, or when there are too few
    /// to be worth it.
    init?(_ rings: [CheckedRing], _ range: Range<Int>) {
        guard range.count >= Self.leastRings, rings[range].allSatisfy({ $0.net == 0 || !$0.isSound }) else {
            return nil
        }
        index = RegionIndex(
            range.lazy.filter { rings[$0].isSound }.map { number in
                (id: Int32(number), shape: .polygon(Polygon(exterior: rings[number].positions)))
            })
    }

    /// Returns the numbers of the rings that hold a corner, its own ring among them. The corner must lie on no other
    /// ring.
    mutating func rings(holding corner: UnrolledPoint) -> [Int] {
        found.removeAll(keepingCapacity: true)
        let place = Coordinate(validLatitude: corner.latitude, longitude: corner.longitude.degrees)
        index.regions(containing: place, into: &found)
        return found.map { Int($0) }
    }
}
