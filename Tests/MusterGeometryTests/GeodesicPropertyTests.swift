import MusterGeometry
import Testing

@Suite struct GeodesicPropertyTests {
    @Test func `the direct geodesic along the inverse one arrives at its end`() {
        var random = SeededRandom(seed: 10)
        for round in 0..<20_000 {
            let start = random.place()
            let end: Coordinate
            switch round % 4 {
            case 0: end = random.place()
            case 1:  // Nearly antipodal.
                end = Coordinate(
                    validLatitude: max(-90, min(90, -start.latitude + random.number(-0.6...0.6))),
                    longitude: (start.longitude + 180 + random.number(-0.6...0.6)).remainder(dividingBy: 360))
            case 2:  // Very near.
                end = Coordinate(
                    validLatitude: max(-90, min(90, start.latitude + random.number(-1e-7...1e-7))),
                    longitude: (start.longitude + random.number(-1e-7...1e-7)).remainder(dividingBy: 360))
            default:  // On the same parallel or meridian.
                end =
                    round % 8 == 3
                    ? Coordinate(validLatitude: start.latitude, longitude: random.number(-180...180))
                    : Coordinate(validLatitude: random.number(-90...90), longitude: start.longitude)
            }
            let line = Geodesic(from: start, to: end)
            let there = Geodesic(from: start, azimuth: line.initialAzimuth, distance: line.distance)
            #expect(there.end.distance(to: end).value < 2e-8 * max(1, line.distance.value / 1e6), "\(start) \(end)")
            #expect(abs((end.distance(to: start) - line.distance).value) < 2e-8, "\(start) \(end)")
            #expect(line.distance.value <= 20_003_931.4586255, "half a meridian is the longest shortest line")
            let bearing = start.bearing(to: end).value
            #expect(bearing >= 0 && bearing < 360)
        }
    }

    @Test func `known distances are computed exactly`() {
        func distance(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
            Coordinate(validLatitude: a.0, longitude: a.1).distance(
                to: Coordinate(validLatitude: b.0, longitude: b.1)
            ).value
        }
        #expect(distance((12, 34), (12, 34)) == 0)
        #expect(distance((12, 180), (12, -180)) == 0)
        #expect(distance((90, 10), (90, -120)) < 1e-8)
        // The meridian's quadrant 10,001,965.729 m, and a degree of the equator.
        #expect(abs(distance((0, 0), (90, 0)) - 10_001_965.729_312_2) < 1e-6)
        #expect(abs(distance((-90, 0), (90, 50)) - 20_003_931.458_625_4) < 1e-6)
        #expect(abs(distance((0, 0), (0, 1)) - 6_378_137 * Double.pi / 180) < 1e-6)
        // Antipodes on the equator: over a pole.
        #expect(abs(distance((0, 0), (0, 180)) - 20_003_931.458_625_4) < 1e-6)
        // Karney (2013), table 3 and 4: the nearly antipodal example, φ₁ = −30°, φ₂ = 29.9°, λ₁₂ = 179.8°.
        #expect(abs(distance((-30, 0), (29.9, 179.8)) - 19_989_832.827_610) < 1e-5)
        // Karney (2013), table 2: the direct example, φ₁ = 40°, α₁ = 30°, s₁₂ = 10,000 km.
        let line = Geodesic(
            from: Coordinate(validLatitude: 40, longitude: 0), azimuth: 30, distance: Metres(10_000_000))
        #expect(abs(line.end.latitude - 41.793_310_205_06) < 1e-10)
        #expect(abs(line.end.longitude - 137.844_900_043_77) < 1e-10)
        #expect(abs(line.finalAzimuth.value - 149.090_169_318_07) < 1e-10)
    }

    @Test func `bearings follow the compass`() {
        let here = Coordinate(validLatitude: 0, longitude: 0)
        func bearing(_ latitude: Double, _ longitude: Double) -> Double {
            here.bearing(to: Coordinate(validLatitude: latitude, longitude: longitude)).value
        }
        #expect(bearing(1, 0) == 0)
        #expect(bearing(0, 1) == 90)
        #expect(bearing(-1, 0) == 180)
        #expect(bearing(0, -1) == 270)
        #expect(bearing(1, -1e-18) < 360)
        #expect(here.destination(bearing: 90, distance: 0) == here)
        let back = here.destination(bearing: 90, distance: Metres(-1000))
        #expect(back.longitude < 0 && back.latitude == 0)
    }
}
