// `Ring`: a closed line of a polygon, unrolled over the antimeridian, with its bounds.

/// Where a point lies with respect to a closed set.
enum Location {
    case outside
    case boundary
    case inside
}

/// A ring unrolled: its longitudes continue across the antimeridian, each as given plus whole turns.
///
/// How an edge runs, from the longitudes of its ends:
/// - less than or exactly 180° apart: straight between them, as written;
/// - more than 180° apart: across the antimeridian, the short way;
/// - from −180 to 180 or back: the same meridian, so it stays there (a vertical edge, or none). Only where it
///   stands in a cut along the antimeridian (at a pole, or at one latitude with the edges before and after it on the
///   antimeridian too) it runs along the whole parallel, as in a band round the globe.
///
/// A ring that comes back one turn away from where it started encloses a pole.
struct Ring: Hashable, Sendable {
    /// Which pole a ring encloses by going round it.
    enum Pole: Hashable, Sendable {
        case north
        case south
    }

    /// Longitudes as given; closed.
    let longitudes: [Double]
    /// Latitudes; closed.
    let latitudes: [Double]
    /// Whole turns to add to each longitude; empty when all are 0.
    let turns: [Int]
    /// The pole it encloses by going round it, if it does.
    let pole: Pole?
    /// The box of the unrolled ring; the longitudes are rounded outwards where turns are added.
    let west: Double
    let east: Double
    let south: Double
    let north: Double

    /// Unrolls a closed ring. Which pole a ring round the globe encloses follows from its direction: the pole on the
    /// left of an exterior and on the right of a hole.
    init(_ positions: [Coordinate], isHole: Bool) {
        self.init(longitudes: positions.map { $0.longitude }, latitudes: positions.map { $0.latitude }, isHole: isHole)
    }

    /// Unrolls a closed ring given as two arrays of equal length.
    init(longitudes: [Double], latitudes: [Double], isHole: Bool) {
        let turns = Self.turns(longitudes, latitudes)
        let net = turns.last ?? 0
        self.longitudes = longitudes
        self.latitudes = latitudes
        self.pole = net == 0 ? nil : ((net > 0) != isHole ? .north : .south)
        var west = Double.infinity
        var east = -Double.infinity
        var south = Double.infinity
        var north = -Double.infinity
        var isTurned = false
        for index in longitudes.indices {
            let longitude = longitudes[index] + 360 * Double(turns[index])
            if turns[index] != 0 { isTurned = true }
            west = min(west, longitude)
            east = max(east, longitude)
            south = min(south, latitudes[index])
            north = max(north, latitudes[index])
        }
        self.turns = isTurned ? turns : []
        self.west = isTurned ? west - 1e-12 : west
        self.east = isTurned ? east + 1e-12 : east
        self.south = south
        self.north = north
    }

    /// The number of edges.
    var edgeCount: Int { max(0, longitudes.count - 1) }

    /// A vertex's longitude with its turns.
    @inline(__always)
    func longitude(_ index: Int) -> TurnedLongitude {
        TurnedLongitude(degrees: longitudes[index], turns: turns.isEmpty ? 0 : turns[index])
    }

    /// Returns the whole turns of each vertex, relative to the first.
    private static func turns(_ longitudes: [Double], _ latitudes: [Double]) -> [Int] {
        var result = [Int](repeating: 0, count: longitudes.count)
        guard longitudes.count > 1 else { return result }
        for index in 1..<longitudes.count {
            let difference = longitudes[index] - longitudes[index - 1]
            var turn = 0
            if abs(difference) > 180 {
                // The comparison is exact: where rounding matters (a difference of 180 and a hair) both ways are
                // equally short.
                if abs(difference) < 360 || !runsAlongParallel(longitudes, latitudes, index) {
                    turn = difference > 0 ? -1 : 1
                }
            }
            result[index] = result[index - 1] + turn
        }
        return result
    }

    /// Whether the edge that ends at `index` and joins −180 to 180 is part of a cut along the antimeridian.
    private static func runsAlongParallel(_ longitudes: [Double], _ latitudes: [Double], _ index: Int) -> Bool {
        guard latitudes[index] == latitudes[index - 1] else { return false }
        if abs(latitudes[index]) == 90 { return true }
        // The neighbours in a closed ring; its last position repeats its first.
        let last = longitudes.count - 1
        let before = index >= 2 ? index - 2 : last - 1
        let after = index < last ? index + 1 : 1
        return longitudes[before] == longitudes[index - 1] && longitudes[after] == longitudes[index]
    }
}
