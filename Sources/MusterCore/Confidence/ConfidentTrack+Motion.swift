public import MusterGeometry

/// The recent motion of a device: an earlier estimate, and the distance from there to the present one.
public struct Motion: Hashable, Sendable {
    /// The device's estimate 20 to 90 s ago.
    public let earlier: Coordinate
    /// The distance from there to the present estimate.
    public let metres: Double

    public init(earlier: Coordinate, metres: Double) {
        self.earlier = earlier
        self.metres = metres
    }
}

extension ConfidentTrack {
    /// The least time between two waypoints.
    private static var waypointMilliseconds: UInt32 { 10_000 }
    /// How old the waypoint may be that the present estimate is compared with.
    private static var motionMilliseconds: ClosedRange<UInt32> { 20_000...90_000 }
    /// How far from the waypoint a moving device is, in deviations of the estimate.
    private static var motionDeviations: Double { 1.5 }
    /// For how many fixes in a row it must be that far.
    private static var motionFixes: UInt8 { 3 }

    /// The device's recent motion; nil when it does not move, and while the filter checks a surprise.
    ///
    /// The device moves when for three fixes in a row its estimate is 1.5 deviations or more from where it was 20 s or
    /// more before, at 0.7 m/s or more. The speed that the device reports does not count here.
    public var motion: Motion? {
        guard movingFixes >= Self.motionFixes, surprises == 0, let mark = pastMark else { return nil }
        let perDegree = MetresPerDegree(latitude: latitude)
        let (x, y) = (Double(mark.eastDegrees) * perDegree.east, Double(mark.northDegrees) * perDegree.north)
        return Motion(earlier: coordinate(of: mark), metres: (x * x + y * y).squareRoot())
    }

    /// Whether the track has followed three fixes or more, over 20 s or more: the third waypoint needs them.
    var hasFollowedThreeFixes: Bool { earliestWaypoint.ageMilliseconds != Mark.none.ageMilliseconds }

    /// The newest waypoint that is old enough to tell motion from error.
    private var pastMark: Mark? {
        let age = Self.motionMilliseconds
        // No array, because this runs for every fix.
        let mark =
            waypoint.ageMilliseconds >= age.lowerBound
            ? waypoint : earlierWaypoint.ageMilliseconds >= age.lowerBound ? earlierWaypoint : earliestWaypoint
        return age.contains(mark.ageMilliseconds) ? mark : nil
    }

    /// Counts whether the estimate has moved, and sets a waypoint when one is due.
    mutating func noteMotion(after step: Step) {
        if surprises == 0 {
            if let mark = pastMark {
                // The comparison is of squares, because this runs for every fix.
                let slowest = Self.leastSpeed / 1000 * Double(mark.ageMilliseconds)
                let least = Self.motionDeviations * Self.motionDeviations * Double(variance + lasting)
                let moves = step.squareOfMetres(of: mark) >= max(slowest * slowest, least)
                movingFixes = moves ? min(movingFixes + 1, Self.motionFixes) : 0
            } else {
                movingFixes = 0
            }
        }
        guard waypoint.ageMilliseconds >= Self.waypointMilliseconds else { return }
        earliestWaypoint = earlierWaypoint
        earlierWaypoint = waypoint
        waypoint = Mark()
    }
}
