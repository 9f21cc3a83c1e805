import MusterGeometry

/// How far a device may move from where the engine last compared it with the regions, before it can reach a boundary.
/// Within this radius it stays inside the same regions, and the engine queries no index.
///
/// The radius holds for a device at rest: its last fix changed no presence, and its next ones change none as long as no
/// boundary is near. A change of the device's presences ends it, and so does an edit of regions, links or policies. The
/// engine keeps two in memory for each device, in 16 bytes each, and does not store them.
struct BoundaryFreeRadius: Hashable, Sendable {
    // The centre, in ten millionths of a degree: a centimetre.
    private var latitude: Int32 = 0
    private var longitude: Int32 = 0
    private var metres: Float = 0
    private var stamp: UInt32 = 0

    /// Creates a radius of 0, which holds nowhere.
    init() {}

    /// Creates a radius around a place, valid while the catalog's stamp is `stamp`.
    init(around place: Coordinate, metres: Double, stamp: UInt32) {
        latitude = Int32((place.latitude * Self.perDegree).rounded())
        longitude = Int32((place.longitude * Self.perDegree).rounded())
        self.metres = Float(metres)
        self.stamp = stamp
    }

    private static let perDegree = 1e7
    /// Allowances for rounding: of the centre in metres, and of distances by more than they can err.
    private static let slackMetres = 0.1
    private static let slackShare = 1.01
    /// The greatest length of a degree on the globe, metres.
    private static let greatestDegree = 111_695.0

    /// Sets the radius to 0.
    @inline(__always)
    mutating func end() { metres = 0 }

    /// Whether no boundary is within `reachMetres` of a place. False once the catalog has another stamp.
    @inline(__always)
    func holds(at place: Coordinate, reachMetres: Double, stamp: UInt32) -> Bool {
        guard stamp == self.stamp else { return false }
        let left = Double(metres) - Self.slackMetres - reachMetres
        guard left > 0 else { return false }
        let square = squareOfMetres(to: place)
        return square * (Self.slackShare * Self.slackShare) < left * left
    }

    /// Whether a place may be more than `metres` from the centre; by the upper bound of the distance.
    func isFarther(than metres: Double, from place: Coordinate) -> Bool {
        squareOfMetres(to: place) > metres * metres
    }

    /// Returns an upper bound of the squared distance from the centre, square metres. Across the antimeridian it is far
    /// too large.
    @inline(__always)
    private func squareOfMetres(to place: Coordinate) -> Double {
        let radians = place.latitude * (Double.pi / 180)
        let square = radians * radians
        // At least the cosine: the next term of the series is negative.
        let narrowing = 1 - square * (0.5 - square * (1 / 24))
        let north = place.latitude - Double(latitude) / Self.perDegree
        let east = (place.longitude - Double(longitude) / Self.perDegree) * narrowing
        return (north * north + east * east) * (Self.greatestDegree * Self.greatestDegree)
    }
}

extension DeviceState {
    /// Makes the engine compare the device with the regions again: it may cross others than before.
    mutating func endBoundaryFreeRadii() {
        boundaryFreeRadius.end()
        shelterFreeRadius.end()
    }
}
