/// What the native code answers about regions at places, distances to boundaries, and geodesics: one JSON object.
struct RegionAnswers {
    private var chance = Chance(state: 2026)
    private var index = RegionIndex()
    private var corners: [RawVertex] = []
    private var circles: [Circle] = []

    static func text() -> String {
        var answers = RegionAnswers()
        let regions = answers.regions()
        if let plan = answers.index.rebuild { answers.index.adopt(plan.build()) }
        let places = answers.places(100_000)
        let found = places.map { place in
            var ids: [Int32] = []
            answers.index.regions(containing: place, into: &ids)
            return "[\(ids.map { String($0) }.joined(separator: ","))]"
        }
        let lines = zip(places, places.dropFirst()).prefix(20_000).map { from, to in
            let line = Geodesic(from: from, to: to)
            let back = Geodesic(from: from, azimuth: line.initialAzimuth, distance: line.distance)
            return [
                line.distance.value, line.initialAzimuth.value, line.finalAzimuth.value, back.end.longitude,
                back.end.latitude, back.finalAzimuth.value,
            ]
        }
        let boundaries = places.prefix(5_000).enumerated().map { number, place in
            let id = Int32(number % 400)
            return answers.index.signedDistance(from: place, to: id).map { String($0.value) } ?? "null"
        }
        return """
            {"regions":[\(regions.joined(separator: ",\n"))],
            "places":[\(places.map { "\($0.longitude),\($0.latitude)" }.joined(separator: ",\n"))],
            "found":[\(found.joined(separator: ",\n"))],
            "boundaries":[\(boundaries.joined(separator: ","))],
            "lines":[\(lines.map { "[\($0.map { String($0) }.joined(separator: ","))]" }.joined(separator: ",\n"))]}
            """
    }

    /// Puts polygons with holes, and circles, which overlap, cross the antimeridian or lie near a pole; returns JSON.
    private mutating func regions() -> [String] {
        let spots = [(14.5, 46.0), (179.99, -17.0), (-179.99, 65.0), (30.0, 85.0), (0.0, 0.0), (-120.0, -89.0)]
        var texts: [String] = []
        for id in 0..<400 {
            let spot = spots[id % spots.count]
            let (x, y) = (spot.0 + chance.number(-0.2...0.2), spot.1 + chance.number(-0.2...0.2))
            if id % 4 == 3 {
                let centre = Coordinate(validLatitude: y, longitude: x.remainder(dividingBy: 360))
                let circle = Circle(centre: centre, radius: Metres(chance.number(10...30_000)))
                circles.append(circle)
                index.put(.circle(circle), as: Int32(id))
                texts.append("[\(id),[\(centre.longitude),\(centre.latitude),\(circle.radius.value)]]")
            } else {
                let star = star(x, y, vertices: 3 + id % 40, hasHole: id % 3 == 0)
                guard let shape = try? Shape.validated(polygon: star) else { continue }
                index.put(shape, as: Int32(id))
                corners += star.joined()
                let rings = star.map { ring in
                    "[\(ring.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ","))]"
                }
                texts.append(
                    "[\(id),{\"type\":\"Polygon\",\"coordinates\":[\(rings.joined(separator: ","))]}]")
            }
        }
        return texts
    }

    private mutating func star(_ x: Double, _ y: Double, vertices: Int, hasHole: Bool) -> [[RawVertex]] {
        let reach = chance.number(0.01...0.3)
        var rings: [[RawVertex]] = [[], []]
        for corner in 0..<vertices {
            let direction = Direction(degrees: (Double(corner) + chance.number(0...0.4)) / Double(vertices) * 360)
            let away = reach * chance.number(0.6...1)
            for (ring, share) in [1, chance.number(0.2...0.8)].enumerated() {
                let longitude = (x + share * away * direction.cosine).remainder(dividingBy: 360)
                rings[ring].append(
                    RawVertex(longitude: longitude, latitude: y + share * away * direction.sine))
            }
        }
        let closed = rings.map { $0 + $0.prefix(1) }
        return hasHole ? [closed[0], closed[1].reversed()] : [closed[0]]
    }

    /// Returns places at corners, midway between them, a hair beside them, and within a tenth of a millimetre of the
    /// rims of circles. No place is so near to a rim that the last digit of a sine decides whether it is inside.
    private mutating func places(_ count: Int) -> [Coordinate] {
        var places: [Coordinate] = []
        while places.count < count {
            let at = Int(chance.next() % UInt64(corners.count - 1))
            let (a, b) = (corners[at], corners[at + 1])
            var (x, y) = (a.longitude, a.latitude)
            switch chance.next() % 5 {
            case 0: break
            case 1: (x, y) = ((a.longitude + b.longitude) / 2, (a.latitude + b.latitude) / 2)
            case 2: (x, y) = (x.nextUp, y.nextDown)
            case 3: y += chance.number(-0.1...0.1)
            default: (x, y) = (x + chance.number(-0.3...0.3), y + chance.number(-0.3...0.3))
            }
            var place = Coordinate(validLatitude: max(-90, min(90, y)), longitude: x.remainder(dividingBy: 360))
            if chance.happens(0.1) {
                let circle = circles[Int(chance.next() % UInt64(circles.count))]
                place = circle.centre.destination(
                    bearing: Degrees(chance.number(0...360)),
                    distance: Metres(circle.radius.value + chance.number(-1e-4...1e-4)))
            }
            if circles.allSatisfy({ abs($0.centre.distance(to: place).value - $0.radius.value) > 1e-8 }) {
                places.append(place)
            }
        }
        return places
    }
}
