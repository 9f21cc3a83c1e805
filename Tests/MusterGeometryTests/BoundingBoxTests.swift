import MusterGeometry
import Testing

/// Boxes around places, and whether two have a place in common.
@Suite struct BoundingBoxTests {
    private func box(_ latitude: Double, _ longitude: Double, _ metres: Double) -> BoundingBox {
        BoundingBox(
            around: Coordinate(validLatitude: latitude, longitude: longitude), within: Metres(metres))
    }

    @Test func `boxes touch across the antimeridian, at a pole, and along a side`() {
        #expect(box(45, 179.99, 2_000).touches(box(45, -179.99, 1)))
        #expect(!box(45, 179.99, 1_000).touches(box(45, -179.98, 1)))
        #expect(box(89.99, 0, 5_000).touches(box(89.99, 180, 1)))
        #expect(box(0, 0, 3e7).touches(box(-80, 135, 1)))
        let side = BoundingBox(south: 0, west: 0, north: 1, east: 1)
        #expect(side.touches(BoundingBox(south: 1, west: 1, north: 2, east: 2)))
        #expect(!side.touches(BoundingBox(south: 1.1, west: 0, north: 2, east: 2)))
        #expect(BoundingBox(south: 0, west: 170, north: 1, east: 180).touches(box(0.5, -180, 0)))
    }

    @Test func `boxes of two discs that overlap always touch, and never those of discs far apart`() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<20_000 {
            let places = (0..<2).map { _ in
                Coordinate(
                    validLatitude: random.number(-90...90), longitude: random.number(-180...180))
            }
            let radii = (0..<2).map { _ in random.number(0...8_000_000) }
            let boxes = zip(places, radii).map { BoundingBox(around: $0, within: Metres($1)) }
            let overlaps = places[0].distance(to: places[1]).value <= radii[0] + radii[1]
            #expect(boxes[0].touches(boxes[1]) == boxes[1].touches(boxes[0]))
            if overlaps { #expect(boxes[0].touches(boxes[1]), "\(places) \(radii)") }
        }
    }
}
