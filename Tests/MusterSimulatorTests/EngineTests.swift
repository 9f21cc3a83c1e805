import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTestSupport
import Testing

/// The engine among simulated people: what it decides is held against where they truly were.
@Suite struct EngineTests {
    /// An engine that knows every person of a world, with one phone each, and some regions.
    private struct Server {
        private var directory = Directory()
        private(set) var engine = Engine()
        private var decision = Decision()
        /// What was decided, by person and region index: "enter 1795000000000".
        private(set) var crossings: [[Int]: [String]] = [:]
        private(set) var lateCount = 0
        /// When the fixes were sampled that moved a state, by person.
        private(set) var sampleTimes: [Int: [Instant]] = [:]

        init(_ world: World, regions: [Shape], isMuster: Bool) {
            let (team, tracker, collection) = (TeamNumber(1), TrackerNumber(1), CollectionNumber(1))
            edit(.putTracker(Tracker(number: tracker, name: "town", filter: .none, collections: [collection])))
            edit(.putTeam(Team(number: team, name: "town", tracker: tracker)))
            edit(.putCollection(RegionCollection(number: collection, name: "town", policy: .raw)))
            for (index, shape) in regions.enumerated() {
                let number = RegionNumber(Int32(index + 1))
                edit(
                    .putRegion(
                        Region(
                            number: number, collection: collection, id: "r\(index)", name: "r\(index)", shape: shape,
                            isMuster: isMuster)))
            }
            for (index, person) in world.people.enumerated() {
                let user = UserNumber(Int32(index + 1))
                edit(.putUser(User(number: user, name: person.name, role: .member, team: team)))
                edit(.putDevice(Device(number: DeviceNumber(Int32(index + 1)), name: "phone", user: user)))
            }
        }

        private mutating func edit(_ edit: Edit) {
            directory.apply(edit)
            _ = engine.apply(edit)
        }

        mutating func receive(_ delivery: Delivery) {
            let device = DeviceNumber(Int32(delivery.person + 1))
            let verdict = engine.decide(
                .position(delivery.position, of: device), now: delivery.deliveredAt, into: &decision)
            if verdict == .late {
                lateCount += 1
            } else {
                sampleTimes[delivery.person, default: []].append(delivery.position.sampleTime)
            }
            decision.takeChanges { change in
                guard case .crossing(let crossing) = change else { return }
                let key = [Int(crossing.device.rawValue) - 1, Int(crossing.region.rawValue) - 1]
                crossings[key, default: []].append("\(crossing.kind) \(crossing.sampleTime.milliseconds)")
            }
            engine.adopt(&decision)
        }

        /// The indices of the regions that someone is inside of.
        func regions(of person: Int) -> [Int] {
            engine.presences(of: DeviceNumber(Int32(person + 1))).map { Int($0.region.rawValue) - 1 }
        }

        func safety(of person: Int) -> Safety.State { engine.safety(of: UserNumber(Int32(person + 1))).state }
    }

    private let zones = [
        DeadZone(area: Circle(centre: Samples.at(100, 0), radius: 150)),
        DeadZone(from: Samples.after(900), until: Samples.after(1500), person: 2),
    ]

    @Test(arguments: SoakSeeds.first(2, of: [41, 42, 43, 44]))
    func `every true crossing is decided once and at its time, through dead zones and repetitions`(seed: UInt64) {
        let reporting = Reporting(intervalSeconds: 3, lostShare: 0.05, duplicateShare: 0.05, deadZones: zones)
        var world = Samples.world(seed: seed, reporting: reporting)
        let shapes = Samples.shapes(seed: seed)
        var server = Server(world, regions: shapes, isMuster: false)
        for delivery in world.advance(to: Samples.after(5400)) { server.receive(delivery) }
        var count = 0
        for person in world.people.indices {
            let known = server.engine.latestPosition(of: DeviceNumber(Int32(person + 1)))?.sampleTime ?? Samples.start
            for (region, shape) in shapes.enumerated() {
                let truth = world.trueCrossings(of: shape, by: person).filter { $0.sampleTime <= known }
                    .map { "\($0.kind) \($0.sampleTime.milliseconds)" }
                #expect(server.crossings[[person, region]] ?? [] == truth, "seed \(seed), \(person) and \(region)")
                count += truth.count
            }
        }
        #expect(count > 50 && server.lateCount > 100, "\(count) crossings, \(server.lateCount) late")
    }

    @Test(arguments: SoakSeeds.first(1, of: [51, 52]))
    func `out of order or not, everyone ends where their newest fix has them`(seed: UInt64) throws {
        var world = Samples.world(seed: seed, reporting: .faulty(intervalSeconds: 3, deadZones: zones))
        let shapes = Samples.shapes(seed: seed)
        var server = Server(world, regions: shapes, isMuster: true)
        var (safe, outside) = (0, 0)
        for step in 1...90 {
            for delivery in world.advance(to: Samples.after(Double(step) * 60)) { server.receive(delivery) }
            for person in world.people.indices {
                guard let known = server.engine.latestPosition(of: DeviceNumber(Int32(person + 1))) else { continue }
                let place = try #require(world.truePosition(of: person, at: known.sampleTime))
                let truth = shapes.indices.filter { Samples.contains(shapes[$0], place) }
                #expect(server.regions(of: person) == truth)
                safe += server.safety(of: person) == .safe ? 1 : 0
                guard isLongOutside(person, until: known.sampleTime, of: shapes, in: world, server) else { continue }
                outside += 1
                #expect(server.safety(of: person) != .safe, "seed \(seed), \(person) at \(step) min")
            }
        }
        #expect(server.lateCount > 500)
        #expect(safe > 50 && outside > 50, "safe \(safe) times, long outside \(outside) times")
    }

    /// Whether someone was more than 30 m outside of every shape for the three minutes before their newest fix, and
    /// fixes told so for most of that time.
    private func isLongOutside(
        _ person: Int, until newest: Instant, of shapes: [Shape], in world: World, _ server: Server
    ) -> Bool {
        let recent = (server.sampleTimes[person] ?? []).filter { newest.seconds(since: $0) <= 180 }
        guard let first = recent.first, newest.seconds(since: first) >= 120 else { return false }
        return stride(from: 0.0, through: 180, by: 5).allSatisfy { seconds in
            guard let place = world.truePosition(of: person, at: newest.advanced(bySeconds: -seconds)) else {
                return false
            }
            return shapes.allSatisfy { $0.signedDistanceToBoundary(from: place) < -30 }
        }
    }
}
