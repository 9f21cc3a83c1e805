import MusterCore
import MusterGeometry
import Testing

/// A device at rest is not compared with the regions until it nears a boundary, or what there is to cross changes.
@Suite struct BoundaryFreeRadiusTests {
    @Test(arguments: CrossingPolicy.allCases)
    func `a region drawn around a person at rest is entered with the next usable fix`(policy: CrossingPolicy) {
        var square = Square(policy: policy)
        square.rest(fixes: 8)
        #expect(square.crossings.isEmpty)
        square.put(region: 1, halfSideMetres: 60)
        square.rest(fixes: 4)
        // Under the confident policy who was never known to be outside is found inside, and has not entered.
        #expect(square.engine.presences(of: DeviceNumber(1)).map(\.region) == [RegionNumber(1)])
        square.remove(region: 1)
        square.rest(fixes: 1)
        #expect(square.engine.presences(of: DeviceNumber(1)).isEmpty)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `someone at rest who joins another team is in that team's regions`(policy: CrossingPolicy) {
        var square = Square(policy: policy)
        square.put(region: 1, halfSideMetres: 500)
        square.rest(fixes: 8)
        #expect(square.engine.presences(of: DeviceNumber(1)).map(\.region) == [RegionNumber(1)])
        square.join(team: 2)
        square.rest(fixes: 1)
        #expect(square.engine.presences(of: DeviceNumber(1)).isEmpty)
        square.join(team: 1)
        square.rest(fixes: 4)
        #expect(square.engine.presences(of: DeviceNumber(1)).map(\.region) == [RegionNumber(1)])
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `someone at rest whose team reports elsewhere is in the regions of that tracker`(policy: CrossingPolicy) {
        var square = Square(policy: policy)
        square.put(region: 1, halfSideMetres: 500)
        square.rest(fixes: 8)
        _ = square.engine.apply(.putTeam(Team(number: TeamNumber(1), name: "t", tracker: TrackerNumber(2))))
        square.rest(fixes: 1)
        #expect(square.engine.presences(of: DeviceNumber(1)).isEmpty)
    }

    @Test func `a small step over a boundary far from the last one asked about is a crossing`() {
        var square = Square(policy: .raw)
        square.put(region: 1, halfSideMetres: 80)
        square.rest(fixes: 8)
        // In steps far smaller than what is clear in the middle.
        for metres in stride(from: 0.0, through: 90, by: 1.5) { square.move(eastMetres: metres) }
        #expect(square.crossings.map(\.kind) == [.enter, .exit])
        for metres in stride(from: 90.0, through: 0, by: -1.5) { square.move(eastMetres: metres) }
        #expect(square.crossings.map(\.kind) == [.enter, .exit, .enter])
    }

    @Test func `under both policies at once each region is crossed as under its own alone`() {
        var square = Square(policy: .confident, otherPolicy: .raw)
        square.put(region: 1, halfSideMetres: 80)
        square.put(region: 2, halfSideMetres: 80, collection: 2)
        square.rest(fixes: 12)
        for metres in stride(from: 0.0, through: 150, by: 1.5) { square.move(eastMetres: metres) }
        let raw = square.crossings.filter { $0.region == RegionNumber(2) }
        let confident = square.crossings.filter { $0.region == RegionNumber(1) }
        #expect(raw.map(\.kind) == [.enter, .exit])
        #expect(confident.map(\.kind) == [.exit])
        #expect(raw[1].sampleTime < confident[0].sampleTime)
    }
}

/// One device about a place, and squares around the same place.
private struct Square {
    var engine = Engine()
    private var decision = Decision()
    private(set) var crossings: [Crossing] = []
    private var seconds = 0.0

    init(policy: CrossingPolicy, otherPolicy: CrossingPolicy = .raw) {
        let collections = [CollectionNumber(1), CollectionNumber(2)]
        for (number, policy) in zip(collections, [policy, otherPolicy]) {
            _ = engine.apply(.putCollection(RegionCollection(number: number, name: "\(number)", policy: policy)))
        }
        for (index, linked) in [collections, []].enumerated() {
            let (tracker, team) = (TrackerNumber(Int32(index + 1)), TeamNumber(Int32(index + 1)))
            _ = engine.apply(
                .putTracker(Tracker(number: tracker, name: "\(index)", filter: .none, collections: linked)))
            _ = engine.apply(.putTeam(Team(number: team, name: "\(index)", tracker: tracker)))
        }
        join(team: 1)
        _ = engine.apply(.putDevice(Device(number: DeviceNumber(1), name: "p", user: UserNumber(1))))
    }

    mutating func join(team: Int32) {
        let user = User(number: UserNumber(1), name: "u", role: .member, team: TeamNumber(team))
        _ = engine.apply(.putUser(user))
    }

    mutating func put(region: Int32, halfSideMetres: Double, collection: Int32 = 1) {
        let half = halfSideMetres / 111_000
        let ring = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1), (-1, -1)].map {
            Coordinate(validLatitude: 0.5 + half * $0.0, longitude: 20 + half * $0.1)
        }
        _ = engine.apply(
            .putRegion(
                Region(
                    number: RegionNumber(region), collection: CollectionNumber(collection), id: "\(region)", name: "",
                    shape: .polygon(Polygon(exterior: ring)))))
    }

    mutating func remove(region: Int32) {
        _ = engine.apply(.removeRegion(RegionNumber(region), from: CollectionNumber(1)))
    }

    mutating func rest(fixes: Int) {
        for _ in 0..<fixes { move(eastMetres: 0) }
    }

    mutating func move(eastMetres: Double) {
        seconds += 5
        let time = Instant(seconds: 1_800_000_000 + seconds)
        let place = Coordinate(validLatitude: 0.5, longitude: 20 + eastMetres / 111_000)
        let position = Position(coordinate: place, sampleTime: time, receivedTime: time, accuracy: 5, speed: 1.4)
        _ = engine.decide(.position(position, of: DeviceNumber(1)), now: time, into: &decision)
        decision.takeChanges { change in
            if case .crossing(let crossing) = change { crossings.append(crossing) }
        }
        engine.adopt(&decision)
    }
}
