import Foundation
import MusterGeometry

/// Trails of people who left a muster point, and of phones that lied: fixes, beside where the person truly was.
struct LeavingTrails: Decodable {
    /// East and north of the first point, metres; times in seconds.
    struct Fix: Decodable {
        var t: Double
        var east: Double
        var north: Double
        var accuracy: Double
        var trueEast: Double
        var trueNorth: Double

        /// Where the phone said that it was.
        var coordinate: Coordinate { LeavingTrails.coordinate(east: east, north: north) }
    }

    struct Point: Decodable {
        var east: Double
        var north: Double
        var radius: Double

        /// The circle as a closed ring of 24 corners.
        var ring: [Coordinate] {
            (0...24).map { corner in
                let angle = Double(corner % 24) / 24 * 2 * Double.pi
                return LeavingTrails.coordinate(east: east + radius * sin(angle), north: north + radius * cos(angle))
            }
        }
    }

    struct Case: Decodable {
        var what: String
        var kind: String
        var fixes: [Fix]

        /// Whether the person came to be shown as safe while elsewhere.
        var endsWithGlitch: Bool { what.hasPrefix("became safe") }
    }

    var musterPoints: [Point]
    var cases: [Case]

    /// How far outside of all points a person truly was, metres; negative inside.
    func metresOutside(_ fix: Fix) -> Double {
        musterPoints.map { point in
            let (east, north) = (fix.trueEast - point.east, fix.trueNorth - point.north)
            return (east * east + north * north).squareRoot() - point.radius
        }.min() ?? .infinity
    }

    /// A place by metres east and north of 48° N 11° E, where the trails were recorded.
    static func coordinate(east: Double, north: Double) -> Coordinate {
        Coordinate(validLatitude: 48 + north / 111_195, longitude: 11 + east / (111_195 * cos(48 * Double.pi / 180)))
    }

    /// The trails of the shared test data; nil where these are absent.
    static let shared: LeavingTrails? = {
        let named = ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"].map { URL(filePath: $0) }
        let beside = URL(filePath: #filePath).appending(path: "../../../../shared/data").standardizedFileURL
        let file = (named ?? beside).appending(path: "leaving/trails.json")
        return try? JSONDecoder().decode(LeavingTrails.self, from: Data(contentsOf: file))
    }()
}
