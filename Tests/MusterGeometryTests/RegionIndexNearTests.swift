import MusterGeometry
import Testing

/// What an index says of regions near a place, against every shape alone.
@Suite struct RegionIndexNearTests {
    @Test func `the distance to a boundary equals that of the shape alone`() {
        var random = SeededRandom(seed: 80)
        var measured = 0
        for round in 0..<12 {
            let shapes = (0..<(4 << (round % 6))).map { _ in RegionIndexTests.anyShape(&random) }
            measured += check(shapes, places: rounds(40), &random)
        }
        #expect(measured > rounds(500))
    }

    @Test func `a region cut along the antimeridian has no boundary there`() throws {
        var random = SeededRandom(seed: 81)
        let cut = try Shape.validated(
            multiPolygon: [
                [ring("179 0, 180 0, 180 1, 179 1, 179 0")], [ring("-180 0, -179 0, -179 1, -180 1, -180 0")],
            ])
        let whole = try Shape.validated(polygon: [ring("179.5 0.2, -179.5 0.2, -179.5 2, 179.5 2, 179.5 0.2")])
        let half = try Shape.validated(polygon: [ring("179.9 0.4, 180 0.4, 180 0.6, 179.9 0.6, 179.9 0.4")])
        let polar = try Shape.validated(polygon: [ring("0 60, 90 65, 180 60, -90 65, 0 60")])
        #expect(check([cut, whole, half, polar], places: 500, &random) > 400)
    }

    /// Compares an index, made at once and with a few shapes in its delta, with the shapes.
    private func check(_ shapes: [Shape], places count: Int, _ random: inout SeededRandom) -> Int {
        var index = RegionIndex(shapes.enumerated().map { (Int32($0.offset) - 3, $0.element) })
        index.remove(-3)
        if shapes.count > 4 {
            index.put(shapes[2], as: -2)
            index.remove(0)
            index.put(shapes[4], as: 0)
        }
        var current = Dictionary(uniqueKeysWithValues: shapes.enumerated().map { (Int32($0.offset) - 3, $0.element) })
        current[-3] = nil
        if shapes.count > 4 {
            current[-2] = shapes[2]
            current[0] = shapes[4]
        }
        let prepared = current.mapValues { PreparedShape($0) }
        var measured = 0
        for _ in 0..<count {
            let place = RegionIndexMeshTests.place(near: shapes, &random)
            let radius = pow10(random.number(0...6))
            var found = Answers<NearbyRegion>()
            index.nearby(place, within: Metres(radius), into: &found)
            #expect(found.map { $0.id } == found.map { $0.id }.sorted())
            var left = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.signedDistanceMetres) })
            for (id, shape) in prepared {
                let expected = shape.signedDistanceToBoundary(from: place).value
                let tolerance = max(0.01, abs(expected) * (abs(expected) > 100_000 ? 1e-3 : 0))
                let distance = left.removeValue(forKey: id)
                guard abs(abs(expected) - radius) > tolerance else { continue }
                if expected < -radius {
                    #expect(distance == nil, "\(id) \(place) \(radius) \(expected)")
                } else if expected > radius {
                    #expect(distance == .infinity, "\(id) \(place) \(radius) \(expected)")
                } else {
                    measured += 1
                    #expect(
                        distance.map { abs($0 - expected) < tolerance } ?? false,
                        "\(id) \(place) \(radius): \(distance ?? .nan) is not \(expected)")
                }
            }
            #expect(left.isEmpty)
        }
        return measured
    }
}
