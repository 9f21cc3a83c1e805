import MusterGeometry

/// How far a device may go from where it was last compared with the regions, until it can matter where it is: no
/// boundary is nearer. As long as it stays within that, it is inside of the same regions, and nothing needs to be
/// asked.
///
/// It speaks of a device at rest: one whose last fix changed nothing, and the next ones would change nothing either as
/// long as no boundary is near. Whatever changes a device's presences ends it, and so does an edit of what there is to
/// cross. In 16 bytes, for there is one a device; not stored.
struct BoundaryFreeRadius: Hashable, Sendable {
    // The place, in ten millionths of a degree: a centimetre.
    private var latitude: Int32 = 0
    private var longitude: Int32 = 0
    private var metres: Float = 0
    private var stamp: UInt32 = 0

    /// None.
    init() {}

    /// Around a place, under what there was to cross at that stamp of the catalog.
    init(around place: Coordinate, metres: Double, stamp: UInt32) {
        latitude = Int32((place.latitude * Self.perDegree).rounded())
        longitude = Int32((place.longitude * Self.perDegree).rounded())
        self.metres = Float(metres)
        self.stamp = stamp
    }

    private static let perDegree = 1e7
    /// What is lost where the place is rounded, and by far not lost in distances.
    private static let slackMetres = 0.1
    private static let slackShare = 1.01
    /// No degree on the globe is longer, in metres.
    private static let greatestDegree = 111_695.0

    /// Nothing is clear any more.
    @inline(__always)
    mutating func end() { metres = 0 }

    /// Whether no boundary is within so many metres of a place.
    @inline(__always)
    func holds(at place: Coordinate, reachMetres: Double, stamp: UInt32) -> Bool {
        guard stamp == self.stamp else { return false }
        let left = Double(metres) - Self.slackMetres - reachMetres
        guard left > 0 else { return false }
        let square = squareOfMetres(to: place)
        return square * (Self.slackShare * Self.slackShare) < left * left
    }

    /// Whether a place is farther away than so many metres.
    func isFarther(than metres: Double, from place: Coordinate) -> Bool {
        squareOfMetres(to: place) > metres * metres
    }

    /// The square of how far a place is, or of more; of much more across the antimeridian.
    @inline(__always)
    private func squareOfMetres(to place: Coordinate) -> Double {
        let radians = place.latitude * (Double.pi / 180)
        let square = radians * radians
        // The cosine or a bit more: the next member of the series is negative.
        let narrowing = 1 - square * (0.5 - square * (1 / 24))
        let north = place.latitude - Double(latitude) / Self.perDegree
        let east = (place.longitude - Double(longitude) / Self.perDegree) * narrowing
        return (north * north + east * east) * (Self.greatestDegree * Self.greatestDegree)
    }
}
