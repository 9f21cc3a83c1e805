import MusterGeometry
import Testing

/// What an index says is clear of boundaries, against every shape alone.
@Suite struct RegionIndexBoundaryFreeRadiusTests {
    @Test func `no boundary is within the boundary-free radius, and the radius is not much too small`() {
        var random = SeededRandom(seed: 82)
        var (clear, possible) = (0.0, 0.0)
        for round in 0..<12 {
            let shapes = (0..<(4 << (round % 6))).map { _ in RegionIndexTests.anyShape(&random) }
            var index = RegionIndex(shapes.enumerated().map { (Int32($0.offset), $0.element) })
            // Half of the time some are beside the mesh.
            if round % 2 == 0 { for id in 0..<3 { index.put(shapes[id], as: Int32(id)) } }
            let prepared = shapes.map { PreparedShape($0) }
            for _ in 0..<rounds(50) {
                let place = RegionIndexMeshTests.place(near: shapes, &random)
                let limit = pow10(random.number(0...2.6))
                let found = index.boundaryFreeRadius(around: place, within: Metres(limit)).value
                let nearest = prepared.map { abs($0.signedDistanceToBoundary(from: place).value) }.min() ?? .infinity
                #expect((0...limit).contains(found))
                #expect(found == 0 || found < nearest, "\(place): \(found) is more than \(nearest)")
                guard abs(place.latitude) < 80, abs(place.longitude) < 179.9 else { continue }
                clear += found
                possible += min(limit, nearest)
            }
        }
        #expect(clear > 0.5 * possible, "\(clear) of \(possible)")
    }

    @Test func `the boundary-free radius is 0 at the poles and the antimeridian`() {
        let index = RegionIndex([(Int32(0), Shape.circle(Circle(centre: place(10, 10), radius: 50)))])
        for place in [place(89, 0), place(-90, 0), place(5, 180), place(5, -179.9999)] {
            #expect(index.boundaryFreeRadius(around: place, within: 100) == 0)
        }
        #expect(index.boundaryFreeRadius(around: place(11, 10), within: 100) == 100)
    }

    @Test func `the boundary-free radius is 0 where hundreds of regions share a corner, and not elsewhere`() {
        let shapes = (0..<400).map { number -> Shape in
            let side = 0.001 + 0.0001 * Double(number)
            return .polygon(
                Polygon(exterior: [place(1, 1), place(1, 1 + side), place(1 + side, 1), place(1, 1)]))
        }
        let index = RegionIndex(shapes.enumerated().map { (Int32($0.offset), $0.element) })
        #expect(index.boundaryFreeRadius(around: place(1, 1), within: 500) == 0)
        #expect(index.boundaryFreeRadius(around: place(0.9, 0.9), within: 500) == 500)
    }

    private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(validLatitude: latitude, longitude: longitude)
    }
}
