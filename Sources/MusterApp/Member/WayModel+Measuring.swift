import Foundation
import MusterGeometry
import MusterKit

extension WayModel {
    /// The ways to the muster regions that have a place, the nearest first.
    ///
    /// - Complexity: O(edges of all muster regions), and for the eight nearest some 100 distances more.
    static func ways(to areas: [RegionWatch.Area], from location: Muster.Location?) -> [Way] {
        let place = location.flatMap { try? Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
        var found: [(area: RegionWatch.Area, shape: Shape, metres: Double?)] = areas.compactMap { area in
            guard area.isMuster, let shape = area.shape else { return nil }
            // The geometry counts inwards.
            return (area, shape, place.map { -shape.signedDistanceToBoundary(from: $0).value })
        }
        found.sort { left, right in
            (left.metres ?? 0, left.area.title, left.area.region.id)
                < (right.metres ?? 0, right.area.title, right.area.region.id)
        }
        return found.prefix(listLimit).map { area, shape, metres -> Way in
            let middle = shape.middle
            var bearing: Double?
            if let place, let metres {
                bearing =
                    metres > 0
                    ? shape.bearing(from: place, metres) : place.bearing(to: middle).value
            }
            return Way(
                id: "\(area.region.collection)/\(area.region.id)", name: area.title, isByBeacon: area.isByBeacon,
                middle: middle, metres: metres, bearingDegrees: bearing.map { wrapped($0) })
        }
    }
}

extension WayModel {
    /// The number of regions that the system watches for an app.
    static let wakingLimit = 20
    /// The smallest circle that the system tells reliably, metres.
    static let wakingRadiusMetres = 100.0

    /// The nearest regions as circles around them; nil for no place, from which none is near.
    ///
    /// - Complexity: O(vertices of all regions).
    static func wakingCircles(of areas: [RegionWatch.Area], near location: Muster.Location?) -> [WakingCircle]? {
        guard let location, let place = try? Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { return nil }
        let circles = areas.compactMap { area -> (circle: WakingCircle, metres: Double)? in
            guard let shape = area.shape else { return nil }
            let (centre, radius) = shape.circleAround
            let circle = WakingCircle(
                id: "\(area.region.collection)/\(area.region.id)", latitude: centre.latitude,
                longitude: centre.longitude, radiusMetres: max(wakingRadiusMetres, radius.rounded(.up)))
            return (circle, place.distance(to: centre).value - radius)
        }
        let nearest = circles.sorted { ($0.metres, $0.circle.id) < ($1.metres, $1.circle.id) }
        return nearest.prefix(wakingLimit).map(\.circle)
    }
}

extension Shape {
    /// A circle that holds the shape: its middle, and the distance to the farthest vertex.
    var circleAround: (centre: Coordinate, radiusMetres: Double) {
        let rings: [[Coordinate]]
        switch self {
        case .circle(let circle): return (circle.centre, circle.radius.value)
        case .polygon(let polygon): rings = [polygon.exterior]
        case .multiPolygon(let polygons): rings = polygons.map(\.exterior)
        }
        let centre = middle
        return (centre, rings.joined().map { centre.distance(to: $0).value }.max() ?? 0)
    }

    /// A point in the middle of the shape's box; of a circle its centre. It need not lie inside.
    var middle: Coordinate {
        switch self {
        case .circle(let circle): return circle.centre
        case .polygon(let polygon): return Self.middle(of: polygon.exterior)
        case .multiPolygon(let polygons):
            return Self.middle(of: polygons.max { $0.exterior.count < $1.exterior.count }?.exterior ?? [])
        }
    }

    private static func middle(of ring: [Coordinate]) -> Coordinate {
        guard let first = ring.first else { return unsafeZero }
        let latitudes = ring.map(\.latitude)
        // Longitudes count from the first, the short way, so that a ring across the antimeridian has its middle in it.
        let easts = ring.map { ($0.longitude - first.longitude).remainder(dividingBy: 360) }
        let latitude = ((latitudes.min() ?? 0) + (latitudes.max() ?? 0)) / 2
        let longitude = first.longitude + ((easts.min() ?? 0) + (easts.max() ?? 0)) / 2
        return (try? Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))) ?? first
    }

    private static var unsafeZero: Coordinate {
        guard let zero = try? Coordinate(latitude: 0, longitude: 0) else { preconditionFailure("0, 0 is on earth") }
        return zero
    }

    /// The direction in which the boundary is nearest, degrees clockwise from north: that in which a point at the
    /// distance of the boundary lies nearest to it.
    ///
    /// - Parameter metres: the distance to the boundary, above 0.
    func bearing(from place: Coordinate, _ metres: Double) -> Double {
        if case .circle(let circle) = self { return place.bearing(to: circle.centre).value }
        func miss(_ degrees: Double) -> Double {
            let there = place.destination(bearing: Degrees(degrees), distance: Metres(metres))
            return abs(signedDistanceToBoundary(from: there).value)
        }
        var best = stride(from: 0.0, to: 360, by: 5).min { miss($0) < miss($1) } ?? 0
        for step in [1.0, 0.2] {
            best = stride(from: best - 5 * step, through: best + 5 * step, by: step).min { miss($0) < miss($1) } ?? best
        }
        return best
    }
}
