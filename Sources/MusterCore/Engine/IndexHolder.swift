import MusterGeometry

/// A reference to an index that the engine queries for every observation. Its methods query the index without a copy;
/// as an element of an array, the index was retained ten times a query.
final class IndexHolder: Sendable {
    let index: RegionIndex
    init(_ index: RegionIndex) { self.index = index }
    static let empty = IndexHolder(RegionIndex())

    /// Replaces a holder by one of a changed index.
    static func change(_ holder: inout IndexHolder, _ body: (inout RegionIndex) -> Void) {
        var index = holder.index
        // The owner drops its reference first, so that `body` changes the index in place.
        holder = .empty
        body(&index)
        holder = IndexHolder(index)
    }

    @inline(never)
    func regions(containing place: Coordinate, into found: inout Answers<Int32>) {
        index.regions(containing: place, into: &found)
    }

    @inline(never)
    func approach(_ places: UnsafeBufferPointer<Coordinate>, measuring: Bool) -> Int {
        index.approach(places, measuring: measuring)
    }

    @inline(never)
    func nearby(_ place: Coordinate, within reach: Metres, into found: inout Answers<NearbyRegion>) {
        index.nearby(place, within: reach, into: &found)
    }

    @inline(never)
    func boundaryFreeRadius(around place: Coordinate, within limit: Metres) -> Metres {
        index.boundaryFreeRadius(around: place, within: limit)
    }
}
