import Foundation
import MusterGeometry
import Testing

@Suite struct InradiusTests {
    /// A ring of metres around a place.
    private func ring(
        _ corners: [(Double, Double)], at latitude: Double = 46, _ longitude: Double = 14
    ) -> [Coordinate] {
        let perDegree = 111_132.954 - 559.822 * cos(2 * latitude * .pi / 180)
        let east = 111_412.84 * cos(latitude * .pi / 180) - 93.5 * cos(3 * latitude * .pi / 180)
        let points = corners.map { x, y in
            Coordinate(
                validLatitude: latitude + y / perDegree,
                longitude: (longitude + x / east).remainder(dividingBy: 360))
        }
        return points + points.prefix(1)
    }

    private func box(_ width: Double, _ height: Double, turned degrees: Double = 0) -> [(Double, Double)] {
        let (s, c) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        return [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { x, y in
            let (x, y) = (x * width / 2, y * height / 2)
            return (x * c - y * s, x * s + y * c)
        }
    }

    private func check(_ shape: Shape, _ metres: Double, sourceLocation: SourceLocation = #_sourceLocation) {
        let found = shape.inradius.value
        #expect(found <= metres * 1.003 && found >= metres * 0.97, sourceLocation: sourceLocation)
    }

    @Test func `a circle's inradius is its radius`() {
        #expect(Shape.circle(Circle(centre: Coordinate(validLatitude: 46, longitude: 14), radius: 15)).inradius == 15)
    }

    @Test(arguments: [0.0, 17, 45, 90])
    func `a box's inradius is half its width, however it is turned`(degrees: Double) {
        check(.polygon(Polygon(exterior: ring(box(100, 100, turned: degrees)))), 50)
        check(.polygon(Polygon(exterior: ring(box(400, 30, turned: degrees)))), 15)
    }

    @Test func `a corridor 5 km long is half its width`() {
        check(.polygon(Polygon(exterior: ring(box(5000, 6, turned: 31)))), 3)
    }

    @Test func `a triangle's inradius is its area by half its circumference`() {
        let corners = [(0.0, 0.0), (400, 0), (0, 300)]
        check(.polygon(Polygon(exterior: ring(corners))), 100)
    }

    @Test func `a hole makes it smaller`() {
        let hole = Array(ring(box(20, 20)).reversed())
        let shape = Shape.polygon(Polygon(exterior: ring(box(100, 100)), holes: [hole]))
        // The largest circle touches two sides and the hole's corner.
        let diagonal = (50.0 - 10) * 2.0.squareRoot()
        check(shape, diagonal / (1 + 2.0.squareRoot()))
    }

    @Test func `a box and its hole across the antimeridian are like anywhere`() {
        let exterior = ring(box(100, 100), at: -17, 180)
        let hole = Array(ring(box(20, 20), at: -17, -179.9999).reversed())
        let there = Shape.polygon(Polygon(exterior: exterior, holes: [hole])).inradius.value
        let same = Shape.polygon(
            Polygon(
                exterior: ring(box(100, 100), at: -17, 14),
                holes: [Array(ring(box(20, 20), at: -17, 14.0001).reversed())]))
        #expect(abs(there - same.inradius.value) < 0.2)
    }

    @Test func `a multipolygon has the inradius of its roomiest polygon`() {
        let small = Polygon(exterior: ring(box(20, 20)))
        let large = Polygon(exterior: ring(box(80, 60), at: 46.1))
        check(.multiPolygon([small, large]), 30)
    }

    @Test func `a cap round a pole reaches from the pole to its rim`() {
        let cap = (0..<72).map { Coordinate(validLatitude: 89, longitude: -180 + Double($0) * 5) }
        let shape = Shape.polygon(Polygon(exterior: cap + cap.prefix(1)))
        #expect(abs(shape.inradius.value - 111_694) < 400)
    }

    @Test func `the inradius of a hundred thousand corners takes few searches`() {
        let corners = (0..<100_000).map { index -> (Double, Double) in
            let angle = Double(index) / 100_000 * 2 * .pi
            let radius = 1000 + 200 * sin(angle * 37) + 20 * sin(angle * 4001)
            return (radius * cos(angle), radius * sin(angle))
        }
        let found = Shape.polygon(Polygon(exterior: ring(corners))).inradius.value
        #expect(found > 780 * 0.97 && found < 805)
    }

    @Test func `the inradius of a ragged polygon is not too small, nor much too large`() {
        var random = SeededRandom(seed: 140)
        for vertices in [5, 9, 17, 32, 33, 64, 150] {
            let star = random.star(
                at: Coordinate(validLatitude: 46, longitude: 14), vertices: vertices, radius: 0.01,
                hole: vertices % 2 == 0)
            let shape = PreparedShape(.polygon(star))
            let found = Shape.polygon(star).inradius.value
            // The deepest of a grid's points; half a step's diagonal deeper it may be between them.
            let steps = isSoak ? 80 : 40
            let step = 0.02 / Double(steps)
            var deepest = 0.0
            for row in 0...steps {
                for column in 0...steps {
                    let place = Coordinate(
                        validLatitude: 45.99 + Double(row) * step, longitude: 13.99 + Double(column) * step)
                    deepest = max(deepest, shape.signedDistanceToBoundary(from: place).value)
                }
            }
            #expect(found >= deepest * 0.975, "\(vertices): \(found), \(deepest)")
            #expect(found <= deepest + step * 111_200 * 0.5.squareRoot(), "\(vertices): \(found), \(deepest)")
        }
    }
}
