import MusterCore
import MusterDocuments
import MusterGeometry
import MusterStore
import Synchronization
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// Two teams of one each, and quotas whose clock stands still until it is moved.
private struct Bench {
    private final class Surroundings: Sendable {
        let moment = Mutex(ContinuousClock.now)
        let lines = Mutex<[QuotaError]>([])
    }

    private let surroundings = Surroundings()
    let quotas: Quotas
    let directory: Directory
    let ana = Bench.user(1, "ana", .member)
    let ben = Bench.user(2, "ben", .member)
    let admin = Bench.user(3, "admin", .admin)

    init(_ change: (inout QuotaSettings) -> Void = { _ in }) {
        var settings = QuotaSettings()
        change(&settings)
        quotas = Quotas(
            settings, clock: { [surroundings] in surroundings.moment.withLock { $0 } },
            log: { [surroundings] fault in surroundings.lines.withLock { $0.append(fault) } })
        var directory = Directory()
        for number in [1, 2] as [Int32] {
            let tracker = TrackerNumber(number)
            directory.apply(.putTracker(Tracker(number: tracker, name: "t\(number)", filter: .none, collections: [])))
            directory.apply(.putTeam(Team(number: TeamNumber(number), name: "team\(number)", tracker: tracker)))
        }
        for user in [ana, ben, admin] { directory.apply(.putUser(user)) }
        for number in [1, 2] as [Int32] {
            directory.apply(
                .putDevice(Device(number: DeviceNumber(number), name: "phone", user: UserNumber(number))))
        }
        for number in 11...15 as ClosedRange<Int32> {
            directory.apply(
                .putDevice(Device(number: DeviceNumber(number), name: "button\(number)", user: ana.number)))
        }
        self.directory = directory
    }

    private static func user(_ number: Int32, _ name: String, _ role: Role) -> User {
        User(number: UserNumber(number), name: name, role: role, team: role == .admin ? nil : TeamNumber(number))
    }

    var logged: [QuotaError] { surroundings.lines.withLock { $0 } }

    func advance(bySeconds seconds: Double) {
        surroundings.moment.withLock { $0 += .seconds(seconds) }
    }

    func fixes(_ count: Int, of device: Int32) -> [Observation] {
        (0..<count).map { index in
            .position(
                Position(
                    coordinate: Coordinate(validLatitude: 45, longitude: 14),
                    sampleTime: Instant(seconds: Double(index)), receivedTime: Instant(seconds: 0)),
                of: DeviceNumber(device))
        }
    }

    func signals(_ count: Int, of device: Int32) -> [Observation] {
        (0..<count).map { index in
            let moment = Instant(seconds: Double(index))
            let signal = Signal(id: "\(index)", name: "button", sampleTime: moment, receivedTime: moment)
            return .signal(signal, of: DeviceNumber(device))
        }
    }

    func claim(_ observations: [Observation], by user: User) -> Quotas.Claim {
        quotas.claim(observations, by: Principal(user, proof: .password), in: directory)
    }

    func store(_ bytes: Int64, ofDevice device: Int32, storeBytes: Int64 = 0) {
        var usage = StoredUsage()
        usage.positionBytes = [DeviceNumber(device): bytes]
        usage.storeBytes = storeBytes
        quotas.adopt(usage, in: directory)
    }
}

@Suite struct QuotasTests {
    @Test func `a user's positions beyond the rate are refused, and those of others in the same request are not`() {
        let bench = Bench { $0.positionBurst = 10 }
        let gateway = User(number: UserNumber(9), name: "gus", role: .gateway, team: nil)
        #expect(bench.claim(bench.fixes(10, of: 1), by: bench.ana).firstRefusal == nil)
        let claim = bench.claim(bench.fixes(1, of: 1) + bench.fixes(10, of: 2), by: gateway)
        #expect(claim.refusal(of: bench.fixes(1, of: 1)[0])?.quota == .positions)
        #expect(claim.refusal(of: bench.fixes(1, of: 2)[0]) == nil)
        #expect(claim.firstRefusal?.words.contains("user ana") == true)
        bench.advance(bySeconds: 1)
        #expect(bench.claim(bench.fixes(10, of: 1), by: bench.ana).firstRefusal == nil)
    }

    @Test func `a user who tries edits all the time waits, and nobody else does`() throws {
        let bench = Bench()
        let ana = Author(user: bench.ana.number)
        for _ in 0..<60 { try bench.quotas.claimDryRun(by: ana, in: bench.directory) }
        let fault = #expect(throws: QuotaError.self) {
            try bench.quotas.claimDryRun(by: ana, in: bench.directory)
        }
        #expect(fault?.quota == .dryRuns && fault?.retryAfterSeconds == 1)
        #expect(bench.logged.map(\.quota) == [.dryRuns])
        try bench.quotas.claimDryRun(by: Author(user: bench.ben.number), in: bench.directory)
        try bench.quotas.claimDryRun(by: nil, in: bench.directory)
        bench.advance(bySeconds: 1)
        try bench.quotas.claimDryRun(by: ana, in: bench.directory)
    }

    @Test func `signals have a rate of their own, and take nothing of the positions'`() {
        let bench = Bench {
            $0.positionBurst = 1; $0.signalBurst = 2
        }
        func signals(_ count: Int) -> [Observation] { bench.signals(count, of: 1) }
        #expect(bench.claim(bench.fixes(9, of: 1), by: bench.ana).firstRefusal == nil)
        let claim = bench.claim(signals(2), by: bench.ana)
        #expect(claim.firstRefusal == nil)
        let refusal = bench.claim(signals(1), by: bench.ana).firstRefusal
        #expect(refusal?.quota == .signals && refusal?.retryAfterSeconds == 1)
        bench.quotas.giveBack(claim)
        #expect(bench.claim(signals(2), by: bench.ana).firstRefusal == nil)
        #expect(bench.claim(signals(1_000), by: bench.admin).firstRefusal == nil)
    }

    @Test func `a flooding device takes nothing from its owner's others, and all of them have a cap`() {
        let bench = Bench { $0.signalBurst = 2 }
        func fire(_ count: Int, of device: Int32) -> QuotaError? {
            bench.claim(bench.signals(count, of: device), by: bench.ana).firstRefusal
        }
        #expect(fire(2, of: 1) == nil)
        #expect(fire(1, of: 1)?.owner == "ana/phone")
        for device in 11...14 as ClosedRange<Int32> { #expect(fire(2, of: device) == nil) }
        #expect(fire(1, of: 15)?.quota == .signalsOfUser)
        #expect(bench.claim(bench.signals(2, of: 2), by: bench.ben).firstRefusal == nil)
        bench.advance(bySeconds: 0.5)
        // A refused request takes no token of the device or of the user.
        #expect(fire(1, of: 1)?.quota == .signals)
        #expect(fire(2, of: 15) == nil)
    }

    @Test func `a signal that is repeated costs a tenth`() {
        let bench = Bench { $0.signalBurst = 2 }
        for _ in 0..<9 {
            let claim = bench.claim(bench.signals(1, of: 1), by: bench.ana)
            #expect(claim.firstRefusal == nil)
            bench.quotas.giveBack(1, repeatedOf: 1, in: claim)
        }
        #expect(bench.claim(bench.signals(1, of: 1), by: bench.ana).firstRefusal == nil)
        #expect(bench.claim(bench.signals(1, of: 1), by: bench.ana).firstRefusal?.quota == .signals)
    }

    @Test func `a user's signals count to the user's bytes`() {
        let bench = Bench { $0.userBytes = 1_000 }
        var usage = StoredUsage()
        usage.positionBytes = [DeviceNumber(1): 600]
        usage.signalBytes = [DeviceNumber(1): 400]
        bench.quotas.adopt(usage, in: bench.directory)
        #expect(bench.claim(bench.signals(1, of: 1), by: bench.ana).firstRefusal?.quota == .userBytes)
        #expect(bench.claim(bench.signals(1, of: 2), by: bench.ben).firstRefusal == nil)
    }

    @Test func `notes and ranges count with a member's bytes, and not with a gateway's`() {
        let bench = Bench { $0.userBytes = 1_000 }
        var usage = StoredUsage()
        usage.positionBytes = [DeviceNumber(1): 600]
        for device in bench.directory.devices.all { usage.reportBytes[device.number] = 400 }
        bench.quotas.adopt(usage, in: bench.directory)
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal?.quota == .userBytes)
        #expect(bench.claim(bench.fixes(1, of: 2), by: bench.ben).firstRefusal == nil)
        let gateway = User(number: bench.ana.number, name: "ana", role: .gateway, team: nil)
        var directory = bench.directory
        directory.apply(.putUser(gateway))
        bench.quotas.adopt(usage, in: directory)
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal == nil)
    }

    @Test func `positions that are not stored cost nothing`() {
        let bench = Bench { $0.positionBurst = 10 }
        let claim = bench.claim(bench.fixes(10, of: 1), by: bench.ana)
        bench.quotas.giveBack(claim)
        #expect(bench.claim(bench.fixes(10, of: 1), by: bench.ana).firstRefusal == nil)
    }

    @Test func `an admin's import has no rate limit, and declarations are never counted`() {
        let bench = Bench { $0.positionBurst = 1 }
        #expect(bench.claim(bench.fixes(1_000, of: 1), by: bench.admin).firstRefusal == nil)
        let word = Observation.declaration(
            Declaration(
                id: "d", subject: UserNumber(1), author: UserNumber(1), kind: .safe,
                sampleTime: Instant(seconds: 0), receivedTime: Instant(seconds: 0)))
        for _ in 0..<100 { #expect(bench.claim([word], by: bench.ana).firstRefusal == nil) }
    }

    @Test func `bytes refuse positions, except of who is asked for in an incident`() {
        let bench = Bench { $0.userBytes = 1_000 }
        bench.store(1_000, ofDevice: 1)
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.admin).firstRefusal?.quota == .userBytes)
        #expect(bench.claim(bench.fixes(1, of: 2), by: bench.ben).firstRefusal == nil)
        bench.quotas.adopt(teamsInIncident: [TeamNumber(2)])
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal != nil)
        bench.quotas.adopt(teamsInIncident: [TeamNumber(1)])
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal == nil)
        bench.quotas.adopt(teamsInIncident: [])
        bench.store(999, ofDevice: 1)
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal == nil)
    }

    @Test func `a full store refuses imports first, positions only beyond the reserve`() throws {
        let bench = Bench { $0.storeBytes = 1_000 }
        bench.store(10, ofDevice: 1, storeBytes: 1_099)
        #expect(throws: QuotaError.self) { try bench.quotas.checkStore() }
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal == nil)
        bench.store(10, ofDevice: 1, storeBytes: 1_100)
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal?.quota == .storeBytes)
        bench.quotas.adopt(teamsInIncident: [TeamNumber(1)])
        #expect(bench.claim(bench.fixes(1, of: 1), by: bench.ana).firstRefusal == nil)
    }

    @Test func `documents and positions of a user share one limit, and a file is refused in an incident too`() {
        let bench = Bench { $0.userBytes = 1_000 }
        bench.store(600, ofDevice: 1)
        var target = WriteTarget(
            database: .locations(of: UserNumber(1)), name: "lt_locations_user_ana", revisionLimit: 1_000,
            user: bench.ana)
        func refusal(_ bytes: Int64, stored: Int64, files: Bool = false) -> QuotaError? {
            bench.quotas.refusal(ofBytes: bytes, with: stored, areFilesAmong: files, in: target)
        }
        #expect(refusal(100, stored: 300) == nil)
        #expect(refusal(101, stored: 300)?.quota == .userBytes)
        #expect(refusal(0, stored: 900) == nil)
        bench.quotas.adopt(teamsInIncident: [TeamNumber(1)])
        #expect(refusal(101, stored: 300) == nil)
        #expect(refusal(101, stored: 300, files: true) != nil)
        target.user = nil
        target.database = DatabaseNumber(7)
        #expect(refusal(101, stored: 300) == nil)
    }

    @Test func `a user over a quota is logged once a minute, and counted each time`() {
        let bench = Bench {
            $0.positionBurst = 1; $0.positionsPerSecond = 0.001
        }
        for _ in 0..<5 { _ = bench.claim(bench.fixes(1, of: 1), by: bench.ana) }
        #expect(bench.logged.count == 1)
        for _ in 0..<2 { _ = bench.claim(bench.fixes(1, of: 2), by: bench.ben) }
        #expect(bench.logged.map(\.owner) == ["ana", "ben"])
        bench.advance(bySeconds: 61)
        _ = bench.claim(bench.fixes(1, of: 1), by: bench.ana)
        #expect(bench.logged.count == 3)
        #expect(bench.quotas.refusalCounts[.positions] == 6)
        let text = bench.quotas.metricFamilies(in: bench.directory).map(\.text).joined()
        #expect(text.contains("muster_quota_refused_total{quota=\"positions\"} 6\n"))
        #expect(text.contains("muster_quota_used{quota=\"positions\"} 1\n") || text.contains("} 0\n"))
    }

    @Test func `a team has a limit of collections, and an admin may create more`() throws {
        let bench = Bench { $0.collectionsOfTeam = 1 }
        var directory = bench.directory
        let leader = User(number: UserNumber(5), name: "lena", role: .leader, team: TeamNumber(1))
        directory.apply(.putUser(leader))
        func edits(_ number: Int32) -> [Edit] {
            var tracker =
                directory.trackers[TrackerNumber(1)]
                ?? Tracker(
                    number: TrackerNumber(1), name: "t1", filter: .none, collections: [])
            tracker.collections.append(CollectionNumber(number))
            let collection = RegionCollection(number: CollectionNumber(number), name: "c\(number)", policy: .raw)
            return [.putCollection(collection), .putTracker(tracker)]
        }
        let first = edits(1)
        try bench.quotas.check(first, over: directory, by: Author(user: leader.number))
        for edit in first { directory.apply(edit) }
        let fault = #expect(throws: QuotaError.self) {
            try bench.quotas.check(edits(2), over: directory, by: Author(user: leader.number))
        }
        #expect(fault?.quota == .collectionsOfTeam)
        try bench.quotas.check(edits(2), over: directory, by: Author(user: bench.admin.number))
    }
}
