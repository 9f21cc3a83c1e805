import MusterGeometry
import MusterWire

/// A run of positions with longitudes that go on over the antimeridian instead of jumping, and how far they reach.
struct UnrolledPath {
    /// Longitude and latitude of each position.
    private(set) var positions: [(x: Double, y: Double)] = []
    private(set) var west = Double.infinity
    private(set) var east = -Double.infinity
    private(set) var south = Double.infinity
    private(set) var north = -Double.infinity

    /// Unrolls a path: each step goes the short way.
    init(_ path: [Coordinate]) {
        var turn = 0.0
        var before: Double?
        for place in path {
            if let before, abs(place.longitude - before) > 180 { turn += place.longitude > before ? -360 : 360 }
            before = place.longitude
            add(place.longitude + turn, place.latitude)
        }
    }

    /// Whether a ring comes back a turn away from where it began: it goes round a pole.
    var goesRound: Bool {
        guard let first = positions.first, let last = positions.last else { return false }
        return first.x != last.x
    }

    /// Closes a ring that goes round a pole: over the pole, a little beyond it, so that the pole is inside.
    mutating func closeOverPole() {
        guard goesRound, let first = positions.first, let last = positions.last else { return }
        // The exterior has its inside on the left: eastwards that is the north.
        let beyond = last.x > first.x ? 91.0 : -91.0
        add(last.x, beyond)
        add(first.x, beyond)
        add(first.x, first.y)
    }

    func shifted(by degrees: Double) -> UnrolledPath {
        var copy = self
        copy.positions = positions.map { ($0.x + degrees, $0.y) }
        copy.west += degrees
        copy.east += degrees
        return copy
    }

    private mutating func add(_ x: Double, _ y: Double) {
        positions.append((x, y))
        west = min(west, x)
        east = max(east, x)
        south = min(south, y)
        north = max(north, y)
    }
}

/// A geometry laid out in a plane, part by part: each part in one piece, wherever the antimeridian is.
struct UnrolledGeometry {
    /// What a part is.
    enum Part {
        case point(UnrolledPath)
        case line(UnrolledPath)
        case polygon([UnrolledPath])

        /// The path that says how far it reaches.
        var outline: UnrolledPath {
            switch self {
            case .point(let path), .line(let path): path
            case .polygon(let rings): rings[0]
            }
        }

        func shifted(by degrees: Double) -> Part {
            switch self {
            case .point(let path): .point(path.shifted(by: degrees))
            case .line(let path): .line(path.shifted(by: degrees))
            case .polygon(let rings): .polygon(rings.map { $0.shifted(by: degrees) })
            }
        }
    }

    let parts: [Part]

    init(_ geometry: PlainGeometry) {
        parts =
            geometry.points.map { .point(UnrolledPath([$0])) } + geometry.lines.map { .line(UnrolledPath($0)) }
            + geometry.polygons.map { .polygon(Self.rings($0)) }
    }

    /// The exterior, closed over a pole where it goes round one, and the holes each by the turn that puts it inside.
    private static func rings(_ rings: [[Coordinate]]) -> [UnrolledPath] {
        var exterior = UnrolledPath(rings[0])
        exterior.closeOverPole()
        let middle = (exterior.west + exterior.east) / 2
        return [exterior]
            + rings.dropFirst().map { ring in
                var hole = UnrolledPath(ring)
                if hole.goesRound { hole.closeOverPole() }
                let away = middle - (hole.west + hole.east) / 2
                return hole.shifted(by: (away / 360).rounded() * 360)
            }
    }

    /// How many corners all its parts have together.
    var cornerCount: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .point(let path), .line(let path): sum + path.positions.count
            case .polygon(let rings): sum + rings.reduce(0) { $0 + $1.positions.count }
            }
        }
    }

    /// A box that holds it, across the antimeridian where that is shorter.
    var boundingBox: BoundingBox? {
        let outlines = parts.map(\.outline)
        guard let south = outlines.map(\.south).min(), let north = outlines.map(\.north).max() else { return nil }
        let low = max(-90, south)
        let high = min(90, north)
        guard let seam = Self.seam(of: outlines), low > -90, high < 90 else {
            return BoundingBox(south: low, west: -180, north: high, east: 180)
        }
        let laid = outlines.map { $0.shifted(by: Self.turn(of: $0, from: seam)) }
        let west = laid.map(\.west).min() ?? -180
        let east = laid.map(\.east).max() ?? 180
        func wrapped(_ degrees: Double) -> Double {
            abs(degrees) <= 180 ? degrees : degrees - (degrees / 360).rounded() * 360
        }
        // A hair wider where a turn was rounded.
        let slack = abs(west) > 180 || abs(east) > 180 ? 1e-12 : 0
        return BoundingBox(
            south: low, west: max(-180, wrapped(west) - slack), north: high, east: min(180, wrapped(east) + slack))
    }

    /// A longitude that none of some paths crosses: the middle of the widest gap; nil where there is no gap.
    static func seam(of outlines: [UnrolledPath]) -> Double? {
        if outlines.contains(where: { $0.east - $0.west >= 360 }) { return nil }
        // Each begins within one turn; what reaches beyond it covers the beginning of the next.
        let spans = outlines.map { outline -> (west: Double, east: Double) in
            let shift = turn(of: outline, from: -180)
            return (outline.west + shift, outline.east + shift)
        }.sorted { $0.west < $1.west }
        guard let first = spans.first else { return -180 }
        var reach = max(first.east, (spans.map(\.east).max() ?? 0) - 360)
        var best = (width: 0.0, middle: 0.0)
        for span in spans.dropFirst() {
            if span.west - reach > best.width { best = (span.west - reach, (span.west + reach) / 2) }
            reach = max(reach, span.east)
        }
        let last = first.west + 360 - reach
        if last > best.width { best = (last, reach + last / 2) }
        return best.width > 0 ? best.middle : nil
    }

    /// Whole turns, in degrees, that put the beginning of a path within a turn east of a longitude.
    static func turn(of path: UnrolledPath, from seam: Double) -> Double {
        -((path.west - seam) / 360).rounded(.down) * 360
    }
}
