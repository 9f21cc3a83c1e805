import MusterGeometry

// How far two devices are from each other, and how sure that is.

/// Where a device is believed to be, for its distance to another device.
struct PeerEstimate {
    var coordinate: Coordinate
    /// The variance of the estimate on each axis, square metres.
    var variance: Double
    /// The sample time of the newest fix.
    var at: Instant
    /// The speed of the device at that time, metres a second; 0 when it may stand.
    var speed: Double

    /// Widens the estimate by how far the device may have moved since its last good fix, when the newest fix is coarse:
    /// such a fix hardly moves the track, wherever it lies. Once the device may have gone farther than the newest fix
    /// errs, that fix alone counts.
    ///
    /// - Parameter fineAgeSeconds: how old the last good fix was at the newest one, seconds.
    mutating func loosen(by newest: ConfidentFix, fineAgeSeconds: Double) {
        let step = ConfidentTrack.Step(newest, from: newest.coordinate, elapsedSeconds: 0)
        guard step.isCoarse else { return }
        let moved = Self.possibleSpeed(speed) * fineAgeSeconds
        if moved * moved < step.variance {
            variance += moved * moved
        } else {
            (coordinate, variance) = (newest.coordinate, max(variance, step.variance))
        }
    }

    /// Returns the variance at a later moment: the device may have moved since, in any direction.
    func variance(at moment: Instant) -> Double {
        let moved = Self.possibleSpeed(speed) * max(moment.seconds(since: at), 0)
        return variance + moved * moved
    }

    /// Returns the speed at which a device may have moved since, metres a second: its own, or that of a walk.
    static func possibleSpeed(_ speed: Double) -> Double { max(speed, 1) }
}

/// The distance between two devices, and how uncertain it is.
package struct Separation: Hashable, Sendable {
    /// The distance between the estimates, metres.
    package var metres: Double
    /// The standard deviation on each axis of where one is as seen from the other, metres.
    package var deviationMetres: Double

    /// Measures the distance between two estimates as of a moment that is not before either.
    init(_ one: PeerEstimate, _ other: PeerEstimate, at moment: Instant) {
        metres = one.coordinate.distance(to: other.coordinate).value
        deviationMetres = (one.variance(at: moment) + other.variance(at: moment)).squareRoot()
    }

    /// Creates a separation from its fields.
    package init(metres: Double, deviationMetres: Double) {
        self.metres = metres
        self.deviationMetres = deviationMetres
    }

    /// Returns the probability that the true distance is below a radius.
    ///
    /// The error of where one is as seen from the other is normal and equal on both axes, so the distance has a Rice
    /// distribution. Its probability is the share of the error that lies in a disc, which the function sums up in
    /// strips across the line between the two. It is exact to 0.001.
    package func probability(withinMetres radius: Double) -> Double {
        let reach = 8 * deviationMetres
        if metres + reach <= radius { return 1 }
        let (first, last) = (max(-radius, metres - reach), min(radius, metres + reach))
        guard first < last, deviationMetres > 0 else { return metres <= radius && deviationMetres == 0 ? 1 : 0 }
        let width = (last - first) / Double(Self.strips)
        var below = normalProbability(below: (first - metres) / deviationMetres)
        var sum = 0.0
        for strip in 1...Self.strips {
            let end = first + width * Double(strip)
            let belowEnd = normalProbability(below: (end - metres) / deviationMetres)
            let middle = end - width / 2
            let half = max(radius * radius - middle * middle, 0).squareRoot()
            sum += (belowEnd - below) * (2 * normalProbability(below: half / deviationMetres) - 1)
            below = belowEnd
        }
        return sum
    }

    /// Decides whether the two are within a radius of each other.
    ///
    /// Large errors make a small radius improbable wherever the two are, which is no evidence that they are apart. So
    /// `.beyond` asks how far the distance between the estimates is above the radius, in deviations.
    ///
    /// - Parameter isRange: whether a radio measured the distance. Then the margin beyond which someone has left is at
    ///   most a quarter of the radius, because ranges do not drift as fixes do.
    func standing(withinMetres radius: Double, _ mode: RegionMode, isRange: Bool = false) -> ProximityStanding {
        if probability(withinMetres: radius) > mode.enterProbability { return .within }
        let margin = isRange ? min(mode.exitMarginMetres, radius / 4) : mode.exitMarginMetres
        let excess = metres - radius - margin
        return normalProbability(below: -excess / deviationMetres) < mode.exitProbability ? .beyond : .unknown
    }

    private static let strips = 64
}
