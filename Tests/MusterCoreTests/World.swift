import MusterCore
import MusterGeometry

/// An engine with a directory, fed as the server feeds it, with a log in memory.
struct World {
    var directory = Directory()
    var engine = Engine()
    var decision = Decision()
    var log: [Change] = []
    /// The records of all incidents.
    var record: [IncidentEntry] = []
    /// The server's clock, in seconds since the world began.
    var now = 0.0

    static let team = TeamNumber(1)
    static let tracker = TrackerNumber(1)
    static let collection = CollectionNumber(1)
    static let ana = UserNumber(1)
    static let phone = DeviceNumber(1)

    /// Ana, member of one team, with one phone; one tracker linked to one empty collection.
    init(filter: PositionFilter = .none, silenceSeconds: Double = 1200, policy: CrossingPolicy = .raw) {
        edit(.putTracker(Tracker(number: Self.tracker, name: "crew", filter: filter, collections: [Self.collection])))
        edit(
            .putTeam(Team(number: Self.team, name: "crew", tracker: Self.tracker, silenceSeconds: silenceSeconds)))
        edit(.putCollection(RegionCollection(number: Self.collection, name: "town", policy: policy)))
        edit(.putUser(User(number: Self.ana, name: "ana", role: .member, team: Self.team)))
        edit(.putDevice(Device(number: Self.phone, name: "phone", user: Self.ana)))
    }

    static func time(_ seconds: Double) -> Instant { Instant(seconds: 1_700_000_000 + seconds) }

    mutating func edit(_ edit: Edit) { carryOut([edit]) }

    /// Carries out edits that belong together, as the server does: what they do to rolls is on disk with them.
    mutating func carryOut(_ edits: [Edit], by author: UserNumber? = nil) {
        let rollEntries = engine.rollEntries(following: edits, over: directory, by: author, at: Self.time(now))
        record += rollEntries.map(\.entry)
        log += rollEntries.map { .roll($0.entry, of: $0.team) }
        engine.enter(rollEntries.map(\.entry))
        var reviewIsDue = false
        for edit in edits {
            directory.apply(edit)
            if engine.apply(edit) { reviewIsDue = true }
        }
        guard reviewIsDue else { return }
        engine.review(now: Self.time(now), into: &decision)
        settle()
    }

    /// Puts a square of ±`half` degrees around a point.
    mutating func putSquare(
        _ number: Int32, at latitude: Double, _ longitude: Double, half: Double = 0.001, isMuster: Bool = false,
        dwell: Double? = nil, exitDelay: Double = 0
    ) {
        edit(
            .putRegion(
                square(
                    number, at: latitude, longitude, half: half, isMuster: isMuster, dwell: dwell,
                    exitDelay: exitDelay)))
    }

    /// A square of ±`half` degrees around a point.
    func square(
        _ number: Int32, at latitude: Double, _ longitude: Double, half: Double = 0.001, isMuster: Bool = false,
        dwell: Double? = nil, exitDelay: Double = 0
    ) -> Region {
        let corners = [(-half, -half), (-half, half), (half, half), (half, -half), (-half, -half)]
        let ring = corners.map { Coordinate(validLatitude: latitude + $0.0, longitude: longitude + $0.1) }
        return Region(
            number: RegionNumber(number), collection: Self.collection, id: "r\(number)", name: "r\(number)",
            shape: .polygon(Polygon(exterior: ring)), isMuster: isMuster, dwellSeconds: dwell,
            exitDelaySeconds: exitDelay)
    }

    /// Reports a fix at a time of the world; the server's clock follows unless told otherwise.
    @discardableResult
    mutating func report(
        _ latitude: Double, _ longitude: Double, at seconds: Double, receivedAt: Double? = nil,
        accuracy: Metres? = nil, speed: Double? = nil, by device: DeviceNumber = World.phone
    ) -> Verdict {
        now = max(now, receivedAt ?? seconds)
        let position = Position(
            coordinate: Coordinate(validLatitude: latitude, longitude: longitude), sampleTime: Self.time(seconds),
            receivedTime: Self.time(now), accuracy: accuracy, speed: speed)
        let verdict = engine.decide(.position(position, of: device), now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// Stays somewhere with good fixes, as any policy believes them.
    mutating func stay(
        _ latitude: Double, _ longitude: Double, from start: Double, to end: Double, every interval: Double = 5,
        accuracy: Metres = 5, speed: Double? = nil, by device: DeviceNumber = World.phone
    ) {
        for second in stride(from: start, through: end, by: interval) {
            report(latitude, longitude, at: second, accuracy: accuracy, speed: speed, by: device)
        }
    }

    mutating func sweep(at seconds: Double) {
        now = seconds
        engine.sweep(now: Self.time(seconds), into: &decision)
        settle()
    }

    /// The crossings so far, as "enter 1", "exit 1", "dwell 1".
    var crossings: [String] {
        log.compactMap { change in
            guard case .crossing(let crossing) = change else { return nil }
            return "\(crossing.kind) \(crossing.region.rawValue)"
        }
    }

    /// What was told of standings, as "unknown 1 low", "inside 1 certain checking"; the percentage left out.
    var reports: [String] {
        log.compactMap { change in
            guard case .presence(let report) = change else { return nil }
            let percent = report.insidePercent.map { " \(Likelihood(Double($0) / 100))" } ?? ""
            return "\(report.standing) \(report.region.rawValue)\(percent)" + (report.doubt.map { " \($0)" } ?? "")
        }
    }

    /// The states of safety that the log tells of, in order, from unknown on. What tells the same state otherwise known
    /// or doubted is left out; a repetition is not.
    var safety: [Safety.State] {
        var former: [UserNumber: Safety] = [:]
        return log.compactMap { change in
            guard case .safety(let safety, let user) = change else { return nil }
            defer { former[user] = safety }
            let isSame = safety.state == former[user]?.state ?? .unknown
            return isSame && safety != former[user] ? nil : safety.state
        }
    }

    /// How many positions were stored.
    var stored: Int {
        log.count { change in
            if case .position = change { true } else { false }
        }
    }

    mutating func settle() {
        decision.takeChanges { log.append($0) }
        decision.takeEntries { record.append($0) }
        engine.adopt(&decision)
    }
}
