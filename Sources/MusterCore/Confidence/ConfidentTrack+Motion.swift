public import MusterGeometry

/// The way of a device that moves: where it was believed to be a while ago, and how far it is from there.
public struct Motion: Hashable, Sendable {
    /// Where it was believed to be, 20 to 90 s ago.
    public let earlier: Coordinate
    /// How far the estimate is from there.
    public let metres: Double

    /// A way.
    public init(earlier: Coordinate, metres: Double) {
        self.earlier = earlier
        self.metres = metres
    }
}

extension ConfidentTrack {
    /// From one waypoint to the next, at least.
    private static var waypointMilliseconds: UInt32 { 10_000 }
    /// How old the estimate may be that the present one is compared with.
    private static var motionMilliseconds: ClosedRange<UInt32> { 20_000...90_000 }
    /// How far, in deviations of the estimate, a device that moves is from where it was.
    private static var motionDeviations: Double { 1.5 }
    /// For how many fixes in a row.
    private static var motionFixes: UInt8 { 3 }

    /// How the device has moved of late; nil unless it moves, and while a surprise is being checked.
    ///
    /// It moves when for three fixes in a row the estimate is 1.5 deviations or more from where it was 20 s or more
    /// before, at 0.7 m/s or more. What the device says of its speed does not count here.
    public var motion: Motion? {
        guard movingFixes >= Self.motionFixes, surprises == 0, let mark = pastMark else { return nil }
        let perDegree = MetresPerDegree(latitude: latitude)
        let (x, y) = (Double(mark.eastDegrees) * perDegree.east, Double(mark.northDegrees) * perDegree.north)
        return Motion(earlier: coordinate(of: mark), metres: (x * x + y * y).squareRoot())
    }

    /// The newest waypoint that is old enough to tell motion from error.
    private var pastMark: Mark? {
        let age = Self.motionMilliseconds
        // No array: this is asked with every fix.
        let mark =
            waypoint.ageMilliseconds >= age.lowerBound
            ? waypoint : earlierWaypoint.ageMilliseconds >= age.lowerBound ? earlierWaypoint : earliestWaypoint
        return age.contains(mark.ageMilliseconds) ? mark : nil
    }

    /// Notes whether the estimate has moved, and where it is.
    mutating func noteMotion(after step: Step) {
        if surprises == 0 {
            if let mark = pastMark {
                // Squares: this is asked with every fix.
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
