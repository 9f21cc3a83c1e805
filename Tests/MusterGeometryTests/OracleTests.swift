import MusterGeometry
import Testing

/// Containment and validity against shapely and against rational arithmetic.
///
/// Every answer must be that of the rational arithmetic. Shapely answers in doubles; its answer is compared for all
/// points that are not exactly on the boundary, and for these only counted.
@Suite(
    .enabled(if: Oracle.isPresent, "no .venv with shapely beside the package: see Tests/Oracles"),
    .serialized)
struct OracleTests {
    @Test func `random polygons hold exactly the points that rational arithmetic says`() throws {
        var random = SeededRandom(seed: 30)
        var tally = Tally()
        let oracle = try Oracle()
        for round in 0..<Oracle.rounds(400) {
            let coarse = round % 2 == 0
            let centre = random.place(latitude: -70...70, longitude: -150...150)
            var polygons = [
                random.star(
                    at: centre, vertices: 3 + round % 40, radius: round % 3 == 0 ? 20 : 0.01, hole: round % 4 < 2)
            ]
            if round % 5 == 0 {
                let beside = Coordinate(
                    validLatitude: -centre.latitude, longitude: centre.longitude > 0 ? -100 : 100)
                polygons.append(random.star(at: beside, vertices: 9, radius: 5, hole: true))
            }
            if coarse { polygons = polygons.map(rounded) }
            try tally.compare(polygons, points(near: polygons, 60, &random), oracle)
        }
        print(tally.summary)
        #expect(tally.boundary > 120 && tally.inside > 120 && tally.outside > 120)
    }

    @Test func `polygons across the antimeridian and round the poles agree with rational arithmetic`() throws {
        var random = SeededRandom(seed: 31)
        var tally = Tally()
        let oracle = try Oracle()
        for round in 0..<Oracle.rounds(200) {
            var polygons: [Polygon]
            if round % 2 == 0 {
                let centre = Coordinate(
                    validLatitude: random.number(-60...60),
                    longitude: random.number(170...180) * (round % 4 == 0 ? 1 : -1))
                polygons = [random.star(at: centre, vertices: 3 + round % 30, radius: 15, hole: round % 3 == 0)]
            } else {
                polygons = [cap(north: round % 4 == 1, &random)]
            }
            if round % 5 == 0 { polygons = polygons.map(rounded) }
            var places = points(near: polygons, 60, &random)
            places += [-180, 180].map { Coordinate(validLatitude: random.number(-80...80), longitude: $0) }
            places += [-90, 90].map { Coordinate(validLatitude: $0, longitude: random.number(-180...180)) }
            try tally.compare(polygons, places, oracle)
        }
        print(tally.summary)
        #expect(tally.boundary > 120 && tally.inside > 120 && tally.outside > 120)
    }

    @Test func `on a small grid validity is shapely's, ring by ring`() throws {
        var random = SeededRandom(seed: 32)
        let oracle = try Oracle()
        var valid = 0
        var refused = 0
        for round in 0..<Oracle.rounds(4000) {
            let count = 3 + round % 6
            let corners = (0..<count).map { _ in
                RawVertex(longitude: random.number(0...5).rounded(), latitude: random.number(0...5).rounded())
            }
            try compareValidity([[corners + [corners[0]]]], oracle, &valid, &refused)
        }
        print("\(valid) valid, \(refused) refused")
        #expect(valid > 35 && refused > 35)
    }

    @Test func `on a small grid holes and multipolygons are refused when shapely refuses them`() throws {
        var random = SeededRandom(seed: 33)
        let oracle = try Oracle()
        var valid = 0
        var refused = 0
        for round in 0..<Oracle.rounds(6000) {
            let outer = ring("0 0, 8 0, 8 8, 0 8, 0 0")
            var parts = [triangle(&random), triangle(&random)]
            if round % 3 == 0 { parts.append(triangle(&random)) }
            let geometry: [[[RawVertex]]] =
                switch round % 4 {
                case 0: [[outer] + parts]
                case 1: parts.map { [$0] }
                case 2: [[outer, parts[0]], [parts[1]]]
                default: [[outer, ring("1 1, 1 7, 7 7, 7 1, 1 1")]] + parts.map { [$0] }
                }
            try compareValidity(geometry, oracle, &valid, &refused)
        }
        print("\(valid) valid, \(refused) refused")
        #expect(valid > 35 && refused > 35)
    }

    private func triangle(_ random: inout SeededRandom) -> [RawVertex] {
        while true {
            let corners = (0..<3).map { _ in
                RawVertex(longitude: random.number(0...8).rounded(), latitude: random.number(0...8).rounded())
            }
            let closed = corners + [corners[0]]
            if (try? Shape.validated(polygon: [closed])) != nil { return closed }
        }
    }

    /// Our opinion is shapely's, but for what is documented: rings of a polygon may touch in several points (shapely:
    /// the interior is disconnected), and polygons may touch along edges (shapely: self-intersection, or nested
    /// shells in a hole).
    private func compareValidity(
        _ geometry: [[[RawVertex]]], _ oracle: Oracle, _ valid: inout Int, _ refused: inout Int
    ) throws {
        let polygons = geometry.map { rings in
            Polygon(exterior: rings[0].map(coordinate), holes: rings.dropFirst().map { $0.map(coordinate) })
        }
        let opinion = try oracle.opinion(polygons)
        do {
            _ =
                geometry.count == 1
                ? try Shape.validated(polygon: geometry[0]) : try Shape.validated(multiPolygon: geometry)
            valid += 1
            let isAllowed =
                opinion.reason.contains("Interior is disconnected")
                || (geometry.count > 1
                    && (opinion.reason.contains("Self-intersection") || opinion.reason.contains("Nested shells")))
            #expect(opinion.valid == true || isAllowed, "\(geometry) \(opinion.reason)")
            if geometry.count > 1 && opinion.valid != true { try expectNoOverlap(geometry, polygons, oracle) }
        } catch let faults as GeometryFaults {
            refused += 1
            #expect(opinion.valid == false, "\(geometry) \(faults)")
        }
    }

    /// That no point is strictly inside two of the polygons, on a grid finer than the corners.
    private func expectNoOverlap(_ geometry: [[[RawVertex]]], _ polygons: [Polygon], _ oracle: Oracle) throws {
        var places: [Coordinate] = []
        for row in 0..<33 {
            for column in 0..<33 {
                places.append(
                    Coordinate(validLatitude: Double(row) / 4 + 0.013, longitude: Double(column) / 4 + 0.029))
            }
        }
        var holders = [Int](repeating: 0, count: places.count)
        for polygon in polygons {
            for (index, location) in try oracle.locations([polygon], places).exact.enumerated() where location > 0 {
                holders[index] += 1
            }
        }
        #expect(holders.allSatisfy { $0 < 2 }, "\(geometry)")
    }

    /// A ring round a pole, often with another one as its hole.
    private func cap(north: Bool, _ random: inout SeededRandom) -> Polygon {
        let sign: Double = north ? 1 : -1
        let base = random.number(-30...60)
        func round(_ low: Double, _ spread: Double) -> [Coordinate] {
            var positions: [Coordinate] = []
            var longitude = -180 + random.number(0...30)
            while longitude < 180 {
                positions.append(
                    Coordinate(validLatitude: sign * (low + random.number(0...spread)), longitude: longitude))
                longitude += random.number(5...60)
            }
            if !north { positions.reverse() }
            let start = Int(random.number(0...0.999) * Double(positions.count))
            positions = Array(positions[start...] + positions[..<start])
            return positions + [positions[0]]
        }
        let exterior = round(base, 10)
        let holes = random.number(0...1) < 0.5 ? [Array(round(base + 12, 10).reversed())] : []
        return Polygon(exterior: exterior, holes: holes)
    }

    /// The same polygon with corners on a coarse grid, where many points of a line are doubles.
    private func rounded(_ polygon: Polygon) -> Polygon {
        func rounded(_ ring: [Coordinate]) -> [Coordinate] {
            ring.map {
                Coordinate(
                    validLatitude: ($0.latitude * 64).rounded() / 64, longitude: ($0.longitude * 64).rounded() / 64)
            }
        }
        return Polygon(exterior: rounded(polygon.exterior), holes: polygon.holes.map(rounded))
    }

    /// Corners, middles of edges, points a hair beside them, points level with corners, and any points near.
    private func points(near polygons: [Polygon], _ count: Int, _ random: inout SeededRandom) -> [Coordinate] {
        var result: [Coordinate] = []
        let rings = polygons.flatMap { [$0.exterior] + $0.holes }
        for _ in 0..<count {
            let ring = rings[Int(random.number(0...0.999) * Double(rings.count))]
            let index = Int(random.number(0...0.999) * Double(ring.count - 1))
            let (a, b) = (ring[index], ring[index + 1])
            let gap = (b.longitude - a.longitude).remainder(dividingBy: 360)
            let middle = place((a.latitude + b.latitude) / 2, a.longitude + gap / 2)
            let share = random.number(0...1)
            result += [
                a, middle, place(a.latitude.nextUp, a.longitude), place(middle.latitude, middle.longitude.nextDown),
                place(a.latitude + share * (b.latitude - a.latitude), a.longitude + share * gap),
                place(a.latitude, a.longitude + random.number(-20...20)),
                place(a.latitude + random.number(-5...5), a.longitude + random.number(-5...5)),
            ]
        }
        return result
    }

    private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(
            validLatitude: max(-90, min(90, latitude)),
            longitude: abs(longitude) <= 180 ? longitude : longitude.remainder(dividingBy: 360))
    }
}

/// Counts of answers compared with the oracle's.
struct Tally {
    var inside = 0
    var outside = 0
    var boundary = 0
    var shapelyCompared = 0
    var shapelyRounds = 0

    var summary: String {
        "\(inside) inside, \(outside) outside, \(boundary) on the boundary; with shapely \(shapelyCompared) compared, "
            + "\(shapelyRounds) boundary points seen elsewhere by its rounding"
    }

    /// Expects our answers for polygons that may be any, valid or not, to be the oracle's.
    mutating func compare(_ polygons: [Polygon], _ places: [Coordinate], _ oracle: Oracle) throws {
        let answers = try oracle.locations(polygons, places)
        let shape: Shape = polygons.count == 1 ? .polygon(polygons[0]) : .multiPolygon(polygons)
        let prepared = PreparedShape(shape)
        for (index, place) in places.enumerated() {
            let exact = answers.exact[index]
            #expect(prepared.contains(place) == (exact >= 0), "\(place) in \(polygons)")
            switch exact {
            case 1: inside += 1
            case 0: boundary += 1
            default: outside += 1
            }
            guard let shapely = answers.shapely?[index], abs(place.longitude) != 180, abs(place.latitude) != 90 else {
                continue
            }
            shapelyCompared += 1
            if exact == 0 {
                if shapely != 0 { shapelyRounds += 1 }
            } else {
                #expect((shapely >= 0) == (exact > 0), "shapely: \(place) in \(polygons)")
            }
        }
    }
}
