import MusterCore
import MusterGeometry
import MusterTestSupport
import Testing

/// What the engine leaves out because it can change nothing, against the way that leaves out nothing.
@Suite struct ShortcutEquivalenceTests {
    @Test(arguments: CrossingPolicy.allCases)
    func `the shortcut for devices at rest gives the same reports as a full evaluation`(
        policy: CrossingPolicy
    ) {
        // Who may still have to be told of a dwell is gone through with every fix; nobody waits for ever. And after an
        // edit nothing is known of how far boundaries are.
        var fast = Town(policy: policy, dwellSeconds: nil)
        var plain = Town(policy: policy, dwellSeconds: 1e300)
        var random = Chance(seed: 90)
        var walkers = (0..<40).map { _ in random.walker() }
        for round in 0..<SoakSeeds.rounds(200, inSoak: 400) {
            var request: [Observation] = []
            for number in walkers.indices {
                walkers[number].step(&random)
                request.append(walkers[number].observation(number, at: Double(round) * 5, &random))
            }
            fast.take(request, at: Double(round) * 5)
            plain.forgetClearances()
            plain.take(request, at: Double(round) * 5)
            // Some come again, late or repeated, as phones send them.
            if round % 9 == 8 {
                fast.take(Array(request.prefix(7)), at: Double(round) * 5)
                plain.forgetClearances()
                plain.take(Array(request.prefix(7)), at: Double(round) * 5)
            }
        }
        #expect(fast.log == plain.log)
        #expect(fast.crossingCount > SoakSeeds.rounds(150, inSoak: 300), "\(fast.crossingCount)")
        for number in walkers.indices {
            let device = DeviceNumber(Int32(number + 1))
            #expect(fast.engine.standings(of: device) == plain.engine.standings(of: device))
            #expect(fast.engine.musterPresences(of: device) == plain.engine.musterPresences(of: device))
        }
    }

    @Test func `a request of hundreds is decided as its observations are one by one`() {
        var whole = Town(policy: .confident, dwellSeconds: 60)
        var single = Town(policy: .confident, dwellSeconds: 60)
        var random = Chance(seed: 91)
        var walkers = (0..<300).map { _ in random.walker() }
        for round in 0..<60 {
            var request: [Observation] = []
            for number in walkers.indices {
                walkers[number].step(&random)
                request.append(walkers[number].observation(number, at: Double(round) * 5, &random))
            }
            whole.take(request, at: Double(round) * 5)
            for observation in request { single.take([observation], at: Double(round) * 5) }
        }
        #expect(whole.log == single.log)
    }
}

/// An engine over overlapping squares, and its log.
private struct Town {
    private(set) var engine = Engine()
    private var decision = Decision()
    private(set) var log: [Change] = []

    init(policy: CrossingPolicy, dwellSeconds: Double?) {
        let (team, tracker, collection) = (TeamNumber(1), TrackerNumber(1), CollectionNumber(1))
        _ = engine.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [collection])))
        _ = engine.apply(.putTeam(Team(number: team, name: "t", tracker: tracker)))
        _ = engine.apply(.putCollection(RegionCollection(number: collection, name: "c", policy: policy)))
        for index in 0..<80 {
            let (south, west) = (45 + 0.001 * Double(index / 9), 14 + 0.0013 * Double(index % 9))
            let side = 0.0006 + 0.0004 * Double(index % 5)
            let exterior = Self.square(south: south, west: west, side: side)
            let hole = Self.square(south: south + side / 4, west: west + side / 4, side: side / 2)
            _ = engine.apply(
                .putRegion(
                    Region(
                        number: RegionNumber(Int32(index + 1)), collection: collection, id: "\(index)", name: "",
                        shape: index % 7 == 0
                            ? .circle(Circle(centre: exterior[0], radius: Metres(40_000 * side)))
                            : .polygon(Polygon(exterior: exterior, holes: index % 6 == 0 ? [hole] : [])),
                        isMuster: index % 4 == 0, dwellSeconds: dwellSeconds,
                        exitDelaySeconds: index % 3 == 0 ? 12 : 0)))
        }
        // Half of the regions in a mesh, half beside it, as after edits.
        if let rebuild = engine.rebuild { engine.adopt(rebuild.build()) }
        for index in 1...300 {
            let user = UserNumber(Int32(index))
            _ = engine.apply(.putUser(User(number: user, name: "u\(index)", role: .member, team: team)))
            _ = engine.apply(.putDevice(Device(number: DeviceNumber(Int32(index)), name: "p", user: user)))
        }
    }

    private static func square(south: Double, west: Double, side: Double) -> [Coordinate] {
        [(0.0, 0.0), (0, side), (side, side), (side, 0), (0, 0)].map {
            Coordinate(validLatitude: south + $0.0, longitude: west + $0.1)
        }
    }

    /// Edits the tracker to what it is: afterwards every device is compared with the regions anew.
    mutating func forgetClearances() {
        _ = engine.apply(
            .putTracker(
                Tracker(number: TrackerNumber(1), name: "t", filter: .none, collections: [CollectionNumber(1)])))
    }

    var crossingCount: Int {
        log.count { if case .crossing = $0 { true } else { false } }
    }

    mutating func take(_ request: [Observation], at seconds: Double) {
        let now = Instant(seconds: 1_800_000_000 + seconds)
        var index = 0
        var tally = Tally()
        while engine.decideBatch(request, from: &index, now: now, into: &decision, tally: &tally) != nil {
            // What is asked about is a repetition here.
            index += 1
        }
        decision.takeChanges { log.append($0) }
        engine.adopt(&decision)
    }
}

/// A person who walks about and sometimes drives.
private struct Walker {
    var latitude: Double
    var longitude: Double
    var course: Double

    mutating func step(_ random: inout Chance) {
        course += random.number(-0.4...0.4)
        let metres = random.number(0...1) < 0.02 ? 400 : random.number(0...12)
        latitude += metres / 111_000 * (course.truncatingRemainder(dividingBy: 2) < 0 ? -1 : 1) * 0.7
        longitude += metres / 79_000 * (course.truncatingRemainder(dividingBy: 3) < 1 ? -1 : 1) * 0.7
        if !(45...45.01).contains(latitude) { latitude = 45.005 }
        if !(14...14.013).contains(longitude) { longitude = 14.006 }
    }

    func observation(_ number: Int, at seconds: Double, _ random: inout Chance) -> Observation {
        let time = Instant(seconds: 1_800_000_000 + seconds)
        let accuracy = random.number(0...1) < 0.05 ? 300 : random.number(3...15)
        let seen = Coordinate(
            validLatitude: latitude + random.number(-4...4) / 111_000,
            longitude: longitude + random.number(-4...4) / 79_000)
        return .position(
            Position(coordinate: seen, sampleTime: time, receivedTime: time, accuracy: Metres(accuracy)),
            of: DeviceNumber(Int32(number + 1)))
    }
}

extension Chance {
    fileprivate mutating func walker() -> Walker {
        Walker(latitude: number(45...45.01), longitude: number(14...14.013), course: number(0...6))
    }
}
