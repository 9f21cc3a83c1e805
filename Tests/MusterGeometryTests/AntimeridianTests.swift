import Foundation
import MusterGeometry
import Testing

/// Polygons across the antimeridian and round the poles, against the same polygons cut in two by gadomski/antimeridian.
@Suite(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
struct AntimeridianDataTests {
    /// What our rules refuse, and for what.
    static let refused: [String: GeometryFault.Kind] = [
        "over-180.json": .offGlobe, "issues-187.json": .offGlobe,
        "force-north-pole.json": .selfIntersection, "overlap.json": .selfIntersection,
        "issues-182.json": .selfIntersection,
    ]
    /// What `Winding.required` refuses besides, because a ring is wound the wrong way.
    static let wrongWinding: Set<String> = [
        "both-poles.json", "cw-only.json", "cw-split.json", "issues-174.json", "issues-201.json", "one-ccw-hole.json",
        "simple-with-ccw-hole.json",
    ]

    static func areas(_ folder: String) throws -> [(name: String, area: GeoJSONFile.Area)] {
        let path = TestData.folder.appending(path: "antimeridian/\(folder)").path()
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap { name in
            try GeoJSONFile("antimeridian/\(folder)/\(name)").areas.map { (name, $0) }
        }
    }

    @Test func `a polygon across the antimeridian holds what its two halves hold`() throws {
        var random = SeededRandom(seed: 40)
        var cuts: [String: GeoJSONFile.Area] = [:]
        for (name, area) in try Self.areas("output/flat") { cuts[name] = area }
        var compared = 0
        for (name, area) in try Self.areas("input") where Self.refused[name] == nil {
            let given = try area.validated()
            guard let halves = try cuts[name]?.validated() else { continue }
            let places = sample(halves.boundingBox, 2000, &random)
            switch name {
            case "both-poles.json":
                // A clockwise exterior that encloses no pole: that program takes its outside, and we turn it round.
                #expect(places.allSatisfy { given.contains($0) != halves.contains($0) })
            case "issues-171.json":
                // That program loses one of the two holes.
                let lost = BoundingBox(south: 81, west: -1, north: 83, east: 1)
                #expect(places.allSatisfy { given.contains($0) == halves.contains($0) || lost.contains($0) })
                #expect(!given.contains(Coordinate(validLatitude: 82, longitude: 0)))
            default:
                for place in places where given.contains(place) != halves.contains(place) {
                    Issue.record("\(name): \(place)")
                }
            }
            #expect(places.contains { halves.contains($0) } && places.contains { !halves.contains($0) }, "\(name)")
            compared += 1
        }
        #expect(compared == 24)
    }

    @Test func `a polygon off the globe or meeting itself is refused`() throws {
        var seen: Set<String> = []
        for (name, area) in try Self.areas("input") {
            guard let kind = Self.refused[name] else { continue }
            let faults = #expect(throws: GeometryFaults.self) { try area.validated() }
            #expect(faults?.faults.contains { $0.kind == kind } == true, "\(name)")
            seen.insert(name)
        }
        #expect(seen == Set(Self.refused.keys))
    }

    @Test func `rings of the wrong direction are refused where the direction counts`() throws {
        for (name, area) in try Self.areas("input") where Self.refused[name] == nil {
            if Self.wrongWinding.contains(name) {
                let faults = #expect(throws: GeometryFaults.self) { try area.validated(winding: .required) }
                let kinds: Set<GeometryFault.Kind> = [.clockwiseExterior, .counterclockwiseHole]
                #expect(faults?.faults.allSatisfy { kinds.contains($0.kind) } == true, "\(name)")
            } else {
                _ = try area.validated(winding: .required)
            }
        }
    }

    private func sample(_ box: BoundingBox, _ count: Int, _ random: inout SeededRandom) -> [Coordinate] {
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        return (0..<count).map { _ in
            Coordinate(
                validLatitude: max(-90, min(90, random.number(box.south - 1...box.north + 1))),
                longitude: random.number(box.west - 1...east + 1).remainder(dividingBy: 360))
        }
    }
}

@Suite struct AntimeridianTests {
    @Test func `an edge goes the short way, and one of half the globe as it is written`() throws {
        let short = try Shape.validated(polygon: [ring("170 0, -170 0, -170 10, 170 10, 170 0")])
        #expect(holds(short, [(5, 175), (5, -175), (5, 180), (5, -180), (0, 180), (10, 170)]))
        #expect(lacks(short, [(5, 0), (5, 169), (5, -169), (-1, 180), (11, -180)]))
        let long = try Shape.validated(polygon: [ring("-90 0, 90 0, 90 10, -90 10, -90 0")])
        #expect(holds(long, [(5, 0), (5, -90)]))
        #expect(lacks(long, [(5, 180)]))
    }

    @Test func `a ring cut along the antimeridian is read as the map shows it`() throws {
        let band = try Shape.validated(polygon: [ring("-180 40, 180 40, 180 50, -180 50, -180 40")])
        #expect(holds(band, [(45, 0), (45, 180), (45, -180), (40, 7), (50, -180)]))
        #expect(lacks(band, [(51, 0), (39, 180), (90, 0)]))
        let world = try Shape.validated(polygon: [ring("-180 -90, 180 -90, 180 90, -180 90, -180 -90")])
        #expect(holds(world, [(0, 0), (90, 12), (-90, 3), (0, 180)]))
        let crossing = try Shape.validated(
            polygon: [ring("170 0, 180 0, -180 0, -170 0, -170 5, -180 5, 180 5, 170 5, 170 0")])
        #expect(holds(crossing, [(2, 175), (2, -175), (2, 180)]))
        #expect(lacks(crossing, [(2, 0)]))
    }

    @Test func `a ring round the globe encloses the pole on its left`() throws {
        let eastward = ring("0 60, 90 60, 180 60, -90 60, 0 60")
        let westward = Array(eastward.reversed())
        let north = try Shape.validated(polygon: [eastward], winding: .required)
        #expect(holds(north, [(90, 0), (90, 123), (60, 45), (75, 180)]))
        #expect(lacks(north, [(59, 0), (-90, 0)]))
        let rest = try Shape.validated(polygon: [westward], winding: .required)
        #expect(holds(rest, [(-90, 0), (0, 0), (60, 45)]))
        #expect(lacks(rest, [(90, 0), (61, 45)]))
        #expect(try Shape.validated(polygon: [westward]) != rest, "corrected to the smaller part")
        #expect(holds(try Shape.validated(polygon: [westward]), [(90, 0)]))
        let ringOnly = try Shape.validated(polygon: [eastward, ring("0 70, 120 70, -120 70, 0 70")])
        #expect(holds(ringOnly, [(65, 0), (70, 10)]))
        #expect(lacks(ringOnly, [(90, 0), (71, 0), (59, 0)]))
    }

    @Test func `a pole that is a corner is inside, by whatever longitude it is called`() throws {
        let wedge = try Shape.validated(polygon: [ring("0 80, 30 80, 15 90, 0 80")])
        #expect(holds(wedge, [(90, 15), (90, -170), (85, 15)]))
        #expect(lacks(wedge, [(-90, 15), (89.9, -170)]))
    }

    @Test func `a cut shape is as far from its boundary as a whole one`() throws {
        var random = SeededRandom(seed: 41)
        let whole = try Shape.validated(polygon: [ring("170 0, -170 0, -170 10, 170 10, 170 0")])
        let cut = try Shape.validated(
            multiPolygon: [
                [ring("170 0, 180 0, 180 10, 170 10, 170 0")], [ring("-180 0, -170 0, -170 10, -180 10, -180 0")],
            ])
        for _ in 0..<50 {
            let place = Coordinate(
                validLatitude: random.number(-2...12),
                longitude: (180 + random.number(-12...12)).remainder(dividingBy: 360))
            let difference = whole.signedDistanceToBoundary(from: place) - cut.signedDistanceToBoundary(from: place)
            #expect(abs(difference.value) < 0.01, "\(place)")
        }
        let world = try Shape.validated(polygon: [ring("-180 -90, 180 -90, 180 90, -180 90, -180 -90")])
        #expect(world.signedDistanceToBoundary(from: Coordinate(validLatitude: 1, longitude: 2)).value == .infinity)
    }

    @Test func `boxes cross the antimeridian where that is shorter`() throws {
        func box(_ texts: String...) throws -> BoundingBox {
            try Shape.validated(multiPolygon: texts.map { [ring($0)] }).boundingBox
        }
        let crossing = try box("170 0, -170 0, -170 10, 170 10, 170 0")
        #expect(crossing.crossesAntimeridian && abs(crossing.west - 170) < 1e-9 && abs(crossing.east + 170) < 1e-9)
        #expect(
            try box("170 0, 180 0, 180 10, 170 0", "-180 0, -170 0, -180 10, -180 0")
                == BoundingBox(south: 0, west: 170, north: 10, east: -170))
        #expect(
            try box("10 0, 20 0, 20 10, 10 0", "30 5, 40 5, 40 15, 30 5")
                == BoundingBox(south: 0, west: 10, north: 15, east: 40))
        #expect(
            try box("0 60, 90 60, 180 60, -90 60, 0 60") == BoundingBox(south: 60, west: -180, north: 90, east: 180))
        var random = SeededRandom(seed: 42)
        for _ in 0..<300 {
            let shape = RegionIndexTests.anyShape(&random)
            let box = shape.boundingBox
            for polygon in shape.polygons {
                #expect(polygon.exterior.allSatisfy(box.contains), "\(box) \(polygon)")
            }
            if case .circle(let circle) = shape {
                for bearing in stride(from: 0.0, to: 360, by: 7.5) {
                    let edge = circle.centre.destination(bearing: Degrees(bearing), distance: circle.radius)
                    #expect(box.contains(edge), "\(box) \(circle) \(edge)")
                }
            }
        }
    }
}

/// Whether a shape, and an index with that shape alone, holds all places, given as latitude and longitude.
func holds(_ shape: Shape, _ places: [(Double, Double)]) -> Bool {
    places.allSatisfy { isFound(shape, $0) == true }
}

/// Whether a shape, and an index with that shape alone, holds none of the places.
func lacks(_ shape: Shape, _ places: [(Double, Double)]) -> Bool {
    places.allSatisfy { isFound(shape, $0) == false }
}

private func isFound(_ shape: Shape, _ place: (Double, Double)) -> Bool? {
    let place = Coordinate(validLatitude: place.0, longitude: place.1)
    var index = RegionIndex()
    index.put(shape, as: 1)
    var found: [Int32] = []
    index.regions(containing: place, into: &found)
    return shape.contains(place) == !found.isEmpty ? !found.isEmpty : nil
}
