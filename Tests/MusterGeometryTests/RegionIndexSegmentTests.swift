import MusterGeometry
import Testing

/// Which regions a way touches: the mesh against the delta, and both against the points of the way.
@Suite struct RegionIndexSegmentTests {
    @Test func `a segment touches the regions that hold one of its points`() {
        var random = SeededRandom(seed: 90)
        var touched = 0
        for round in 0..<16 {
            let shapes = (0..<(2 << (round % 7))).map { _ in RegionIndexTests.anyShape(&random) }
            let mesh = RegionIndex(shapes.enumerated().map { (Int32($0.offset), $0.element) })
            var delta = RegionIndex()
            for (id, shape) in shapes.enumerated() { delta.put(shape, as: Int32(id)) }
            for _ in 0..<rounds(150) {
                let from = RegionIndexMeshTests.place(near: shapes, &random)
                let to =
                    random.number(0...1) < 0.5
                    ? RegionIndexMeshTests.place(near: shapes, &random) : RegionIndexTests.anyCentre(&random)
                var found: [Int32] = [-7]
                mesh.regions(crossedBy: from, to, into: &found)
                var expected: [Int32] = [-7]
                delta.regions(crossedBy: from, to, into: &expected)
                #expect(found == expected, "\(from) \(to)")
                touched += found.count - 1
                for id in holding(from, to, mesh) where !found.contains(id) {
                    Issue.record("\(id) holds a point between \(from) and \(to)")
                }
            }
        }
        #expect(touched > rounds(2000))
    }

    @Test func `a segment that touches a corner or runs along an edge touches the region`() throws {
        let square = try Shape.validated(polygon: [ring("1 1, 2 1, 2 2, 1 2, 1 1")])
        let beyond = try Shape.validated(polygon: [ring("179 1, -179 1, -179 2, 179 2, 179 1")])
        let shapes: [(id: Int32, shape: Shape)] = [(1, square), (2, beyond)]
        let index = RegionIndex(shapes)
        let check = { (from: (Double, Double), to: (Double, Double), expected: [Int32]) in
            var found: [Int32] = []
            index.regions(
                crossedBy: Coordinate(validLatitude: from.0, longitude: from.1),
                Coordinate(validLatitude: to.0, longitude: to.1), into: &found)
            #expect(found == expected, "\(from) \(to)")
        }
        check((0, 2), (2, 4), [])
        check((0, 0), (1, 1), [1])
        check((0, 2), (2, 0), [1])
        check((0, 3), (3, 0), [1])
        check((2, 0), (2, 3), [1])
        check((2.0000001, 0), (2.0000001, 3), [])
        check((1.5, 0), (1.5, 3), [1])
        check((1.5, 178), (1.5, -178), [2])
        check((1.5, -178), (1.5, 178), [2])
        check((1.5, -90), (1.5, 89), [1])
        check((0, 180), (3, -180), [2])
        check((1.5, 1.5), (1.5, 1.5), [1])
        check((0, 0), (0, 0), [])
    }

    /// The regions that hold one of some points of a way.
    private func holding(_ from: Coordinate, _ to: Coordinate, _ index: RegionIndex) -> Set<Int32> {
        var result: [Int32] = []
        let eastward = (to.longitude - from.longitude)
        let short = abs(eastward) > 180 ? eastward - (eastward > 0 ? 360 : -360) : eastward
        for step in 0...64 {
            let fraction = Double(step) / 64
            index.regions(
                containing: Coordinate(
                    validLatitude: from.latitude + fraction * (to.latitude - from.latitude),
                    longitude: (from.longitude + fraction * short).remainder(dividingBy: 360)),
                into: &result)
        }
        // A point of the way is rounded: what it only grazes may be missed by the way itself.
        return Set(result).filter { id in result.count { $0 == id } > 1 }
    }
}
