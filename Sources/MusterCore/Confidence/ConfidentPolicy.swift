import MusterGeometry

/// What is known of a device in a region.
public enum Standing: UInt8, Hashable, Sendable, CaseIterable {
    /// Not enough yet to say either.
    case unknown
    /// The device is in the region.
    case inside
    /// The device is not in the region.
    case outside
}

/// Decides from a device's track whether it is in a region: two tests of how many deviations its estimate is from the
/// boundary.
///
/// An enter needs a probability of more than one half, and so an estimate inside: who is outside or unknown enters only
/// regions that hold the estimate.
public enum ConfidentPolicy {
    /// The standing after a fix, and the probability that the device is inside.
    ///
    /// From inside to outside and back only the probability counts. A track that is checking a surprise has not moved
    /// its estimate, and so changes neither. The first standing is no crossing: from unknown to either there is no
    /// event.
    ///
    /// - Parameters:
    ///   - standing: what it was before the fix.
    ///   - d: signed distance of the track's estimate to the region's boundary; positive inside.
    ///   - sd: the track's deviation, above 0.
    ///   - isSettled: whether the track has two fixes and is checking none; only then unknown ends.
    ///   - mode: the region's.
    public static func verdict(
        from standing: Standing, signedDistanceMetres d: Double, deviationMetres sd: Double, isSettled: Bool,
        mode: RegionMode = .standard
    ) -> (standing: Standing, probability: Double) {
        let probability = normalProbability(below: d / sd)
        switch standing {
        case .inside:
            let near = normalProbability(below: (d + mode.exitMarginMetres) / sd)
            return (near < mode.exitProbability ? .outside : .inside, probability)
        case .outside:
            return (probability > mode.enterProbability ? .inside : .outside, probability)
        case .unknown:
            guard isSettled else { return (.unknown, probability) }
            if probability > mode.enterProbability { return (.inside, probability) }
            return (probability < mode.exitProbability ? .outside : .unknown, probability)
        }
    }

    /// Whether a region is too small to be entered with such a deviation: even in its very middle the probability
    /// would not be enough. Say then "accuracy too poor for this region", not "outside".
    ///
    /// With the track's `leastDeviationMetres` the answer holds however long such fixes go on; with its
    /// `deviationMetres` it holds for the moment.
    ///
    /// - Parameter inradiusMetres: the distance to the boundary from the point inside that is farthest from it.
    public static func isAccuracyTooPoor(
        inradiusMetres: Double, deviationMetres: Double, mode: RegionMode = .standard
    ) -> Bool {
        normalProbability(below: inradiusMetres / deviationMetres) <= mode.enterProbability
    }
}
