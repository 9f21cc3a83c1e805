/// A region that holds a place or comes near it, and how far away its boundary is.
public struct NearbyRegion: Hashable, BitwiseCopyable, Sendable {
    /// The region's number.
    public var id: Int32
    /// The distance from the place to the region's boundary, metres: positive when the place is inside, negative when
    /// it is outside, 0 on the boundary. Infinite for a place inside whose boundary is farther away than the radius of
    /// the query.
    public var signedDistanceMetres: Double

    /// Creates a region with the distance of its boundary.
    public init(id: Int32, signedDistanceMetres: Double) {
        self.id = id
        self.signedDistanceMetres = signedDistanceMetres
    }
}
