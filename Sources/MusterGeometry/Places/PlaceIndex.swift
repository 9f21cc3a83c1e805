/// An index of very many places that change. It finds places by radius, by box and by nearness, exactly.
///
/// A place is a point, or has an extent and is given by its box in latitude and longitude. For the latter the index
/// finds candidates, and the caller decides by their form. For points the index decides: by their distance through
/// space, which bounds the geodesic one from both sides, and by the geodesic distance itself where the bounds do not
/// decide. A point exactly at the radius, or on the side of a box, is inside.
///
/// Changes go to a short list; when that is full it is packed into a tree, together with all trees that are not larger
/// (Bentley and Saxe's logarithmic method), so that there are few trees and each place is packed O(log n) times.
public struct PlaceIndex: Sendable {
    /// Packed places, the largest first.
    private(set) var trees: [PlaceTree] = []
    /// The places added since.
    private(set) var tail: [PlaceEntry] = []
    /// By slot: whether the place is still there.
    private var isPresent: [Bool] = []
    /// The number of places.
    public private(set) var count = 0

    /// The largest number of changes that wait to be packed.
    static let tailCapacity = 256

    public init() {}

    /// Creates an index of points, whose slots are their indexes in the array.
    ///
    /// - Complexity: O(n log n).
    public init(_ points: [Coordinate]) {
        trees = points.isEmpty ? [] : [PlaceTree(points.enumerated().map { PlaceEntry($1, slot: Int32($0)) })]
        isPresent = [Bool](repeating: true, count: points.count)
        count = points.count
    }

    /// Adds a point.
    ///
    /// - Returns: its slot, the number by which answers name it. Slots are never reused.
    public mutating func insert(_ point: Coordinate) -> Int32 { insert { PlaceEntry(point, slot: $0) } }

    /// Adds a place with an extent, given by its box.
    ///
    /// - Returns: its slot.
    public mutating func insert(_ box: BoundingBox) -> Int32 { insert { PlaceEntry(box, slot: $0) } }

    /// Removes a place; does nothing when it was removed already.
    public mutating func remove(_ slot: Int32) {
        guard isPresent[Int(slot)] else { return }
        isPresent[Int(slot)] = false
        count -= 1
    }

    /// Whether a place was not removed.
    func has(_ slot: Int32) -> Bool { isPresent[Int(slot)] }

    private mutating func insert(_ entry: (Int32) -> PlaceEntry) -> Int32 {
        let slot = Int32(isPresent.count)
        isPresent.append(true)
        count += 1
        tail.append(entry(slot))
        if tail.count >= Self.tailCapacity { pack() }
        return slot
    }

    private mutating func pack() {
        var waiting = tail
        while let last = trees.last, last.count <= waiting.count {
            waiting += last.entries
            trees.removeLast()
        }
        trees.append(PlaceTree(waiting.filter { isPresent[Int($0.slot)] }))
        tail.removeAll(keepingCapacity: true)
    }
}

/// The places that a `PlaceIndex` found, in no order.
public struct FoundPlaces: Sendable {
    /// The points that match.
    public var points: [Int32] = []
    /// The places with an extent that may match.
    public var candidates: [Int32] = []

    public init() {}

    /// Removes all places and keeps the memory.
    public mutating func clear() {
        points.removeAll(keepingCapacity: true)
        candidates.removeAll(keepingCapacity: true)
    }

    mutating func add(_ entry: PlaceEntry) {
        if entry.reach == 0 { points.append(entry.slot) } else { candidates.append(entry.slot) }
    }
}
