package import MusterGeometry

/// A region of the study, in metres around the origin.
package enum StudyRegion: Hashable, Sendable {
    /// A circle around a centre.
    case circle(Offset, radius: Double)
    /// Everything south of a line that lies this far north of the origin.
    case south(of: Double)
    /// A box around the origin that reaches this far to either side.
    case box(east: Double, north: Double)
    /// Everything outside of such a box.
    case allBut(east: Double, north: Double)

    /// Returns the distance to the boundary in metres, positive inside.
    package func signedDistance(of offset: Offset) -> Double {
        switch self {
        case .circle(let centre, let radius): return radius - (offset - centre).length
        case .south(let north): return north - offset.north
        case .allBut(let east, let north):
            return -StudyRegion.box(east: east, north: north).signedDistance(of: offset)
        case .box(let east, let north):
            let (x, y) = (abs(offset.east) - east, abs(offset.north) - north)
            if x <= 0 && y <= 0 { return -max(x, y) }
            return -Offset(east: max(x, 0), north: max(y, 0)).length
        }
    }

    /// Returns the exact probability of being inside, or within a margin, for a normal error around an estimate that is
    /// equal in all directions; nil for a circle, which has no closed form.
    package func mass(around estimate: Offset, deviation: Double, margin: Double = 0) -> Double? {
        func between(_ half: Double, _ at: Double) -> Double {
            max(
                0,
                normalProbability(below: (half - at) / deviation) - normalProbability(below: (-half - at) / deviation))
        }
        switch self {
        case .circle: return nil
        case .south(let north): return normalProbability(below: (north - estimate.north + margin) / deviation)
        case .box(let east, let north):
            return between(east + margin, estimate.east) * between(north + margin, estimate.north)
        case .allBut(let east, let north):
            return 1 - between(max(0, east - margin), estimate.east) * between(max(0, north - margin), estimate.north)
        }
    }
}
