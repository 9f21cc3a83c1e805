/// Finds places by radius, by box and by nearness among very many, exactly, while places come and go.
///
/// A place is a point, or something that lies inside of a box in latitude and longitude; of the latter the index finds
/// candidates, and the caller, who knows its form, decides. Points are decided here: by their distance through space,
/// which bounds the geodesic from both sides, and by the geodesic itself where the bounds leave a doubt. A point
/// exactly at the radius, or on the side of a box, is inside.
///
/// Changes go to a short list; when that is full it is packed into a tree, together with all trees that are not larger
/// (Bentley and Saxe's logarithmic method), so that there are few trees and each place is packed O(log n) times.
public struct PlaceIndex: Sendable {
    /// Packed places, the largest first.
    private(set) var trees: [PlaceTree] = []
    /// What came since.
    private(set) var tail: [PlaceEntry] = []
    /// By slot, whether the place is there still.
    private var isPresent: [Bool] = []
    /// How many places there are.
    public private(set) var count = 0

    /// How many changes wait to be packed.
    static let tailCapacity = 256

    /// An index without places.
    public init() {}

    /// An index of points, whose slots are their positions in the array.
    ///
    /// - Complexity: O(n log n).
    public init(_ points: [Coordinate]) {
        trees = points.isEmpty ? [] : [PlaceTree(points.enumerated().map { PlaceEntry($1, slot: Int32($0)) })]
        isPresent = [Bool](repeating: true, count: points.count)
        count = points.count
    }

    /// Adds a point.
    ///
    /// - Returns: its slot: the number by which answers name it; never given again.
    public mutating func insert(_ point: Coordinate) -> Int32 { insert { PlaceEntry(point, slot: $0) } }

    /// Adds something that lies inside of a box.
    ///
    /// - Returns: its slot.
    public mutating func insert(_ box: BoundingBox) -> Int32 { insert { PlaceEntry(box, slot: $0) } }

    /// Takes a place away; nothing happens when it is gone already.
    public mutating func remove(_ slot: Int32) {
        guard isPresent[Int(slot)] else { return }
        isPresent[Int(slot)] = false
        count -= 1
    }

    /// Whether a place is there.
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

/// What a `PlaceIndex` found, in no order.
public struct FoundPlaces: Sendable {
    /// Points that fulfil the question.
    public var points: [Int32] = []
    /// Places with an extent that may fulfil it.
    public var candidates: [Int32] = []

    /// Nothing found yet.
    public init() {}

    /// Forgets what was found and keeps the memory.
    public mutating func clear() {
        points.removeAll(keepingCapacity: true)
        candidates.removeAll(keepingCapacity: true)
    }

    mutating func add(_ entry: PlaceEntry) {
        if entry.reach == 0 { points.append(entry.slot) } else { candidates.append(entry.slot) }
    }
}
