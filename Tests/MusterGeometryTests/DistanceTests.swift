import MusterGeometry
import Testing

@Suite struct DistanceTests {
    @Test func `the distance to a boundary is that of the nearest point found by trying them all`() throws {
        var random = SeededRandom(seed: 50)
        var worst = 0.0
        for round in 0..<60 {
            let centre = Coordinate(
                validLatitude: random.number(-84...84), longitude: round % 4 == 0 ? 179.9 : random.number(-170...170))
            let radius = [0.001, 0.02, 0.5][round % 3]
            let polygon = random.star(at: centre, vertices: 3 + round % 12, radius: radius, hole: round % 2 == 0)
            for _ in 0..<4 {
                let place = Coordinate(
                    validLatitude: centre.latitude + 1.5 * radius * random.number(-1...1),
                    longitude: (centre.longitude + 1.5 * radius * random.number(-1...1)).remainder(dividingBy: 360))
                let found = Shape.polygon(polygon).signedDistanceToBoundary(from: place)
                let expected = nearest(polygon, place)
                #expect((found.value > 0) == Shape.polygon(polygon).contains(place))
                worst = max(worst, abs(abs(found.value) - expected))
                #expect(abs(abs(found.value) - expected) < 1e-3, "\(place) \(polygon)")
            }
        }
        print("worst \(worst) m")
    }

    @Test func `far away and along edges of a continent the distance is within its tolerance`() throws {
        var random = SeededRandom(seed: 51)
        let square = try Shape.validated(polygon: [ring("-60 -50, 70 -30, 60 65, -80 55, -60 -50")])
        for _ in 0..<40 {
            let place = random.place(latitude: -89...89, longitude: -180...180)
            let found = abs(square.signedDistanceToBoundary(from: place).value)
            let expected = nearest(square.polygons[0], place, steps: 2000)
            #expect(abs(found - expected) < max(0.01, expected * 1e-3), "\(place) \(found) \(expected)")
        }
    }

    @Test func `on the boundary the distance is nothing`() throws {
        let polygon = try Shape.validated(polygon: [ring("8 47, 8.5 47, 8.5 47.25, 8 47.25, 8 47")])
        for place in [(47, 8), (47, 8.25), (47.125, 8.5)] {
            let coordinate = Coordinate(validLatitude: place.0, longitude: place.1)
            #expect(abs(polygon.signedDistanceToBoundary(from: coordinate).value) < 1e-6)
        }
    }

    @Test func `a circle's boundary is its radius away from its centre`() {
        let centre = Coordinate(validLatitude: 60, longitude: -179.999)
        let circle = Shape.circle(Circle(centre: centre, radius: 500))
        #expect(circle.signedDistanceToBoundary(from: centre) == 500)
        for bearing in stride(from: 0.0, to: 360, by: 15) {
            let inside = centre.destination(bearing: Degrees(bearing), distance: 499.999)
            let outside = centre.destination(bearing: Degrees(bearing), distance: 500.001)
            #expect(holds(circle, [(inside.latitude, inside.longitude)]))
            #expect(lacks(circle, [(outside.latitude, outside.longitude)]))
            #expect(abs(circle.signedDistanceToBoundary(from: outside).value + 0.001) < 1e-6)
        }
    }

    @Test func `a circle asked through space answers as its geodesic does, micrometres from its edge`() {
        var random = SeededRandom(seed: 52)
        var inside = 0
        for _ in 0..<rounds(5000) {
            let circle = Circle(centre: random.place(), radius: Metres(pow10(random.number(-2...5))))
            let prepared = PreparedShape(.circle(circle))
            let place = circle.centre.destination(
                bearing: Degrees(random.number(0...360)),
                distance: Metres(circle.radius.value + random.number(-4e-6...4e-6)))
            #expect(prepared.contains(place) == circle.contains(place), "\(circle) \(place)")
            if circle.contains(place) { inside += 1 }
        }
        #expect(inside > rounds(1000) && inside < rounds(4000))
    }

    @Test func `a walk along the boundary's outside finds a region exactly within its distance`() throws {
        let polygon = try Shape.validated(polygon: [ring("8 47, 8.01 47, 8.01 47.01, 8 47.01, 8 47")])
        var index = RegionIndex()
        index.put(polygon, as: 5)
        for step in 0..<40 {
            let place = Coordinate(validLatitude: 47.005, longitude: 8.01 + Double(step) * 0.0005)
            let away = max(0, -polygon.signedDistanceToBoundary(from: place).value)
            for (radius, isNear) in [(away + 0.02, true), (away - 0.02, false)] where radius >= 0 {
                var found = Answers<NearbyRegion>()
                index.nearby(place, within: Metres(radius), into: &found)
                #expect(found.map { $0.id } == (isNear ? [5] : []), "\(step) \(radius)")
            }
        }
    }

    /// The least geodesic distance of points all along the edges, refined where it is least.
    private func nearest(_ polygon: Polygon, _ place: Coordinate, steps: Int = 60) -> Double {
        var best = Double.infinity
        for ring in [polygon.exterior] + polygon.holes {
            for (a, b) in zip(ring, ring.dropFirst()) {
                let gap = (b.longitude - a.longitude).remainder(dividingBy: 360)
                func distance(_ share: Double) -> Double {
                    Coordinate(
                        validLatitude: a.latitude + share * (b.latitude - a.latitude),
                        longitude: (a.longitude + share * gap).remainder(dividingBy: 360)
                    ).distance(to: place).value
                }
                var at = 0.0
                var least = Double.infinity
                for step in 0...steps where distance(Double(step) / Double(steps)) < least {
                    at = Double(step) / Double(steps)
                    least = distance(at)
                }
                guard least - a.distance(to: b).value / Double(steps) < best else { continue }
                var low = max(0, at - 1 / Double(steps))
                var high = min(1, at + 1 / Double(steps))
                for _ in 0..<60 {
                    let third = (high - low) / 3
                    if distance(low + third) < distance(high - third) { high -= third } else { low += third }
                }
                best = min(best, least, distance((low + high) / 2))
            }
        }
        return best
    }
}
