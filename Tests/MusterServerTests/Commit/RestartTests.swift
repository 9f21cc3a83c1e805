import Foundation
import MusterCore
import MusterGeometry
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// The process may end between any two observations: the same observations in the same order give the same changes.
@Suite struct RestartTests {
    /// A generator whose numbers follow from its seed.
    private struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// One step of a day: what comes, or what time alone does.
    private enum Step {
        case report([Observation])
        case edit([Edit])
        case sweep
    }

    private static let start = Instant(seconds: 1_700_000_000)
    private static let devices = (1...4).map { DeviceNumber(Int32($0)) }

    private static func square(_ number: Int32, in collection: Int32, at north: Double, isMuster: Bool) -> Region {
        let corners = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1), (-1, -1)].map {
            Coordinate(validLatitude: 45 + north + $0.0 * 0.001, longitude: 14 + $0.1 * 0.001)
        }
        return Region(
            number: RegionNumber(number), collection: CollectionNumber(collection), id: "r\(number)",
            name: "r\(number)", shape: .polygon(Polygon(exterior: corners)), isMuster: isMuster, exitDelaySeconds: 20)
    }

    private static func founding(_ filter: PositionFilter) -> [Edit] {
        var edits: [Edit] = [
            .putCollection(RegionCollection(number: CollectionNumber(1), name: "raw", policy: .raw)),
            .putCollection(RegionCollection(number: CollectionNumber(2), name: "sure", policy: .confident)),
            .putTracker(
                Tracker(
                    number: TrackerNumber(1), name: "crew", filter: filter,
                    collections: [CollectionNumber(1), CollectionNumber(2)])),
            .putTeam(Team(number: TeamNumber(1), name: "crew", tracker: TrackerNumber(1), silenceSeconds: 300)),
            .putRegion(square(1, in: 1, at: 0, isMuster: true)),
            .putRegion(square(2, in: 2, at: 0.002, isMuster: true)),
            .putRegion(square(3, in: 2, at: 0.004, isMuster: false)),
        ]
        for device in devices {
            let user = UserNumber(device.rawValue)
            edits.append(.putUser(User(number: user, name: "u\(user.rawValue)", role: .member, team: TeamNumber(1))))
            edits.append(.putDevice(Device(number: device, name: "phone", user: user)))
        }
        return edits
    }

    /// Three quarters of an hour: people walk between the regions, some fixes jump, come late, twice or from a clock
    /// that is off, and now and then a region is moved.
    private static func day(seed: UInt64) -> [(at: Instant, step: Step)] {
        var chance = Chance(state: seed)
        var steps: [(Instant, Step)] = []
        var north = devices.map { _ in Double.random(in: -0.002...0.006, using: &chance) }
        var sent: [Observation] = []
        for second in stride(from: 0.0, to: 2700, by: 5) {
            let now = start.advanced(bySeconds: second)
            for (index, device) in devices.enumerated() where Double.random(in: 0..<1, using: &chance) < 0.8 {
                north[index] += Double.random(in: -0.00006...0.00007, using: &chance)
                let jump = Double.random(in: 0..<1, using: &chance) < 0.03 ? 0.003 : 0
                let late = Double.random(in: 0..<1, using: &chance) < 0.05 ? -30.0 : 0
                let skew = index == 3 ? (second > 1300 ? 0 : 7200.0) : 0
                let fix = Observation.position(
                    Position(
                        coordinate: Coordinate(
                            validLatitude: 45 + north[index] + jump,
                            longitude: 14 + Double.random(in: -0.00003...0.00003, using: &chance)),
                        sampleTime: now.advanced(bySeconds: late + skew), receivedTime: now,
                        accuracy: Metres(Double.random(in: 4...20, using: &chance)),
                        speed: index == 0 ? nil : Double.random(in: 0...1.5, using: &chance)), of: device)
                sent.append(fix)
                let repeated = sent.randomElement(using: &chance).map { [$0] } ?? []
                let isRepeated = Double.random(in: 0..<1, using: &chance) < 0.1
                steps.append((now, .report(isRepeated ? [fix] + repeated : [fix])))
            }
            if Int(second) % 600 == 595 {
                let move = Double.random(in: -0.002...0.002, using: &chance)
                let region: Int32 = Bool.random(using: &chance) ? 1 : 2
                steps.append((now, .edit([.putRegion(square(region, in: region, at: move, isMuster: true))])))
            }
            if Int(second) % 10 == 0 { steps.append((now, .sweep)) }
        }
        return steps
    }

    /// A server's writer without its thread, which can be ended anywhere.
    private struct Writing {
        let store: any Store
        var directory: Directory
        var pipeline: CommitPipeline

        init(opening store: any Store, now: Instant) throws {
            self.store = store
            let directory = Directory(try store.directory(), regions: try store.regions())
            let rules = RuleBook(origin: EventOrigin(account: "1", region: "r", store: "s")) { directory }
            self.directory = directory
            pipeline = try CommitPipeline(opening: store, directory: directory, rules: rules, now: now)
        }

        mutating func take(_ step: Step, now: Instant) throws {
            switch step {
            case .report(let observations): _ = try pipeline.commit([.observations(observations)], now: now)
            case .edit(let edits):
                try pipeline.edit(now: now) { _, transaction in
                    for edit in edits {
                        try transaction.put(edit)
                        _ = try transaction.append(edit.change)
                    }
                    return CommitPipeline.Edited(result: (), edits: edits, rollEntries: [], muster: nil)
                } adopted: { _, _ in
                }
            case .sweep: try pipeline.sweep(now: now)
            }
        }
    }

    private func log(of store: any Store) throws -> [String] {
        try store.changes(since: .zero, limit: 1_000_000).map { "\($0.sequence.rawValue) \($0.change)" }
    }

    @Test(arguments: PositionFilter.allCases, SoakSeeds.list(1))
    func `restarts between any two observations change nothing`(filter: PositionFilter, seed: UInt64) throws {
        let day = Self.day(seed: seed)
        let (plain, restarted) = (MemoryStore(), MemoryStore())
        var uninterrupted = try Writing(opening: plain, now: Self.start)
        var interrupted = try Writing(opening: restarted, now: Self.start)
        let founding = Step.edit(Self.founding(filter))
        try uninterrupted.take(founding, now: Self.start)
        try interrupted.take(founding, now: Self.start)
        var chance = Chance(state: seed &+ 99)
        for (moment, step) in day {
            try uninterrupted.take(step, now: moment)
            switch Int.random(in: 0..<12, using: &chance) {
            case 0: interrupted = try Writing(opening: restarted, now: moment)
            case 1:
                while try interrupted.pipeline.record(limit: 2, now: moment) {}
                interrupted = try Writing(opening: restarted, now: moment)
            case 2: _ = try interrupted.pipeline.record(limit: 2, now: moment)
            default: break
            }
            try interrupted.take(step, now: moment)
        }
        let (one, other) = (try log(of: plain), try log(of: restarted))
        let difference = zip(one, other).first { $0 != $1 }
        #expect(difference == nil, "seed \(seed): \(difference.map { "\($0.0)\n\($0.1)" } ?? "")")
        #expect(one.count == other.count && one.count > 150, "\(one.count) changes")
        #expect(one.contains { $0.contains("belief") } && one.contains { $0.contains("exit") })
    }
}

extension StoreTransaction {
    fileprivate func put(_ edit: Edit) throws {
        switch edit {
        case .putUser(let user): try put(user)
        case .putTeam(let team): try put(team)
        case .putDevice(let device): try put(device)
        case .putTracker(let tracker): try put(tracker)
        case .putCollection(let collection): try put(collection)
        case .putRegion(let region): try put(region)
        default: preconditionFailure("a day has no other edits")
        }
    }
}
