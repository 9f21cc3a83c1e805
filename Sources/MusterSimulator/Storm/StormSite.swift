import MusterCore
import MusterGeometry

/// The town in which a storm happens: its places, and the edits that found it.
struct StormSite: Sendable {
    let seed: UInt64
    let plane = LocalPlane(origin: Coordinate(validLatitude: 59.91, longitude: 10.75))
    let places: [Place]

    init(seed: UInt64, _ chance: inout SeededRandom) {
        self.seed = seed
        let kinds: [Place.Kind] = [.home, .work, .work, .shop, .muster, .muster]
        let plane = plane
        places = kinds.map { kind in
            Place(
                name: "\(kind)", kind: kind,
                coordinate: plane.coordinate(
                    Offset(east: chance.uniform(-250, 250), north: chance.uniform(-250, 250))),
                spread: 8)
        }
    }

    /// The centres of the two assembly points.
    var musterPlaces: [Coordinate] { places.filter { $0.kind == .muster }.map(\.coordinate) }

    /// Returns a square or a circle somewhere around a place.
    func shape(around coordinate: Coordinate, off metres: Double, _ chance: inout SeededRandom) -> Shape {
        let shift = chance.vector(length: metres)
        let middle = plane.offset(coordinate) + shift
        let half = chance.uniform(30, 70)
        guard chance.chance(0.6) else { return .circle(Circle(centre: plane.coordinate(middle), radius: Metres(half))) }
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)]
        return .polygon(
            Polygon(exterior: corners.map { plane.coordinate(middle + Offset(east: $0.0, north: $0.1)) }))
    }

    /// Returns the edits that make two teams with a tracker each, three collections, an assembly point in each, and a
    /// workshop, which is no assembly point.
    func founding(_ chance: inout SeededRandom) -> [Edit] {
        let collections = (1...3).map { CollectionNumber(Int32($0)) }
        var edits: [Edit] = collections.map { number in
            let policy: CrossingPolicy = number.rawValue == 2 ? .confident : .raw
            return .putCollection(RegionCollection(number: number, name: "c\(number.rawValue)", policy: policy))
        }
        for number in [TrackerNumber(1), TrackerNumber(2)] {
            let filter = chance.pick(PositionFilter.allCases) ?? .none
            let links = number.rawValue == 1 ? Array(collections.prefix(2)) : collections
            edits.append(
                .putTracker(
                    Tracker(number: number, name: "t\(number.rawValue)", filter: filter, collections: links)))
        }
        for (team, _) in Storm.teams {
            let settings = IncidentSettings(
                closesDrills: seed % 4 == 0, closesAfterSeconds: 60, declaredHoldsSeconds: chance.uniform(240, 700))
            edits.append(
                .putTeam(
                    Team(
                        number: team, name: "team\(team.rawValue)", tracker: TrackerNumber(team.rawValue),
                        silenceSeconds: chance.uniform(90, 300), incidents: settings)))
        }
        let musterPlaces = musterPlaces
        for (number, collection, middle) in [(1, 1, musterPlaces[0]), (2, 2, musterPlaces[1]), (4, 3, musterPlaces[0])]
        {
            edits.append(
                .putRegion(
                    StormEdit.region(
                        RegionNumber(Int32(number)), CollectionNumber(Int32(collection)),
                        shape(around: middle, off: 10, &chance), isMuster: true)))
        }
        edits.append(
            .putRegion(
                StormEdit.region(
                    RegionNumber(3), CollectionNumber(2), shape(around: places[1].coordinate, off: 10, &chance),
                    isMuster: false)))
        for user in Storm.users {
            let (team, leader) = user.rawValue < 5 ? Storm.teams[0] : Storm.teams[1]
            edits.append(
                .putUser(
                    User(
                        number: user, name: "u\(user.rawValue)", role: user == leader ? .leader : .member, team: team)))
            edits.append(.putDevice(Device(number: DeviceNumber(user.rawValue), name: "phone", user: user)))
        }
        edits.append(.putDevice(Device(number: Storm.tablet, name: "tablet", user: Storm.users[1])))
        return edits
    }
}
