import MusterGeometry

/// Paths: fixes that lead on from each other, so that the device moves although it reports no speed, or wrongly that it
/// stands. The filter follows a path by its speed, as it follows a speed that the device reports.
extension ConfidentTrack {
    /// The worst accuracy of the fixes that begin a path, metres.
    private static var pathAccuracy: Double { 50 }
    /// The least cosine of the angle between the two legs of a path.
    private static var leastCosine: Double { 0.7 }
    /// How far the ends of a path are apart that begins at an anchor, and how far its middle may lie off the straight
    /// line, in deviations.
    private static var anchorGate: Double { 3.3 }
    /// How old the first of the anchors of a path may be, seconds.
    private static var longestAnchorSeconds: Double { 90 }
    /// The time over which the velocity of a path is averaged, seconds.
    private static var pathSeconds: Double { 15 }
    /// How far the estimate on a path lags behind, in deviations of a fix: more than with a reported speed, because
    /// the speed of a path has the errors of the fixes.
    static var pathLagShare: Double { 1.5 }

    /// The speed of the path that the last fixes form, metres a second; 0 while they form none.
    var pathSpeed: Double { (Double(pathEast) * Double(pathEast) + Double(pathNorth) * Double(pathNorth)).squareRoot() }

    /// Whether the last fixes form a path.
    private var hasPath: Bool { pathEast != 0 || pathNorth != 0 }

    /// Whether the last fixes form a path and the device reports no speed that counts more.
    func isOnPath(_ step: Step) -> Bool { hasPath && lacksSpeed(step) }

    /// Whether the device reports no speed, or wrongly that it stands.
    private func lacksSpeed(_ step: Step) -> Bool { step.saidSpeed == nil || doubtsStanding == 1 }

    /// Forgets the path, because a fix does not lead on from it.
    mutating func endPath() { (pathEast, pathNorth) = (0, 0) }

    /// Moves the track to a surprise, when the surprises form a path with the estimate.
    ///
    /// The surprises moved by more than their errors. They form a path when they went on in the direction in which the
    /// first one lay, and no slower than half as fast as the device would have come there. A wrong place stays where it
    /// is or jumps, and a jump is faster than what follows it.
    ///
    /// - Returns: whether they form one.
    mutating func takePath(to step: Step) -> Bool {
        guard step.isFine, step.accuracy <= Self.pathAccuracy, surprises >= 2, candidate.ageMilliseconds > 0 else {
            return false
        }
        let first = step.offset(of: candidateStart)
        let way = step.offset - first
        let velocity = way * (1000 / Double(candidate.ageMilliseconds))
        guard velocity.length >= Self.leastSpeed, velocity.length <= Self.greatestSpeed,
            first.east * way.east + first.north * way.north >= Self.leastCosine * first.length * way.length
        else { return false }
        let errors = Self.gate * Double(candidateStartVariance).squareRoot()
        guard first.length <= 2 * velocity.length * Double(gapMilliseconds) / 1000 + errors else { return false }
        restart(at: step)
        (pathEast, pathNorth) = (Float(velocity.east), Float(velocity.north))
        return true
    }

    /// Begins a path when the last two anchors and a fix lie in a row, and the first is farther from the fix than their
    /// errors explain.
    mutating func beginPath(at step: Step) {
        guard anchors == 2, !hasPath, lacksSpeed(step), step.accuracy <= Self.pathAccuracy,
            step.elapsed <= Self.sparseSeconds
        else { return }
        let seconds = Double(earlierAnchor.ageMilliseconds) / 1000
        let way = step.offset - step.offset(of: earlierAnchor)
        let errors = step.deviation * (1 + Double(anchorAccuracy) / step.accuracy) / 2
        guard seconds <= Self.longestAnchorSeconds, way.length >= Self.anchorGate * 2.0.squareRoot() * errors,
            way.length >= Self.leastSpeed * seconds, way.length <= Self.greatestSpeed * seconds
        else { return }
        let rest = Double(anchor.ageMilliseconds) / Double(earlierAnchor.ageMilliseconds)
        let bend = step.offset(of: anchor) - (step.offset - way * rest)
        guard bend.length <= Self.anchorGate * errors else { return }
        let velocity = way * (1 / seconds)
        (pathEast, pathNorth) = (Float(velocity.east), Float(velocity.north))
    }

    /// Averages the velocity of a path with the way to a fix that is no surprise, and halves it when the fix shows less
    /// than half of the way. The path ends when it is too slow to be told from the errors of the fixes.
    mutating func continuePath(to step: Step) {
        guard hasPath, step.isFine else { return }
        let elapsed = max(step.elapsed, 0.5)
        let way = step.offset
        let speed = pathSpeed
        let progress = (way.east * Double(pathEast) + way.north * Double(pathNorth)) / speed
        if progress < 0.5 * speed * elapsed - step.deviation {
            pathEast /= 2
            pathNorth /= 2
        } else {
            let share = Float(elapsed / (elapsed + Self.pathSeconds))
            pathEast += share * (Float(way.east / elapsed) - pathEast)
            pathNorth += share * (Float(way.north / elapsed) - pathNorth)
        }
        if pathSpeed * Self.pathSeconds < step.deviation { endPath() }
    }
}
