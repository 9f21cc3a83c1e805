public import MusterGeometry

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
    /// The share of its way that a device must have come nearer to the boundary, or gone away from it, to move across
    /// it and not along it.
    static var acrossShare: Double { 0.6 }

    /// The standing after a fix, and the probability that the device is inside.
    ///
    /// From inside to outside and back the probability counts; a device that moves across the boundary in that
    /// direction needs less of it. A track that is checking a surprise has not moved its estimate, and so changes
    /// neither. The first standing is no crossing: from unknown to either there is no event.
    ///
    /// - Parameters:
    ///   - standing: what it was before the fix.
    ///   - d: signed distance of the track's estimate to the region's boundary; positive inside.
    ///   - sd: the track's deviation, above 0.
    ///   - isSettled: whether the track has two fixes and is checking none; only then unknown ends.
    ///   - mode: the region's.
    ///   - motion: the track's; nil when the device does not move. Asked for only when it can change the verdict.
    ///   - signedDistanceMetres: how far a place is from the region's boundary, positive inside. Asked at most once,
    ///     for the place where a moving device was, and only when the answer can change the verdict. What is farther
    ///     than the second argument may be told as infinitely far.
    public static func verdict(
        from standing: Standing, signedDistanceMetres d: Double, deviationMetres sd: Double, isSettled: Bool,
        mode: RegionMode = .standard, motion: @autoclosure () -> Motion? = nil,
        signedDistanceMetres: (Coordinate, _ limitMetres: Double) -> Double = { _, _ in .nan }
    ) -> (standing: Standing, probability: Double) {
        verdict(
            from: standing, signedDistanceMetres: d, deviationMetres: sd, isSettled: isSettled,
            thresholds: mode.thresholds, motion: motion(), signedDistanceMetres: signedDistanceMetres)
    }

    /// The same by other thresholds than a mode's, for studies of them.
    package static func verdict(
        from standing: Standing, signedDistanceMetres d: Double, deviationMetres sd: Double, isSettled: Bool,
        thresholds: CrossingThresholds, motion: @autoclosure () -> Motion?,
        signedDistanceMetres: (Coordinate, _ limitMetres: Double) -> Double
    ) -> (standing: Standing, probability: Double) {
        let probability = normalProbability(below: d / sd)
        switch standing {
        case .inside:
            if normalProbability(below: (d + thresholds.exitMarginMetres) / sd) < thresholds.exit {
                return (.outside, probability)
            }
            guard normalProbability(below: (d + thresholds.movingExitMarginMetres) / sd) < thresholds.movingExit,
                let motion = motion()
            else { return (.inside, probability) }
            let least = d + acrossShare * motion.metres
            return (signedDistanceMetres(motion.earlier, abs(least) + 1) >= least ? .outside : .inside, probability)
        case .outside:
            if probability > thresholds.enter { return (.inside, probability) }
            guard probability > thresholds.movingEnter, let motion = motion() else {
                return (.outside, probability)
            }
            let most = d - acrossShare * motion.metres
            return (signedDistanceMetres(motion.earlier, abs(most) + 1) <= most ? .inside : .outside, probability)
        case .unknown:
            guard isSettled else { return (.unknown, probability) }
            if probability > thresholds.enter { return (.inside, probability) }
            return (probability < thresholds.exit ? .outside : .unknown, probability)
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
