/// A place in metres east and north of the middle of a walk.
private typealias Spot = (east: Double, north: Double)

extension Scenario {
    /// A person walks, stands and drives among regions for half an hour. The fixes of the phone have errors and jumps,
    /// stop for a while, and come late or twice.
    static func walk(seed: UInt64, isRaw: Bool) -> Scenario {
        var chance = Chance(state: seed &* 7919 &+ 17)
        let middles = [(46.05, 14.5), (-17.0, 179.999), (64.1, -21.9), (0.001, -0.001), (-54.8, -68.3), (1.3, 103.8)]
        let middle = middles[Int(seed % 6)]
        let plane = Plane(latitude: middle.0, longitude: middle.1)
        let regions = Self.regions(around: plane, &chance)
        let filters = PositionFilter.allCases
        var scenario = Scenario(
            name: "walk \(seed) \(isRaw ? "raw" : "confident")", filter: filters[Int(seed / 6) % filters.count],
            silenceSeconds: seed % 5 == 0 ? 60 : 1200,
            collections: [(1, isRaw), (2, seed % 3 == 0 ? !isRaw : isRaw)], regions: regions, fixes: [])
        scenario.fixes = Self.fixes(on: plane, &chance)
        return scenario
    }

    private static func regions(around plane: Plane, _ chance: inout Chance) -> [ScenarioRegion] {
        (1...14).map { number in
            let spot: Spot = (chance.number(-400...400), chance.number(-400...400))
            var region = ScenarioRegion(id: Int32(number))
            region.collection = number % 4 == 0 ? 2 : 1
            region.isMuster = number % 3 == 0
            region.mode = number % 2 == 0 ? nil : RegionMode.allCases[number % 3]
            region.dwellSeconds = number % 5 == 0 ? chance.number(5...120) : nil
            region.exitDelaySeconds = number % 6 == 1 ? chance.number(10...90) : 0
            let reach = chance.number(15...160)
            switch number % 5 {
            case 0, 1:
                region.circle = Circle(centre: plane.place(spot), radius: Metres(reach))
            case 2:
                region.polygons = (0..<2).map { part in
                    [star(plane, (spot.east + 3 * reach * Double(part), spot.north), reach, 5 + number, &chance)]
                }
            default:
                let outer = star(plane, spot, reach, 4 + number, &chance)
                let hole = star(plane, spot, reach / 4, 6, &chance)
                region.polygons = [number % 2 == 0 ? [outer, hole.reversed()] : [outer]]
            }
            return region
        }
    }

    private static func star(
        _ plane: Plane, _ spot: Spot, _ reach: Double, _ corners: Int, _ chance: inout Chance
    ) -> [RawVertex] {
        var ring: [RawVertex] = []
        for corner in 0..<corners {
            let direction = Direction(degrees: (Double(corner) + chance.number(0...0.4)) / Double(corners) * 360)
            let away = reach * chance.number(0.6...1)
            let place = plane.place((spot.east + away * direction.cosine, spot.north + away * direction.sine))
            ring.append(RawVertex(longitude: place.longitude, latitude: place.latitude))
        }
        return ring + ring.prefix(1)
    }

    private static func fixes(on plane: Plane, _ chance: inout Chance) -> [Position] {
        var fixes: [Position] = []
        var spot: Spot = (chance.number(-300...300), chance.number(-300...300))
        var goal = spot
        var speed = 0.0
        var seconds = 0.0
        var jump: (until: Double, by: Spot)?
        let accuracy = chance.number(4...30)
        let saysSpeed = chance.happens(0.5)
        while seconds < 1800 {
            let elapsed = chance.happens(0.01) ? chance.number(30...400) : chance.number(3...7)
            seconds += elapsed
            let way: Spot = (goal.east - spot.east, goal.north - spot.north)
            let left = (way.east * way.east + way.north * way.north).squareRoot()
            if left < 5 || chance.happens(0.005) {
                goal = (chance.number(-450...450), chance.number(-450...450))
                speed = chance.happens(0.3) ? 0 : chance.happens(0.2) ? chance.number(5...15) : chance.number(0.8...3)
            } else {
                let share = min(1, speed * elapsed / left)
                spot = (spot.east + share * way.east, spot.north + share * way.north)
            }
            if chance.happens(0.01) {
                jump = (seconds + chance.number(5...240), (chance.number(-600...600), chance.number(-600...600)))
            }
            if let until = jump?.until, seconds > until { jump = nil }
            let said = chance.happens(0.03) ? chance.number(60...900) : accuracy * chance.number(0.7...1.6)
            let error = said * 0.6
            let place = plane.place(
                (
                    spot.east + error * chance.error() + (jump?.by.east ?? 0),
                    spot.north + error * chance.error() + (jump?.by.north ?? 0)
                ))
            let sample = start + Int64(seconds * 1000)
            var fix = Position(
                coordinate: place, sampleTime: Instant(milliseconds: sample),
                receivedTime: Instant(milliseconds: sample + Int64(chance.number(100...2000))),
                accuracy: chance.happens(0.05) ? nil : Metres(said),
                speed: saysSpeed ? max(0, speed + 0.3 * chance.error()) : nil)
            fixes.append(fix)
            if chance.happens(0.02) { fixes.append(fix) }
            if chance.happens(0.03) {
                fix.sampleTime = Instant(milliseconds: sample - Int64(chance.number(1000...90_000)))
                fixes.append(fix)
            }
        }
        return fixes
    }
}

/// Converts metres east and north of a place to coordinates, as exactly as a walk needs them.
struct Plane {
    var latitude: Double
    var longitude: Double

    func place(_ spot: (east: Double, north: Double)) -> Coordinate {
        let east = spot.east / (111_320 * Direction(degrees: latitude).cosine)
        return Coordinate(
            validLatitude: latitude + spot.north / 111_132,
            longitude: (longitude + east).remainder(dividingBy: 360))
    }
}
