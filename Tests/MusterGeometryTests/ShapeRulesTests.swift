import MusterGeometry
import Testing

/// Rules under which rings may lie otherwise than GeoJSON's may: those of Amazon's geofences.
@Suite struct ShapeRulesTests {
    private static let overlapping = ShapeRules(
        ringsMayTouch: false, crossingsOfEdge: 5, crossingLimit: 100_000, ringLimit: 25_000)

    private func square(_ west: Double, _ south: Double, _ size: Double, isHole: Bool = false) -> [RawVertex] {
        let (east, north) = (west + size, south + size)
        let ring = [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
            RawVertex(longitude: $0.0, latitude: $0.1)
        }
        return isHole ? ring.reversed() : ring
    }

    private func faults(_ polygons: [[[RawVertex]]], _ rules: ShapeRules = overlapping) -> [GeometryFault.Kind] {
        do throws(GeometryFaults) {
            _ = try Shape.validated(multiPolygon: polygons, winding: .required, rules: rules)
            return []
        } catch {
            return error.faults.map(\.kind)
        }
    }

    @Test func `polygons overlap, touch, repeat and contain each other where the rules allow it`() throws {
        let pairs: [[[[RawVertex]]]] = [
            [[square(0, 0, 2)], [square(1, 1, 2)]], [[square(0, 0, 2)], [square(0, 0, 2)]],
            [[square(0, 0, 4)], [square(1, 1, 1)]], [[square(0, 0, 2)], [square(2, 0, 2)]],
            [[square(0, 0, 2)], [square(2, 2, 2)]],
            [[square(0, 0, 6), square(1, 1, 4, isHole: true)], [square(3, 3, 1)]],
        ]
        for polygons in pairs { #expect(faults(polygons) == []) }
        #expect(faults(pairs[0], .simpleFeatures).contains(.polygonsOverlap))
        let shape = try Shape.validated(multiPolygon: pairs[0], winding: .required, rules: Self.overlapping)
        for (longitude, latitude, isInside) in [
            (0.5, 0.5, true), (1.5, 1.5, true), (2.5, 2.5, true), (0.5, 2.5, false), (2, 1, true),
        ] {
            let place = Coordinate(validLatitude: latitude, longitude: longitude)
            #expect(shape.contains(place) == isInside, "\(place)")
        }
    }

    @Test func `an edge crosses five edges of other polygons and no six`() {
        // A long strip whose sides each cut both sides of so many thin towers; and one that ends in one.
        let strip = [
            RawVertex(longitude: 0, latitude: 0), RawVertex(longitude: 100, latitude: 0),
            RawVertex(longitude: 100, latitude: 1), RawVertex(longitude: 0, latitude: 1),
            RawVertex(longitude: 0, latitude: 0),
        ]
        func towers(_ count: Int) -> [[[RawVertex]]] { (0..<count).map { [square(Double($0) * 10 + 1, -2, 5)] } }
        #expect(faults([[strip]] + towers(2)) == [])
        #expect(faults([[strip]] + towers(2) + [[square(97, -2, 5)]]) == [], "five")
        #expect(faults([[strip]] + towers(3)).contains(.tooManyCrossings), "six")
    }

    @Test func `rings of a polygon may not touch where the rules forbid it`() {
        let outer = square(0, 0, 10)
        let tip = [(0.0, 5.0), (5, 8), (9, 5), (5, 2), (0, 5)].map { RawVertex(longitude: $0.0, latitude: $0.1) }
        let corner = [square(2, 2, 2, isHole: true), square(4, 4, 2, isHole: true)]
        #expect(faults([[outer, tip]]) == [.ringsTouch])
        #expect(faults([[outer] + corner]) == [.ringsTouch])
        #expect(faults([[outer, tip]], .simpleFeatures) == [])
        #expect(faults([[outer] + corner], .simpleFeatures) == [])
    }

    @Test func `among many holes one outside or within another is found`() {
        var rings = [square(0, 0, 80)]
        for number in 0..<400 {
            rings.append(square(Double(number % 20) * 4 + 0.5, Double(number / 20) * 4 + 0.5, 3, isHole: true))
        }
        #expect(faults([rings]) == [])
        #expect(faults([rings + [square(100, 0, 1, isHole: true)]]) == [.holeOutside])
        #expect(faults([rings + [square(1, 1, 1, isHole: true)]]) == [.holesOverlap])
        #expect(faults([rings + [square(120, 50, 1, isHole: true), square(5, 5, 1, isHole: true)]]).count == 2)
    }

    @Test func `an index of overlapping polygons answers as the shapes do`() {
        var random = SeededRandom(seed: 1401)
        var shapes: [Shape] = []
        for _ in 0..<60 {
            let polygons = (0..<Int(random.number(2...6))).map { _ in
                let (west, south, size) = (random.number(0...4), random.number(0...4), random.number(1...3))
                return [
                    square(west, south, size),
                    square(west + size * 0.3, south + size * 0.3, size * 0.4, isHole: true),
                ]
            }
            let rules = ShapeRules(ringsMayTouch: false, crossingsOfEdge: 1_000, crossingLimit: 100_000)
            if let shape = try? Shape.validated(multiPolygon: polygons, winding: .required, rules: rules) {
                shapes.append(shape)
            }
        }
        #expect(shapes.count == 60)
        let index = RegionIndex(shapes.enumerated().map { (id: Int32($0.offset), shape: $0.element) })
        for _ in 0..<rounds(3_000) {
            let place = Coordinate(validLatitude: random.number(-1...8), longitude: random.number(-1...8))
            var found: [Int32] = []
            index.regions(containing: place, into: &found)
            let expected = shapes.indices.filter { shapes[$0].contains(place) }.map { Int32($0) }
            #expect(found == expected, "seed 1401, \(place)")
        }
    }

    @Test func `a shape with thousands of edges on the antimeridian is prepared at once, and measures right`() throws {
        // A strip on both sides, cut at the antimeridian as RFC 7946 asks, its cut in 5,000 pieces and in one.
        func strip(_ pieces: Int) throws -> Shape {
            let steps = (0...pieces).map { -10 + 20 * Double($0) / Double(pieces) }
            let western = [(170.0, -10.0)] + steps.map { (180.0, $0) } + [(170, 10), (170, -10)]
            let eastern = [(-170.0, -10.0), (-170, 10)] + steps.reversed().map { (-180.0, $0) } + [(-170, -10)]
            let rings = [western, eastern].map { $0.map { RawVertex(longitude: $0.0, latitude: $0.1) } }
            return try Shape.validated(multiPolygon: rings.map { [$0] })
        }
        let (fine, coarse) = (PreparedShape(try strip(5_000)), PreparedShape(try strip(1)))
        for place in [(179.9, 0.0), (-179.9, 3), (175, 9.5), (169, 0), (180, 10.5)] {
            let place = Coordinate(validLatitude: place.1, longitude: place.0)
            let difference = fine.signedDistanceToBoundary(from: place) - coarse.signedDistanceToBoundary(from: place)
            #expect(abs(difference.value) < 0.01, "\(place)")
        }
    }
}
