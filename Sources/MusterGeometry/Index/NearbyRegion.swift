/// A region that holds a place or comes near it, and how far away its boundary is.
public struct NearbyRegion: Hashable, BitwiseCopyable, Sendable {
    /// The region's number.
    public var id: Int32
    /// Metres from the place to the region's boundary: positive when the place is inside, negative when it is outside,
    /// 0 on the boundary. Infinite for a place inside whose boundary is farther away than was asked for.
    public var signedDistanceMetres: Double

    /// A region and how far away its boundary is.
    public init(id: Int32, signedDistanceMetres: Double) {
        self.id = id
        self.signedDistanceMetres = signedDistanceMetres
    }
}
