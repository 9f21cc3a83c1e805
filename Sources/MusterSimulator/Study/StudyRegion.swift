import MusterGeometry

/// Where a study's region is, in metres.
package enum StudyRegion: Hashable, Sendable {
    /// A circle.
    case circle(Offset, radius: Double)
    /// All that is south of the origin, and further north by so much.
    case south(of: Double)
    /// A box around the origin, so far to either side.
    case box(east: Double, north: Double)
    /// All but such a box.
    case allBut(east: Double, north: Double)

    /// Metres from the boundary, positive inside.
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

    /// The true probability of being inside, or within a margin of it, for an error around an estimate that is normal
    /// and alike in all directions; nil of a circle, which has no closed form.
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
