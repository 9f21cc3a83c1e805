public import MusterGeometry

// How the confident policy decides a device's standing in a region from its track.

/// Whether a device is inside a region, as far as the engine knows.
public enum Standing: UInt8, Hashable, Sendable, CaseIterable {
    /// The fixes so far decide neither.
    case unknown
    /// The device is in the region.
    case inside
    /// The device is not in the region.
    case outside
}

/// Decides from a device's track whether the device is inside a region, by how many deviations its estimate is from the
/// boundary.
///
/// An enter needs a probability of more than one half, and so an estimate inside: a device that is outside or unknown
/// enters only regions that hold its estimate.
public enum ConfidentPolicy {
    /// A device moves across a boundary, and not along it, when this share of its way brought it nearer to the boundary
    /// or farther from it.
    static var acrossShare: Double { 0.6 }

    /// Returns the standing after a fix, and the probability that the device is inside.
    ///
    /// The probability decides changes between inside and outside; a device that moves across the boundary in that
    /// direction needs less of it. A track that checks a surprise has not moved its estimate, and so changes nothing. A
    /// first standing, after unknown, is no crossing.
    ///
    /// - Parameters:
    ///   - standing: the standing before the fix.
    ///   - d: the distance from the track's estimate to the region's boundary in metres, positive inside.
    ///   - sd: the track's standard deviation in metres, above 0.
    ///   - isSettled: whether the track has two fixes and checks none; only then can unknown end.
    ///   - mode: the region's mode.
    ///   - motion: the track's motion; nil when the device does not move. Evaluated only when it can change the
    ///     verdict.
    ///   - signedDistanceMetres: returns the distance from a place to the region's boundary, positive inside; it may
    ///     return ±∞ for a distance beyond its second argument. Called at most once, for the earlier place of a moving
    ///     device, and only when the result can change the verdict.
    public static func verdict(
        from standing: Standing, signedDistanceMetres d: Double, deviationMetres sd: Double, isSettled: Bool,
        mode: RegionMode = .standard, motion: @autoclosure () -> Motion? = nil,
        signedDistanceMetres: (Coordinate, _ limitMetres: Double) -> Double = { _, _ in .nan }
    ) -> (standing: Standing, probability: Double) {
        verdict(
            from: standing, signedDistanceMetres: d, deviationMetres: sd, isSettled: isSettled,
            thresholds: mode.thresholds, motion: motion(), signedDistanceMetres: signedDistanceMetres)
    }

    /// Returns the verdict under other thresholds than a mode's, for studies of them.
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

    /// Whether a region is too small to be entered with this standard deviation: the probability is too low even at its
    /// centre. A client should then show "accuracy too poor for this region", not "outside".
    ///
    /// With the track's `leastDeviationMetres` the result holds however long such fixes go on; with its
    /// `deviationMetres` it holds for the moment.
    ///
    /// - Parameter inradiusMetres: the distance to the boundary from the point inside that is farthest from it.
    public static func isAccuracyTooPoor(
        inradiusMetres: Double, deviationMetres: Double, mode: RegionMode = .standard
    ) -> Bool {
        normalProbability(below: inradiusMetres / deviationMetres) <= mode.enterProbability
    }
}
