/// Which of many shapes hold a place. Exact: it answers as `Shape.contains` does.
///
/// A value: a copy keeps its answers while the original changes.
public struct RegionIndex: Sendable {
    private var ids: [Int32] = []
    private var shapes: [PreparedShape] = []
    private var sources: [Shape] = []

    /// An empty index.
    public init() {}

    /// The number of shapes.
    public var count: Int { ids.count }

    /// Puts a shape under a number, in place of the shape that had it.
    public mutating func put(_ shape: Shape, as id: Int32) {
        remove(id)
        let at = ids.firstIndex { $0 > id } ?? ids.count
        ids.insert(id, at: at)
        shapes.insert(PreparedShape(shape), at: at)
        sources.insert(shape, at: at)
    }

    /// Removes the shape with a number; nothing happens when there is none.
    public mutating func remove(_ id: Int32) {
        guard let at = ids.firstIndex(of: id) else { return }
        ids.remove(at: at)
        shapes.remove(at: at)
        sources.remove(at: at)
    }

    /// Appends the numbers of the shapes that hold a place, in ascending order; a place on a boundary is inside.
    ///
    /// Nothing is allocated when the array has room.
    public func regions(containing place: Coordinate, into result: inout [Int32]) {
        for index in ids.indices where shapes[index].contains(place) { result.append(ids[index]) }
    }

    /// Appends the numbers of the shapes that hold a place or whose boundary comes within a distance of it, ascending.
    public func regions(within radius: Metres, of place: Coordinate, into result: inout [Int32]) {
        for index in ids.indices where sources[index].signedDistanceToBoundary(from: place).value >= -radius.value {
            result.append(ids[index])
        }
    }
}
