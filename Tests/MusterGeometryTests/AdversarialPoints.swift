import Foundation
import MusterGeometry

/// Seeded places at which an index could go wrong: on corners and edges and a hair beside them, level with corners, on
/// the borders of cells, on the antimeridian, at the poles.
struct AdversarialPoints {
    /// How many places a data set gets: 20,000 in `make soak`, 5,000 in `make test`, or the number in
    /// MUSTER_EXACTNESS_POINTS.
    static let count =
        ProcessInfo.processInfo.environment["MUSTER_EXACTNESS_POINTS"].flatMap { Int($0) } ?? rounds(20_000)

    /// Longitudes and latitudes at which an index divides the world, ascending.
    struct Borders {
        var longitudes: [Double]
        var latitudes: [Double]

        /// The sides of an index's cells, and a little beside them the corners for which parities are told and the
        /// lines to which edges are cut.
        init(_ index: RegionIndex) {
            let shares: [Double] = [
                0, 1, -1e-6, 22 / 63_488, -22 / 63_488, 24 / 63_488, -24 / 63_488, 1 / 63_488, -1 / 63_488,
            ]
            var longitudes: Set<Double> = []
            var latitudes: Set<Double> = []
            for cell in index.cells {
                for share in shares {
                    longitudes.insert(max(-180, min(180, cell.west + share * cell.width)))
                    latitudes.insert(max(-90, min(90, cell.south + share * cell.height)))
                }
            }
            self.longitudes = longitudes.sorted()
            self.latitudes = latitudes.sorted()
        }
    }

    private let rings: [[Coordinate]]
    private let circles: [Circle]
    private let borders: Borders
    private var random: SeededRandom

    init(_ shapes: [Shape], _ index: RegionIndex, random: SeededRandom) {
        rings = shapes.flatMap { $0.polygons.flatMap { [$0.exterior] + $0.holes } }
        circles = shapes.compactMap { if case .circle(let circle) = $0 { circle } else { nil } }
        borders = Borders(index)
        self.random = random
    }

    /// The next place; each kind in its turn by chance.
    mutating func next() -> Coordinate {
        let circleShare = Double(circles.count) / Double(circles.count + rings.count)
        return random.number(0...1) < circleShare ? nearCircle() : nearRing()
    }

    private mutating func nearRing() -> Coordinate {
        let ring = rings[pick(rings.count)]
        let at = pick(ring.count - 1)
        let (a, b) = (ring[at], ring[at + 1])
        let other = ring[pick(ring.count)]
        let step = (b.longitude - a.longitude).remainder(dividingBy: 360)
        let along = random.number(0...1)
        let onEdge = place(a.latitude + along * (b.latitude - a.latitude), a.longitude + along * step)
        switch pick(13) {
        case 0: return a
        case 1: return place((a.latitude + b.latitude) / 2, a.longitude + step / 2)
        case 2: return beside(a)
        case 3: return beside(onEdge)
        case 4: return place(a.latitude, other.longitude)
        case 5: return place(other.latitude, a.longitude + random.number(-2...2) * step)
        case 6: return place(a.latitude + random.number(-2...2) * (b.latitude - a.latitude), other.longitude)
        case 7:
            let level = pick(2) == 0 ? onEdge : a
            return beside(place(level.latitude, border(borders.longitudes, level.longitude)))
        case 8:
            let level = pick(2) == 0 ? onEdge : a
            return beside(place(border(borders.latitudes, level.latitude), level.longitude))
        case 9: return crossing(a, b, step)
        case 10:
            return beside(
                place(border(borders.latitudes, a.latitude), border(borders.longitudes, a.longitude)))
        case 11: return edgeOfTheWorld(a)
        default:
            let away = pow10(random.number(-15...0))
            let (north, east) = (away * random.number(-1...1), away * random.number(-1...1))
            return place(onEdge.latitude + north, onEdge.longitude + east)
        }
    }

    /// Where an edge crosses the border of a cell, as nearly as doubles can tell.
    private mutating func crossing(_ a: Coordinate, _ b: Coordinate, _ step: Double) -> Coordinate {
        let middle = a.longitude + step / 2
        let longitude = border(borders.longitudes, middle)
        guard step != 0 else { return beside(place((a.latitude + b.latitude) / 2, longitude)) }
        return beside(place(a.latitude + (longitude - a.longitude) / step * (b.latitude - a.latitude), longitude))
    }

    private mutating func nearCircle() -> Coordinate {
        let circle = circles[pick(circles.count)]
        let bearing = pick(3) == 0 ? Double(pick(8)) * 45 : random.number(0...360)
        let rim = circle.centre.destination(bearing: Degrees(bearing), distance: circle.radius)
        switch pick(8) {
        case 0: return rim
        case 1: return beside(rim)
        case 2: return beside(place(rim.latitude, border(borders.longitudes, rim.longitude)))
        case 3: return beside(place(border(borders.latitudes, rim.latitude), rim.longitude))
        case 4: return edgeOfTheWorld(rim)
        case 5: return beside(circle.centre)
        case 6:
            let distance = circle.radius.value * (1 + pow10(random.number(-16...0)) * random.number(-1...1))
            return circle.centre.destination(bearing: Degrees(bearing), distance: Metres(distance))
        default:
            let away = circle.radius.value * random.number(0...1.5)
            return circle.centre.destination(bearing: Degrees(bearing), distance: Metres(away))
        }
    }

    /// On the antimeridian or at a pole, or a hair beside; seldom, but level with something.
    private mutating func edgeOfTheWorld(_ corner: Coordinate) -> Coordinate {
        switch pick(5) {
        case 0: return Coordinate(validLatitude: corner.latitude, longitude: pick(2) == 0 ? 180 : -180)
        case 1: return beside(Coordinate(validLatitude: corner.latitude, longitude: pick(2) == 0 ? 180 : -180))
        case 2: return Coordinate(validLatitude: pick(2) == 0 ? 90 : -90, longitude: corner.longitude)
        case 3: return beside(Coordinate(validLatitude: pick(2) == 0 ? 90 : -90, longitude: corner.longitude))
        default: return Coordinate(validLatitude: random.number(-90...90), longitude: pick(2) == 0 ? 180 : -180)
        }
    }

    /// None to three representable numbers away, in each direction by itself.
    private mutating func beside(_ place: Coordinate) -> Coordinate {
        var (latitude, longitude) = (place.latitude, place.longitude)
        for _ in 0..<pick(4) { latitude = pick(2) == 0 ? latitude.nextUp : latitude.nextDown }
        for _ in 0..<pick(4) { longitude = pick(2) == 0 ? longitude.nextUp : longitude.nextDown }
        return self.place(latitude, longitude)
    }

    /// The border that is nearest to a number, or sometimes any.
    private mutating func border(_ sorted: [Double], _ near: Double) -> Double {
        guard !sorted.isEmpty else { return near }
        if pick(8) == 0 { return sorted[pick(sorted.count)] }
        var (low, high) = (0, sorted.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < near { low = middle + 1 } else { high = middle }
        }
        return low > 0 && near - sorted[low - 1] < sorted[low] - near ? sorted[low - 1] : sorted[low]
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    /// A place on the globe: over a pole it stops there, over the antimeridian it goes on.
    private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        let turned = abs(longitude) <= 180 ? longitude : longitude.remainder(dividingBy: 360)
        return Coordinate(validLatitude: max(-90, min(90, latitude)).onLattice, longitude: turned.onLattice)
    }
}
