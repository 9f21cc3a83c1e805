import MusterGeometry
import Testing

@Suite struct ValidationTests {
    @Test func `a polygon with a hole is accepted and its rings are turned the right way`() throws {
        let clockwise = ring("0 0, 0 10, 10 10, 10 0, 0 0")
        let hole = ring("2 2, 8 2, 8 8, 2 8, 2 2")
        let shape = try Shape.validated(polygon: [clockwise, hole])
        guard case .polygon(let polygon) = shape else {
            Issue.record("not a polygon")
            return
        }
        #expect(polygon.exterior == clockwise.reversed().map(coordinate))
        #expect(polygon.holes == [hole.reversed().map(coordinate)])
        check([clockwise, hole], winding: .required, "clockwiseExterior 0/0/0; counterclockwiseHole 0/1/0")
        let right = [clockwise, hole].map { Array($0.reversed()) }
        #expect(try Shape.validated(polygon: right, winding: .required) == shape)
    }

    @Test func `a ring that is short, open or off the globe is named with its place`() {
        check([], "empty 0/0/0")
        check([[]], "tooFewPositions(0) 0/0/0")
        check([ring("0 0, 1 1, 0 0")], "tooFewPositions(3) 0/0/0")
        check([ring("0 0, 1 0, 1 1, 0 1")], "unclosed 0/0/3 (0.0 1.0)")
        check([ring("0 0, 181 0, 1 1, 0 91, 0 0")], "offGlobe 0/0/1 (181.0 0.0); offGlobe 0/0/3 (0.0 91.0)")
        check([ring("0 0, nan 0, 1 inf, 0 0")], "offGlobe 0/0/1; offGlobe 0/0/2")
        check(
            [ring("0 0, 2 0, 2 2, 0 2, 0 0"), ring("1 1, 1 1.5, 1.2 1"), []],
            "tooFewPositions(3) 0/1/0; unclosed 0/1/2; tooFewPositions(0) 0/2/0")
    }

    @Test func `rounding beyond the globe's edge is put back, unless the rules are strict`() throws {
        let band = ring("170 0, 180.0000000000001 0, 180 10, 170 10, 170 0")
        guard case .polygon(let polygon) = try Shape.validated(polygon: [band]) else { return }
        #expect(polygon.exterior[1] == Coordinate(validLatitude: 0, longitude: 180))
        check([band], winding: .required, "offGlobe 0/0/1")
        check([ring("170 0, 180.001 0, 180 10, 170 10, 170 0")], "offGlobe 0/0/1")
    }

    @Test func `a position that repeats the one before is left out`() throws {
        let shape = try Shape.validated(polygon: [ring("0 0, 0 0, 5 0, 5 0, 5 0, 5 5, 0 0, 0 0")])
        #expect(shape == (try Shape.validated(polygon: [ring("0 0, 5 0, 5 5, 0 0")])))
    }

    @Test func `a ring that crosses or touches itself is refused where it does`() {
        check([ring("0 0, 10 10, 10 0, 0 10, 0 0")], "selfIntersection 0/0/0 with 0/0/2 (5.0 5.0)")
        // A vertex on another edge; a vertex on a vertex; a piece of an edge run twice.
        check([ring("0 0, 10 0, 10 5, 5 0, 0 5, 0 0")], "selfIntersection 0/0/0 with 0/0/2 (5.0 0.0)")
        check([ring("0 0, 4 0, 2 2, 4 4, 0 4, 2 2, 0 0")], "selfIntersection 0/0/1 with 0/0/4 (2.0 2.0)")
        check(
            [ring("0 0, 10 0, 10 5, 8 0, 2 0, 0 5, 0 0")],
            "selfIntersection 0/0/0 with 0/0/2 (8.0 0.0); selfIntersection 0/0/0 with 0/0/3 (2.0 0.0)")
        check(
            [ring("0 0, 10 0, 10 10, 15 10, 10 10, 0 10, 0 0")],
            "selfIntersection 0/0/1 with 0/0/3 (10.0 10.0); spike 0/0/3 (15.0 10.0)")
        // Both loops of two are found, and across the antimeridian too.
        check(
            [ring("0 0, 2 2, 4 0, 6 2, 6 0, 4 2, 2 0, 0 2, 0 0")],
            "selfIntersection 0/0/0 with 0/0/6 (1.0 1.0); selfIntersection 0/0/1 with 0/0/5 (3.0 1.0); "
                + "selfIntersection 0/0/2 with 0/0/4 (5.0 1.0)")
        check([ring("175 0, -175 10, -175 0, 175 10, 175 0")], "selfIntersection 0/0/0 with 0/0/2 (180.0 5.0)")
    }

    @Test func `a ring without area is refused`() {
        check([ring("0 0, 5 5, 10 10, 0 0")], "zeroArea 0/0/0")
        check([ring("3 3, 3 3, 3 3, 3 3")], "zeroArea 0/0/0")
        check([ring("180 0, -180 5, 180 10, 180 0")], "zeroArea 0/0/0")
    }

    @Test func `a hole lies inside, beside the other holes`() {
        let outer = ring("0 0, 10 0, 10 10, 0 10, 0 0")
        let far = ring("20 0, 21 0, 21 1, 20 1, 20 0")
        check([outer, far], "holeOutside 0/1/0 with 0/0/0 (20.0 0.0)")
        check(
            [outer, ring("5 5, 15 5, 15 6, 5 6, 5 5")],
            "ringsCross 0/0/1 with 0/1/0 (10.0 5.0); ringsCross 0/0/1 with 0/1/2 (10.0 6.0)")
        check(
            [outer, ring("2 2, 8 2, 8 8, 2 8, 2 2"), ring("4 4, 5 4, 5 5, 4 5, 4 4")],
            "holesOverlap 0/2/0 with 0/1/0 (4.0 4.0)")
        check(
            [outer, ring("2 2, 5 2, 5 5, 2 5, 2 2"), ring("4 4, 8 4, 8 8, 4 8, 4 4")],
            "ringsCross 0/1/1 with 0/2/0 (5.0 4.0); ringsCross 0/1/2 with 0/2/3 (4.0 5.0)")
        check([outer, ring("0 4, 5 4, 5 6, 0 6, 0 4")], "ringsShareEdge 0/0/3 with 0/1/3 (0.0 4.0)")
        check([outer, outer], "ringsShareEdge", prefix: true)
        // Touching in points is allowed, also in several, also between holes.
        check([outer, ring("0 5, 5 2, 10 5, 5 8, 0 5")], "")
        check([outer, ring("2 2, 4 2, 4 4, 2 4, 2 2"), ring("4 4, 6 4, 6 6, 4 6, 4 4")], "")
        // Crossing through a corner is not: no edges cross there.
        check([outer, ring("10 10, 5 8, 12 12, 8 5, 10 10")], "", isFaulty: true)
        check([ring("0 0, 10 0, 5 5, 10 10, 0 10, 0 0"), ring("2 5, 5 5, 8 5, 5 6, 2 5")], "", isFaulty: true)
    }

    @Test func `polygons of a multipolygon touch but do not overlap`() {
        let left = ring("0 0, 5 0, 5 5, 0 5, 0 0")
        checkMulti([], "empty 0/0/0")
        checkMulti([[left], [ring("5 0, 10 0, 10 5, 5 5, 5 0")]], "")
        checkMulti([[left], [ring("5 1, 10 1, 10 2, 5 2, 5 1")]], "")
        checkMulti([[left], [ring("5 5, 10 5, 10 9, 5 5")]], "")
        checkMulti([[left], [left]], "polygonsOverlap", prefix: true)
        checkMulti([[left], [Array(left.reversed())]], "polygonsOverlap", prefix: true)
        checkMulti([[left], [ring("1 1, 2 1, 2 2, 1 2, 1 1")]], "polygonsOverlap 1/0/0 with 0/0/0 (1.0 1.0)")
        checkMulti([[ring("1 1, 2 1, 2 2, 1 2, 1 1")], [left]], "polygonsOverlap 0/0/0 with 1/0/0 (1.0 1.0)")
        checkMulti(
            [[left], [ring("4 4, 9 4, 9 9, 4 9, 4 4")]],
            "polygonsOverlap 0/0/1 with 1/0/0 (5.0 4.0); polygonsOverlap 0/0/2 with 1/0/3 (4.0 5.0)")
        // An island in a lake, filling it, and reaching out of it.
        let lake = ring("1 1, 1 4, 4 4, 4 1, 1 1")
        checkMulti([[left, lake], [ring("2 2, 3 2, 3 3, 2 3, 2 2")]], "")
        checkMulti([[left, lake], [Array(lake.reversed())]], "")
        checkMulti(
            [[left, lake], [ring("2 2, 4.5 2, 4.5 3, 2 3, 2 2")]],
            "polygonsOverlap 0/1/2 with 1/0/0 (4.0 2.0); polygonsOverlap 0/1/2 with 1/0/2 (4.0 3.0)")
        checkMulti([[left], []], "empty 1/0/0")
        // A triangle with its corners on the boundary of the other, inside it.
        checkMulti([[left], [ring("0 2, 2 0, 5 5, 0 2")]], "", isFaulty: true)
    }

    @Test func `a circle needs a place on the globe and a radius up to 100 km`() throws {
        let here = RawVertex(longitude: 8, latitude: 47)
        let circle = Circle(centre: Coordinate(validLatitude: 47, longitude: 8), radius: 100_000)
        #expect(try Shape.validated(circleAround: here, radiusMetres: 100_000) == .circle(circle))
        for radius in [0, -1, 100_000.1, .nan, .infinity] {
            let fault = #expect(throws: GeometryFaults.self) {
                try Shape.validated(circleAround: here, radiusMetres: radius)
            }
            #expect(fault?.faults.count == 1)
        }
        let both = #expect(throws: GeometryFaults.self) {
            try Shape.validated(circleAround: RawVertex(longitude: 8, latitude: .nan), radiusMetres: 0)
        }
        #expect(both?.faults.count == 2)
    }

    @Test func `faults are listed up to a hundred, and sizes are bounded`() {
        let comb = (0..<300).map { RawVertex(longitude: Double($0) / 10, latitude: Double($0 % 2)) }
        let crossed = comb + [RawVertex(longitude: 30, latitude: 0.5), RawVertex(longitude: 0, latitude: 0.5), comb[0]]
        let faults = #expect(throws: GeometryFaults.self) { try Shape.validated(polygon: [crossed]) }
        #expect(faults?.faults.count == GeometryFaults.limit)
        let long = [RawVertex](repeating: comb[0], count: Shape.positionLimit + 1)
        check([long], "tooLarge 0/0/0")
        let many = [[RawVertex]](repeating: ring("0 0, 1 0, 1 1, 0 0"), count: Shape.ringLimit + 1)
        checkMulti(many.map { [$0] }, "tooLarge 5000/0/0")
        checkMulti([[[RawVertex]]](repeating: [], count: Shape.ringLimit + 1), "tooLarge", prefix: true, contains: true)
    }

    @Test func `hostile rings are answered in bounded time`() {
        // A comb whose long slanting teeth all lie across each other's boxes.
        var comb: [RawVertex] = []
        for tooth in 0..<30_000 {
            let shift = Double(tooth) * 0.001
            comb.append(RawVertex(longitude: shift, latitude: -60))
            comb.append(RawVertex(longitude: shift + 60.000_2, latitude: 0))
        }
        comb += [RawVertex(longitude: 120, latitude: 0), RawVertex(longitude: 120, latitude: -61)]
        comb += [RawVertex(longitude: 0, latitude: -61), comb[0]]
        check([comb], "tooComplex 0/0/0")
        // Thousands of holes in an exterior of many vertices, and thousands of polygons in one place.
        let wave = (0..<20_000).map { RawVertex(longitude: Double($0) / 500, latitude: Double($0 % 2) * 1e-4) }
        let exterior = wave + ring("40 50, 0 50, 0 0")
        let holes = (0..<2000).map { index -> [RawVertex] in
            let (x, y) = (1 + Double(index % 50) * 0.7, 1 + Double(index / 50))
            return ring("\(x) \(y), \(x) \(y + 0.5), \(x + 0.5) \(y), \(x) \(y)")
        }
        let spent = computingTime { check([exterior] + holes, "") }
        print("2,000 holes checked in \(spent)")
        #expect(spent < .seconds(30))
        let same = [[[RawVertex]]](repeating: [ring("0 0, 5 0, 5 5, 0 0")], count: Shape.ringLimit)
        checkMulti(same, "polygonsOverlap", prefix: true)
    }

    @Test func `a hundred thousand vertices are checked within seconds, also in a debug build`() throws {
        let circle = (0..<100_000).map { index -> RawVertex in
            let angle = Double(index) / 50_000 * Double.pi
            let radius = index % 2 == 0 ? 5.0 : 4.999
            return RawVertex(longitude: 10 + radius * cosine(angle), latitude: 50 + radius * sine(angle))
        }
        let spent = try computingTime { _ = try Shape.validated(polygon: [circle + [circle[0]]]) }
        print("100,000 vertices checked in \(spent)")
        #expect(spent < .seconds(20))
    }
}

/// Positions written "longitude latitude, …".
func ring(_ text: String) -> [RawVertex] {
    text.split(separator: ",").map { pair in
        let numbers = pair.split(separator: " ").compactMap { Double(String($0)) }
        return RawVertex(longitude: numbers[0], latitude: numbers[1])
    }
}

func coordinate(_ vertex: RawVertex) -> Coordinate {
    Coordinate(validLatitude: vertex.latitude, longitude: vertex.longitude)
}

/// Expects the faults of a polygon, written "kind polygon/ring/vertex [with …] [(longitude latitude)]; …". What an
/// expectation leaves out at its end is not compared.
private func check(
    _ rings: [[RawVertex]], winding: Winding = .corrected, _ expected: String, prefix: Bool = false,
    isFaulty: Bool = false, at location: SourceLocation = #_sourceLocation
) {
    compare(expected, prefix, isFaulty, false, location) { () throws(GeometryFaults) in
        try Shape.validated(polygon: rings, winding: winding)
    }
}

private func checkMulti(
    _ polygons: [[[RawVertex]]], _ expected: String, prefix: Bool = false, isFaulty: Bool = false,
    contains: Bool = false, at location: SourceLocation = #_sourceLocation
) {
    compare(expected, prefix, isFaulty, contains, location) { () throws(GeometryFaults) in
        try Shape.validated(multiPolygon: polygons)
    }
}

private func compare(
    _ expected: String, _ prefix: Bool, _ isFaulty: Bool, _ contains: Bool, _ location: SourceLocation,
    _ make: () throws(GeometryFaults) -> Shape
) {
    var found: [String] = []
    do { _ = try make() } catch { found = error.faults.map(describe) }
    if isFaulty {
        #expect(!found.isEmpty, sourceLocation: location)
        return
    }
    if contains {
        #expect(found.contains { $0.hasPrefix(expected) }, "\(found)", sourceLocation: location)
        return
    }
    if prefix {
        #expect(found.first?.hasPrefix(expected) == true, "\(found)", sourceLocation: location)
        return
    }
    let wanted = expected.isEmpty ? [] : expected.split(separator: ";").map { String($0.drop { $0 == " " }) }
    #expect(found.count == wanted.count, "\(found)", sourceLocation: location)
    for (one, other) in zip(found, wanted) {
        #expect(one.hasPrefix(other), "\(found)", sourceLocation: location)
    }
}

private func describe(_ fault: GeometryFault) -> String {
    func describe(_ place: GeometryFault.Place) -> String { "\(place.polygon)/\(place.ring)/\(place.vertex)" }
    var text = "\(fault.kind) \(describe(fault.place))"
    if let other = fault.other { text += " with \(describe(other))" }
    if let position = fault.position { text += " (\(position.longitude) \(position.latitude))" }
    return text
}
