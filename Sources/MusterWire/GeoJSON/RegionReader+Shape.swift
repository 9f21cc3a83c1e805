import MusterGeometry

extension RegionReader {
    /// The longest radius of a circle, in metres.
    static let longestRadius = 100_000.0

    /// Makes the shape that a geometry means; nil when it means none, which is noted.
    mutating func shape(of geometry: GeometryDraft, radius: JSONValue?) -> Shape? {
        switch geometry {
        case .point(let centre): circle(around: centre, radius: radius)
        case .polygon(let rings):
            polygon(of: rings, at: "/geometry/coordinates").map { .polygon($0) }
        case .multiPolygon(let polygons): multiPolygon(of: polygons)
        }
    }

    private mutating func circle(around centre: Coordinate, radius: JSONValue?) -> Shape? {
        let path = "/properties/radius"
        guard let radius, radius != .null else {
            record(.invalid("a Point needs a radius in metres to be a region"), at: path, coordinate: centre)
            return nil
        }
        guard let metres = radius.number else {
            record(.wrongType(expected: .number, found: radius.kind), at: path, coordinate: centre)
            return nil
        }
        guard metres > 0, metres <= Self.longestRadius else {
            record(
                .invalid("must be more than 0 and at most \(JSONWriter.text(Self.longestRadius)) metres"), at: path,
                coordinate: centre)
            return nil
        }
        return .circle(Circle(centre: centre, radius: Metres(metres)))
    }

    private mutating func multiPolygon(of polygons: [[[Coordinate]]]) -> Shape? {
        guard !polygons.isEmpty else {
            record(.invalid("a MultiPolygon has at least one polygon"), at: "/geometry/coordinates")
            return nil
        }
        var result: [Polygon] = []
        for (index, rings) in polygons.enumerated() {
            guard let polygon = polygon(of: rings, at: "/geometry/coordinates/\(index)") else { continue }
            result.append(polygon)
        }
        return result.count == polygons.count ? .multiPolygon(result) : nil
    }

    /// The one place where rings become a polygon.
    private mutating func polygon(of rings: [[Coordinate]], at path: String) -> Polygon? {
        guard let exterior = rings.first else {
            record(.invalid("a polygon has at least one ring"), at: path)
            return nil
        }
        var areSound = true
        for (index, ring) in rings.enumerated() {
            guard ring.count >= 4 else {
                record(
                    .invalid("a ring has at least 4 positions, this has \(ring.count)"), at: "\(path)/\(index)",
                    coordinate: ring.first)
                areSound = false
                continue
            }
            if ring[0] != ring[ring.count - 1] {
                record(
                    .invalid("a ring ends where it begins"), at: "\(path)/\(index)/\(ring.count - 1)",
                    coordinate: ring[ring.count - 1])
                areSound = false
            }
        }
        guard areSound else { return nil }
        return Polygon(
            exterior: Self.wound(exterior, counterClockwise: true),
            holes: rings.dropFirst().map { Self.wound($0, counterClockwise: false) })
    }

    /// A ring in the given direction. Any direction is taken (RFC 7946 §3.1.6).
    private static func wound(_ ring: [Coordinate], counterClockwise: Bool) -> [Coordinate] {
        var area = 0.0
        for (start, end) in zip(ring, ring.dropFirst()) {
            var width = end.longitude - start.longitude
            if width > 180 { width -= 360 } else if width < -180 { width += 360 }
            area -= width * (start.latitude + end.latitude)
        }
        return (area < 0) == counterClockwise ? ring.reversed() : ring
    }
}
