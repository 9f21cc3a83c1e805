import MusterCore
package import MusterGeometry

/// A rule that says whether a person counts as safe.
package enum SafetyRule: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Ours: the engine, as a server runs it.
    case engine
    /// A person is safe after two fixes in a row that lie inside, and not safe after two in a row whose circles of
    /// accuracy lie wholly outside.
    case plain
    /// Home Assistant's rule: a person is safe after a fix whose whole circle of accuracy lies inside, and not safe
    /// after one whose circle lies wholly outside.
    case homeAssistant
    /// A person is safe while the last fix lies inside.
    case raw

    package var description: String {
        switch self {
        case .engine: "Muster"
        case .plain: "two in a row"
        case .homeAssistant: "Home Assistant"
        case .raw: "raw"
        }
    }
}

/// A person's way with one or more phones, among muster regions, judged by every rule at every second.
package struct SafetyRun: Sendable {
    /// A circle in which people are safe.
    package struct Shelter: Hashable, Sendable {
        package var centre: Offset
        package var radius: Double

        package init(_ centre: Offset, radius: Double) {
            self.centre = centre
            self.radius = radius
        }
    }

    /// The muster regions of the study: circles of 60 and 40 m.
    package static let shelters = [Shelter(.zero, radius: 60), Shelter(Offset(east: 600, north: 200), radius: 40)]

    package var way: SafetyWay
    package var phones: [SafetyPhone]
    package var shelters = Self.shelters
    /// A tablet that stays here: the first shelter's centre, for example; nil for none.
    package var tablet: Offset?
    /// A beacon in the middle of the first shelter, whose sightings then decide who is in that shelter; nil for none.
    package var radio: SafetyRadio?
    /// The team's limit of silence.
    package var silenceSeconds = 60.0

    package init(_ way: SafetyWay, _ phones: [SafetyPhone]) {
        self.way = way
        self.phones = phones
    }

    /// How deep in a shelter a place lies, metres; negative outside of all.
    func depth(of place: Offset) -> Double {
        shelters.map { $0.radius - (place - $0.centre).length }.max() ?? -.infinity
    }

    /// Returns the score of each rule, in the order of `SafetyRule.allCases`.
    ///
    /// Every second the fixes of that second arrive, in their order; then each rule is asked.
    package func scores(chance: SeededRandom) -> [SafetyScore] {
        var chance = chance
        var world = SafetyWorld(self)
        var judges = SafetyRule.allCases.dropFirst().map { SafetyJudge($0) }
        var fixes: [(device: Int, fix: SafetyPhone.Fix)] = []
        for (device, phone) in phones.enumerated() {
            fixes += phone.fixes(on: way, chance: &chance).map { (device, $0) }
        }
        if let tablet {
            var still = SafetyWay(from: tablet)
            still.rest(seconds: way.seconds)
            fixes += SafetyPhone().fixes(on: still, chance: &chance).map { (phones.count, $0) }
        }
        fixes.sort { $0.fix.arrivesAt < $1.fix.arrivesAt }
        let reports = radio?.reports(on: way, around: shelters[0].centre, chance: &chance) ?? []
        var watches = SafetyRule.allCases.map { _ in SafetyWatch() }
        var (next, nextReport, ownFixes) = (0, 0, 0)
        for second in stride(from: 0.0, through: way.seconds, by: 1) {
            while next < fixes.count, fixes[next].fix.arrivesAt <= second {
                let (device, fix) = fixes[next]
                world.report(fix, by: device)
                next += 1
                if device < phones.count { ownFixes += 1 }
                // The other rules know one phone.
                guard device == 0 else { continue }
                for index in judges.indices { judges[index].evaluate(fix, at: depth(of: fix.offset)) }
            }
            while nextReport < reports.count, reports[nextReport].at <= second {
                let (at, report) = reports[nextReport]
                world.report(report, at: at)
                nextReport += 1
                guard report == .heard else { continue }
                for index in judges.indices { judges[index].hear(at: at) }
            }
            let truth = way.motion(at: second).offset
            world.sweep(second: second)
            let depth = depth(of: truth)
            // What a tablet shows meanwhile may be wrong.
            if tablet == nil, let first = phones.first, first.silences.contains(where: { $0.contains(second) }) {
                for index in watches.indices { watches[index].skip(depth: depth) }
                continue
            }
            watches[0].compare(isSafe: world.isSafe, depth: depth, at: second, fixes: ownFixes)
            for (index, judge) in judges.enumerated() {
                let isHeard = second - judge.heardAt <= silenceSeconds
                watches[index + 1].compare(
                    isSafe: judge.isSafe && isHeard, depth: depth, at: second, fixes: ownFixes)
            }
        }
        for index in watches.indices { watches[index].end(at: way.seconds) }
        return watches.map(\.score)
    }
}

/// A person and their devices in an engine, as a server runs it.
private struct SafetyWorld {
    private var engine: Engine
    private var decision = Decision()

    private static let plane = LocalPlane(origin: Coordinate(validLatitude: 48, longitude: 11))
    private static let user = UserNumber(1)
    private static let beacon = Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)
    private static let area = BeaconArea(.beacons(beacon.uuid, major: nil, minor: nil))

    init(_ run: SafetyRun) {
        var directory = Directory()
        let (collection, tracker, team) = (CollectionNumber(1), TrackerNumber(1), TeamNumber(1))
        directory.apply(.putCollection(RegionCollection(number: collection, name: "shelters", policy: .confident)))
        directory.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [collection])))
        directory.apply(
            .putTeam(Team(number: team, name: "t", tracker: tracker, silenceSeconds: run.silenceSeconds)))
        for (index, shelter) in run.shelters.enumerated() {
            let circle = Circle(
                centre: Self.plane.coordinate(shelter.centre), radius: Metres(shelter.radius))
            let isHeard = run.radio != nil && index == 0
            directory.apply(
                .putRegion(
                    Region(
                        number: RegionNumber(Int32(index + 1)), collection: collection, id: "\(index)", name: "",
                        shape: .circle(circle), beacon: isHeard ? Self.area : nil, isMuster: true)))
        }
        directory.apply(.putUser(User(number: Self.user, name: "ana", role: .member, team: team)))
        for device in 0...run.phones.count {
            directory.apply(
                .putDevice(Device(number: DeviceNumber(Int32(device + 1)), name: "d\(device)", user: Self.user)))
        }
        engine = Engine(directory: directory, positions: [], presences: [], safety: [])
    }

    var isSafe: Bool { engine.safety(of: Self.user).state == .safe }

    mutating func report(_ fix: SafetyPhone.Fix, by device: Int) {
        let position = Position(
            coordinate: Self.plane.coordinate(fix.offset), sampleTime: Self.time(fix.sampledAt),
            receivedTime: Self.time(fix.arrivesAt), accuracy: Metres(fix.accuracyMetres), speed: fix.speed)
        _ = engine.decide(
            .position(position, of: DeviceNumber(Int32(device + 1))), now: Self.time(fix.arrivesAt), into: &decision)
        settle()
    }

    /// The first device hears the beacon, or says that it listened.
    mutating func report(_ report: SafetyRadio.Report, at second: Double) {
        let (device, now) = (DeviceNumber(1), Self.time(second))
        switch report {
        case .heard:
            let sighting = Sighting(of: Self.beacon, sampleTime: now, receivedTime: now)
            _ = engine.decide(.sighting(sighting, of: device), now: now, into: &decision)
        case .listened:
            let listening = Listening(sampleTime: now, receivedTime: now)
            _ = engine.decide(.listening(listening, of: device), now: now, into: &decision)
        }
        settle()
    }

    mutating func sweep(second: Double) {
        engine.sweep(now: Self.time(second), into: &decision)
        settle()
    }

    private mutating func settle() {
        decision.takeChanges { _ in }
        decision.takeEntries { _ in }
        engine.adopt(&decision)
    }

    private static func time(_ seconds: Double) -> Instant { Instant(seconds: 1_800_000_000 + seconds) }
}

/// A simple rule's verdict on one phone.
private struct SafetyJudge {
    let rule: SafetyRule
    private(set) var isSafe = false
    private(set) var heardAt = -Double.infinity
    private var agreeing = 0

    init(_ rule: SafetyRule) { self.rule = rule }

    mutating func evaluate(_ fix: SafetyPhone.Fix, at depth: Double) {
        evaluate(depth: depth, accuracyMetres: fix.accuracyMetres, at: fix.arrivesAt)
    }

    /// The phone hears the beacon, which counts as a fix in the middle of the region.
    mutating func hear(at second: Double) { evaluate(depth: 1, accuracyMetres: 0, at: second) }

    private mutating func evaluate(depth: Double, accuracyMetres: Double, at second: Double) {
        heardAt = second
        switch rule {
        case .engine: return
        case .raw: isSafe = depth >= 0
        case .homeAssistant:
            if depth > accuracyMetres { isSafe = true }
            if depth < -accuracyMetres { isSafe = false }
        case .plain:
            let speaksAgainst = isSafe ? depth < -accuracyMetres : depth >= 0
            agreeing = speaksAgainst ? agreeing + 1 : 0
            if agreeing == 2 { (isSafe, agreeing) = (!isSafe, 0) }
        }
    }
}
