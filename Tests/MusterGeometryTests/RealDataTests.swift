import MusterGeometry
import Testing

@Suite(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
struct RealDataTests {
    /// Real collections, how many areas they have, and which of these meet themselves (shapely says so, too).
    static let files: [(path: String, count: Int, refused: [Int])] = [
        ("naturalearth/ne_110m_land.json", 127, [78]),
        ("naturalearth/ne_110m_admin_0_countries.json", 177, [139]),
        ("naturalearth/ne_50m_admin_1_states_provinces.json", 100, [19]),
        ("geojson/switzerland.geojson", 1, []),
        ("geojson/switzerland-kinked.geojson", 1, [0]),
    ]

    @Test(arguments: files)
    func `real polygons are accepted, but for those that meet themselves`(
        file: (path: String, count: Int, refused: [Int])
    ) throws {
        let areas = try GeoJSONFile(file.path).areas
        #expect(areas.count == file.count)
        var refused: [Int] = []
        for (index, area) in areas.enumerated() {
            do { _ = try area.validated() } catch {
                refused.append(index)
                #expect(error.faults.allSatisfy { $0.kind == .selfIntersection }, "\(area.name) \(error.faults)")
            }
        }
        #expect(refused == file.refused)
    }

    @Test func `counties are refused as they are, for open rings, and accepted when these are closed`() throws {
        let areas = try GeoJSONFile("fences/us-counties.geojson").areas
        #expect(areas.count == 3211)
        var open = 0
        for area in areas {
            let isClosed = area.polygons.allSatisfy { $0.allSatisfy { $0.first == $0.last } }
            do { _ = try area.validated() } catch {
                #expect(!isClosed)
                #expect(error.faults.contains { $0.kind == .unclosed }, "\(area.name) \(error.faults)")
                open += 1
            }
        }
        #expect(open > 3000)
        #expect(try Self.counties().count > 3190)
    }

    @Test func `an index of all counties answers as each county alone`() throws {
        try compareIndex(try Self.counties(), seed: 70, places: rounds(400))
    }

    @Test func `an index of all countries and provinces answers as each alone`() throws {
        let shapes = try Self.files.flatMap { try GeoJSONFile($0.path).areas.compactMap { try? $0.validated() } }
        try compareIndex(shapes, seed: 71, places: rounds(300))
    }

    @Test(.enabled(if: Oracle.isPresent, "no .venv with shapely beside the package: see Tests/Oracles"))
    func `real polygons hold exactly the points that rational arithmetic and shapely say`() throws {
        var random = SeededRandom(seed: 72)
        var tally = Tally()
        let oracle = try Oracle()
        let world = try Self.files.prefix(3).flatMap {
            try GeoJSONFile($0.path).areas.compactMap { try? $0.validated() }
        }
        for (shapes, count) in [(world, rounds(12)), (try Self.counties(), isSoak ? 2 : 1)] {
            for shape in shapes {
                try tally.compare(shape.polygons, Self.places(near: shape, count, &random), oracle)
            }
        }
        print(tally.summary)
        #expect(tally.boundary > 1000 && tally.inside > 1000 && tally.outside > 1000)
    }

    /// The counties with their rings closed, but for the few that meet themselves.
    static func counties() throws -> [Shape] {
        try GeoJSONFile("fences/us-counties.geojson").areas.compactMap { area in
            var closed = area
            closed.polygons = area.polygons.map { rings in
                rings.map { $0.first == $0.last ? $0 : $0 + $0.prefix(1) }
            }
            return try? closed.validated()
        }
    }

    private func compareIndex(_ shapes: [Shape], seed: UInt64, places: Int) throws {
        var random = SeededRandom(seed: seed)
        var index = RegionIndex()
        for (id, shape) in shapes.enumerated() { index.put(shape, as: Int32(id)) }
        let prepared = shapes.map { PreparedShape($0) }
        var hits = 0
        for _ in 0..<places {
            let near = shapes[Int(random.number(0...0.999) * Double(shapes.count))]
            for place in Self.places(near: near, 1, &random) {
                var found: [Int32] = []
                index.regions(containing: place, into: &found)
                let expected = prepared.indices.filter { prepared[$0].contains(place) }.map { Int32($0) }
                #expect(found == expected, "\(place)")
                hits += found.count
            }
        }
        #expect(hits > places)
    }

    /// Corners, middles of edges, and places in and about the box of a shape.
    static func places(near shape: Shape, _ count: Int, _ random: inout SeededRandom) -> [Coordinate] {
        let box = shape.boundingBox
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        var result: [Coordinate] = []
        for _ in 0..<count {
            let polygon = shape.polygons[Int(random.number(0...0.999) * Double(shape.polygons.count))]
            let at = Int(random.number(0...0.999) * Double(polygon.exterior.count - 1))
            let (a, b) = (polygon.exterior[at], polygon.exterior[at + 1])
            result += [
                a,
                Coordinate(
                    validLatitude: (a.latitude + b.latitude) / 2, longitude: (a.longitude + b.longitude) / 2),
                Coordinate(validLatitude: a.latitude, longitude: b.longitude),
                Coordinate(
                    validLatitude: random.number(box.south...box.north),
                    longitude: random.number(box.west...east).remainder(dividingBy: 360)),
            ]
        }
        return result
    }
}
