import MusterCore
import MusterGeometry

/// Someone who walks about with a poor receiver, and what is drawn on their map; all of it follows from the seed.
struct NoisyWalk {
    private var random: SeededRandom
    private static let centre = Coordinate(validLatitude: 52, longitude: 13)

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Fixes 20 s apart. Some are far off, and say so or not.
    mutating func fixes(_ count: Int, until end: Instant) throws -> [Position] {
        var place = Self.centre
        var bearing = 0.0
        return try (0..<count).map { index in
            bearing += random.uniform(-50, 50)
            // Back to the middle where they got too far.
            if place.distance(to: Self.centre) > 600 { bearing = try initialBearing(to: Self.centre, from: place) }
            if !random.chance(0.2) { place = moved(place, bearing, random.uniform(10, 40)) }
            let accuracy = random.uniform(4, 40)
            let isLost = random.chance(0.03)
            let error = isLost ? random.uniform(200, 900) : accuracy * random.uniform(0, 1.3)
            let time = end.advanced(bySeconds: Double(index - count) * 20)
            return Position(
                coordinate: moved(place, random.uniform(0, 360), error), sampleTime: time, receivedTime: time,
                accuracy: isLost && random.chance(0.5) ? Metres(1_500) : Metres(accuracy),
                speed: random.chance(0.5) ? random.uniform(0, 2) : nil)
        }
    }

    /// Regions around, as GeoJSON: circles, of all that a region may say of itself.
    mutating func regions(_ count: Int, _ prefix: String) -> String {
        let features = (0..<count).map { index in
            let place = moved(Self.centre, random.uniform(0, 360), random.uniform(0, 600))
            var properties = #""radius":\#(random.uniform(25, 220))"#
            if index % 4 == 1 { properties += #","muster":true"# }
            if index % 4 == 2 { properties += #","crossingMode":"insideIsDanger","dwell":90"# }
            return #"""
                {"type":"Feature","id":"\#(prefix)\#(index)","properties":{\#(properties)},\#
                "geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]}}
                """#
        }
        return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    private func moved(_ place: Coordinate, _ bearing: Double, _ metres: Double) -> Coordinate {
        place.destination(bearing: Degrees(bearing), distance: Metres(metres))
    }

    private func initialBearing(to target: Coordinate, from place: Coordinate) throws -> Double {
        let turn = stride(from: 0.0, to: 360, by: 10).min { left, right in
            moved(place, left, 100).distance(to: target) < moved(place, right, 100).distance(to: target)
        }
        return turn ?? 0
    }
}
