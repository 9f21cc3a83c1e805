import MusterGeometry
import MusterWire

// Lays geometries out in a plane, where GEOS can relate them, also across the antimeridian.

/// A path whose longitudes continue over the antimeridian instead of jumping, and its bounds.
struct UnrolledPath {
    /// The longitude and latitude of each position, in degrees.
    private(set) var positions: [(x: Double, y: Double)] = []
    private(set) var west = Double.infinity
    private(set) var east = -Double.infinity
    private(set) var south = Double.infinity
    private(set) var north = -Double.infinity

    /// Unrolls a path. Each step takes the shorter way.
    init(_ path: [Coordinate]) {
        var turn = 0.0
        var before: Double?
        for place in path {
            if let before, abs(place.longitude - before) > 180 { turn += place.longitude > before ? -360 : 360 }
            before = place.longitude
            add(place.longitude + turn, place.latitude)
        }
    }

    /// Whether a ring ends a full turn away from its beginning, and so goes round a pole.
    var goesRound: Bool {
        guard let first = positions.first, let last = positions.last else { return false }
        return first.x != last.x
    }

    /// Closes a ring that goes round a pole: over the pole and slightly beyond it, so that the pole is inside.
    mutating func closeOverPole() {
        guard goesRound, let first = positions.first, let last = positions.last else { return }
        // The interior of an exterior ring is on the left: eastwards that is the north.
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

/// A geometry laid out in a plane, part by part. Each part is in one piece, even where it crosses the antimeridian.
struct UnrolledGeometry {
    /// A connected part of a geometry; a polygon is its exterior and then its holes.
    enum Part {
        case point(UnrolledPath)
        case line(UnrolledPath)
        case polygon([UnrolledPath])

        /// The path that determines the part's bounds.
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

    /// Returns the exterior, closed over a pole where it goes round one, and the holes, each shifted by whole turns to
    /// lie inside the exterior.
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

    /// The number of corners of all parts together.
    var cornerCount: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .point(let path), .line(let path): sum + path.positions.count
            case .polygon(let rings): sum + rings.reduce(0) { $0 + $1.positions.count }
            }
        }
    }

    /// A box around the geometry, across the antimeridian where that is narrower.
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
        // Widened slightly where a shift by whole turns was rounded.
        let slack = abs(west) > 180 || abs(east) > 180 ? 1e-12 : 0
        return BoundingBox(
            south: low, west: max(-180, wrapped(west) - slack), north: high, east: min(180, wrapped(east) + slack))
    }

    /// A longitude that none of the paths crosses: the middle of the widest gap; nil where there is no gap.
    static func seam(of outlines: [UnrolledPath]) -> Double? {
        if outlines.contains(where: { $0.east - $0.west >= 360 }) { return nil }
        // Each span begins within one turn. A part beyond that turn also covers the beginning of the next.
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

    /// The shift in degrees, a multiple of 360, that puts a path's western end within one turn east of a longitude.
    static func turn(of path: UnrolledPath, from seam: Double) -> Double {
        -((path.west - seam) / 360).rounded(.down) * 360
    }
}
