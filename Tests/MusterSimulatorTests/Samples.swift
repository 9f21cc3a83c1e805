import MusterCore
import MusterGeometry
import MusterSimulator

/// Worlds and shapes that the tests share.
enum Samples {
    static let start = Instant(milliseconds: 1_795_000_000_000)
    static let plane = LocalPlane(origin: Coordinate(validLatitude: 59.91, longitude: 10.75))

    static func after(_ seconds: Double) -> Instant { start.advanced(bySeconds: seconds) }

    static func at(_ east: Double, _ north: Double) -> Coordinate {
        plane.coordinate(Offset(east: east, north: north))
    }

    /// A dozen places within some 500 m, and people of every manner.
    static func world(
        seed: UInt64, people: Int = 12, manner: Person.Manner? = nil, noise: Noise = Noise(),
        reporting: Reporting = Reporting(), pace: Double = 1
    ) -> World {
        var chance = SeededRandom(seed: seed)
        let kinds: [Place.Kind] = [.home, .home, .home, .work, .work, .shop, .shop, .shop, .muster, .muster]
        let places = kinds.map { kind in
            Place(
                name: "somewhere", kind: kind, coordinate: at(chance.uniform(-500, 500), chance.uniform(-500, 500)),
                spread: 20)
        }
        let manners = Person.Manner.allCases
        let persons = (0..<people).map { Person(name: "p\($0)", manner: manner ?? manners[$0 % manners.count]) }
        return World(
            seed: seed, start: start, people: persons, places: places, noise: noise, reporting: reporting, pace: pace)
    }

    /// Polygons of any form with and without a hole, and circles, within 500 m.
    static func shapes(seed: UInt64) -> [Shape] {
        var chance = SeededRandom(seed: seed)
        return (0..<6).map { number in
            let (east, north) = (chance.uniform(-400, 400), chance.uniform(-400, 400))
            if number % 3 == 2 {
                return .circle(Circle(centre: at(east, north), radius: Metres(chance.uniform(15, 250))))
            }
            let star = star(east, north, chance.uniform(60, 300), 0.5, corners: 9, &chance)
            let hole = Array(Samples.star(east, north, 25, 0.6, corners: 5, &chance).reversed())
            let polygon = Polygon(exterior: star, holes: number % 3 == 0 ? [hole] : [])
            return number == 1 ? .multiPolygon([polygon]) : .polygon(polygon)
        }
    }

    private static func star(
        _ east: Double, _ north: Double, _ reach: Double, _ least: Double, corners: Int, _ chance: inout SeededRandom
    ) -> [Coordinate] {
        let ring = (0..<corners).map { corner in
            let direction = Offset.direction(degrees: -360 * Double(corner) / Double(corners))
            let length = reach * chance.uniform(least, 1)
            return at(east + direction.east * length, north + direction.north * length)
        }
        return ring + ring.prefix(1)
    }

    /// Whether a place is inside, by counting edges in degrees; nothing here is shared with the simulator's truth.
    static func contains(_ shape: Shape, _ place: Coordinate) -> Bool {
        func isInside(_ ring: [Coordinate]) -> Bool {
            zip(ring, ring.dropFirst()).reduce(false) { inside, edge in
                let (begin, end) = edge
                guard (begin.latitude > place.latitude) != (end.latitude > place.latitude) else { return inside }
                let share = (place.latitude - begin.latitude) / (end.latitude - begin.latitude)
                let meets = begin.longitude + share * (end.longitude - begin.longitude)
                return meets > place.longitude ? !inside : inside
            }
        }
        func isInside(_ polygon: Polygon) -> Bool {
            isInside(polygon.exterior) && !polygon.holes.contains(where: isInside)
        }
        return switch shape {
        case .polygon(let polygon): isInside(polygon)
        case .multiPolygon(let polygons): polygons.contains(where: isInside)
        case .circle(let circle): circle.centre.distance(to: place) <= circle.radius
        }
    }
}

extension Reporting {
    /// Returns a reporting with all faults of the study: 5 % of the fixes lost, gaps, and duplicates and bursts out of
    /// order.
    static func faulty(intervalSeconds: Double = 5, deadZones: [DeadZone] = []) -> Reporting {
        Reporting(
            intervalSeconds: intervalSeconds, lostShare: 0.05, duplicateShare: 0.03, gapsPerHour: 0.33,
            deadZones: deadZones, shufflesBursts: true)
    }
}
