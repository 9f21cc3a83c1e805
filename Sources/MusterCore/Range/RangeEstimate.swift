/// How far two devices are from each other by a measured range.
struct RangeEstimate {
    /// The measured distance, metres.
    var metres: Double
    /// The variance of the measurement, square metres.
    var variance: Double
    /// When it was measured.
    var at: Instant
    /// The source of the range.
    var source: PeerRange.Source
    /// How fast the distance may change, squared: the speeds of both devices, at least a walk each.
    private var squaredSpeed: Double

    /// - Parameter speeds: the speeds of the two devices, metres a second; 0 for one that may stand.
    init(_ range: PeerRange, speeds: (Double, Double)) {
        metres = range.metres
        variance = range.deviationMetres * range.deviationMetres
        at = range.takenAt
        source = range.source
        let (one, other) = (PeerEstimate.possibleSpeed(speeds.0), PeerEstimate.possibleSpeed(speeds.1))
        squaredSpeed = one * one + other * other
    }

    /// Returns the distance as of a moment. Both may have moved since the measurement.
    func separation(at moment: Instant) -> Separation {
        let seconds = max(moment.seconds(since: at), 0)
        return Separation(
            metres: metres, deviationMetres: (variance + squaredSpeed * seconds * seconds).squareRoot())
    }
}

/// The evidence of the distance between two people: positions of their devices, or a range between them.
struct DistanceEvidence {
    var separation: Separation
    /// When the newer position was taken, or the range measured.
    var at: Instant
    /// The source of the range; nil for positions.
    var source: PeerRange.Source?

    /// Whether two distances differ by more than their errors explain.
    func contradicts(_ other: DistanceEvidence) -> Bool {
        let (one, another) = (separation.deviationMetres, other.separation.deviationMetres)
        let deviation = (one * one + another * another).squareRoot()
        return abs(separation.metres - other.separation.metres) > RangePolicy.contradictionDeviations * deviation
    }
}
