import MusterGeometry
import Testing

/// The mesh of a region index against every shape alone.
@Suite struct RegionIndexMeshTests {
    @Test func `a mesh answers as every shape alone does, on vertices and edges and a hair beside`() {
        var random = SeededRandom(seed: 60)
        for round in 0..<24 {
            let shapes = (0..<(1 << (round % 8))).map { _ in RegionIndexTests.anyShape(&random) }
            check(shapes, places: 400, &random)
        }
    }

    @Test func `a mesh of many small regions answers as every shape alone does`() {
        var random = SeededRandom(seed: 61)
        for vertices in [3, 8, 32, 200] {
            let shapes = (0..<300).map { index in
                Shape.polygon(
                    random.star(
                        at: random.place(latitude: 46...47, longitude: 8...9), vertices: vertices,
                        radius: random.number(0.001...0.1), hole: index % 3 == 0))
            }
            check(shapes, places: rounds(3000), &random)
        }
    }

    @Test func `regions round the poles and the globe answer as every shape alone does`() throws {
        var random = SeededRandom(seed: 62)
        let texts = [
            "0 60, 90 65, 180 60, -90 65, 0 60", "0 -70, -120 -60, 120 -65, 0 -70",
            "-180 40, 180 40, 180 50, -180 50, -180 40",
            "-180 -90, 180 -90, 180 90, -180 90, -180 -90", "170 0, -170 0, -170 10, 170 10, 170 0",
            "0 80, 30 80, 15 90, 0 80", "-180 10, -170 10, -170 20, -180 20, -180 10",
        ]
        let shapes = try texts.map { try Shape.validated(polygon: [ring($0)]) }
        let band = try Shape.validated(polygon: [
            ring("0 50, 90 55, 180 50, -90 55, 0 50"), ring("0 70, 120 70, -120 70, 0 70"),
        ])
        let circles = [(89.99, 7.0), (-90, 0), (3, 179.9999), (-3, -180), (0, 0)].map {
            Shape.circle(
                Circle(centre: Coordinate(validLatitude: $0.0, longitude: $0.1), radius: Metres(50_000)))
        }
        for shape in shapes { check([shape], places: 300, &random) }
        check(shapes + [band] + circles, places: 5000, &random)
    }

    @Test func `absurd regions are answered in bounded memory`() {
        var random = SeededRandom(seed: 63)
        let teeth = (0..<1500).map {
            Coordinate(validLatitude: $0 % 2 == 0 ? 46.1 : 46.9, longitude: 8 + Double($0) / 1500)
        }
        let comb = Polygon(exterior: teeth + [Coordinate(validLatitude: 46, longitude: 8.5), teeth[0]])
        check([.polygon(comb)], places: 500, &random)
        let centre = Coordinate(validLatitude: 46.5, longitude: 8.5)
        let nested = (0..<600).map { index in
            index % 2 == 0
                ? Shape.circle(Circle(centre: centre, radius: Metres(20_000 + Double(index))))
                : .polygon(random.star(at: centre, vertices: 24, radius: 0.3))
        }
        check(nested, places: 100, &random)
        let circles = (0..<4000).map {
            (id: Int32($0), shape: Shape.circle(Circle(centre: centre, radius: Metres(20_000 + Double($0)))))
        }
        #expect(RegionIndex(circles).meshByteCount < 20_000_000)
    }

    /// Compares an index made at once with the shapes, at places in and around them.
    private func check(_ shapes: [Shape], places count: Int, _ random: inout SeededRandom) {
        let index = RegionIndex(shapes.enumerated().map { (Int32($0.offset), $0.element) })
        #expect(index.count == shapes.count)
        #expect(index.checkInvariants().isEmpty)
        let prepared = shapes.map { PreparedShape($0) }
        var places = (0..<(count * 9 / 10)).map { _ in Self.place(near: shapes, &random) }
        while places.count < count { places.append(random.place()) }
        places[0] = Coordinate(validLatitude: 90, longitude: 7)
        places[1] = Coordinate(validLatitude: -90, longitude: -180)
        var all: [Int32] = []
        var ends: [Int] = []
        index.regions(containing: places, into: &all, ends: &ends)
        #expect(ends.count == count)
        for (number, place) in places.enumerated() {
            var found: [Int32] = [7]
            index.regions(containing: place, into: &found)
            let expected = prepared.indices.filter { prepared[$0].contains(place) }.map { Int32($0) }
            if found != [7] + expected { Issue.record("\(place): \(found.dropFirst()) is not \(expected)") }
            let together = all[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
            if Array(together) != expected { Issue.record("\(place): \(together) is not \(expected)") }
        }
    }

    /// A vertex, a point of an edge, one beside them, or any place near a shape.
    static func place(near shapes: [Shape], _ random: inout SeededRandom) -> Coordinate {
        let shape = shapes[Int(random.number(0...0.9999) * Double(shapes.count))]
        let start = edge(of: shape, &random)
        var place = start.0
        let fraction = random.number(0...1)
        let kind = random.number(0...1)
        if kind < 0.3 {
            let eastward = (start.1.longitude - start.0.longitude).remainder(dividingBy: 360)
            place = Coordinate(
                validLatitude: start.0.latitude + fraction * (start.1.latitude - start.0.latitude),
                longitude: (start.0.longitude + fraction * eastward).remainder(dividingBy: 360))
        } else if kind < 0.4 {
            place = Coordinate(validLatitude: start.0.latitude, longitude: start.1.longitude)
        }
        if random.number(0...1) < 0.6 {
            let reach = pow10(random.number(-15...0))
            place = Coordinate(
                validLatitude: max(-90, min(90, place.latitude + random.number(-1...1) * reach)),
                longitude: (place.longitude + random.number(-1...1) * reach).remainder(dividingBy: 360))
        }
        return place
    }

    private static func edge(of shape: Shape, _ random: inout SeededRandom) -> (Coordinate, Coordinate) {
        if case .circle(let circle) = shape {
            let rim = circle.centre.destination(
                bearing: Degrees(random.number(0...360)), distance: circle.radius)
            return (rim, circle.centre)
        }
        let polygon = shape.polygons[Int(random.number(0...0.999) * Double(shape.polygons.count))]
        let rings = [polygon.exterior] + polygon.holes
        let ring = rings[Int(random.number(0...0.999) * Double(rings.count))]
        let at = Int(random.number(0...0.9999) * Double(ring.count - 1))
        return (ring[at], ring[at + 1])
    }
}
