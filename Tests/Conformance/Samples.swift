import MusterCore
import MusterGeometry
import MusterStore

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Instant {
    /// So many seconds after the moment at which the tests play.
    static func test(_ seconds: Double) -> Instant {
        Instant(milliseconds: 1_790_000_000_000).advanced(bySeconds: seconds)
    }
}

extension Position {
    /// A position at a test's second, a little north for each `step`.
    static func test(_ seconds: Double, step: Int = 0) -> Position {
        Position(
            coordinate: Coordinate(validLatitude: 51.5 + Double(step) / 1000, longitude: -0.125),
            sampleTime: .test(seconds), receivedTime: .test(seconds + 1))
    }

    /// Any position: few kinds of it are likely, all of them possible.
    static func random(_ generator: inout SeededGenerator) -> Position {
        let milliseconds: Int64 =
            Int.random(in: 0..<20, using: &generator) == 0
            ? .random(in: .min ... .max, using: &generator)
            : .random(in: 1_789_000_000_000...1_790_000_000_000, using: &generator)
        let delay: Int64 = .random(in: -5000...100_000, using: &generator)
        return Position(
            coordinate: .random(&generator), sampleTime: Instant(milliseconds: milliseconds),
            receivedTime: Instant(milliseconds: milliseconds &+ delay),
            accuracy: Double.maybe(&generator).map { Metres($0) },
            altitude: Double.maybe(&generator).map { Metres($0) },
            speed: .maybe(&generator), heading: .maybe(&generator), battery: .maybe(&generator),
            source: Source.allCases.randomElement(using: &generator) ?? .native,
            attributes: Bool.random(using: &generator)
                ? nil : "{\"note\":\"\(Int.random(in: 0...99, using: &generator)) 🧭\"}")
    }
}

extension Sighting {
    /// A sighting at a test's second of the beacon with this minor number.
    static func test(_ seconds: Double, minor: UInt16 = 1) -> Sighting {
        Sighting(
            of: Beacon(uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: .max), major: 65_535, minor: minor),
            sampleTime: .test(seconds), receivedTime: .test(seconds + 1), distance: minor % 2 == 0 ? nil : 1.83,
            signalStrength: minor % 3 == 0 ? nil : -67,
            proximity: Proximity.allCases[Int(minor) % Proximity.allCases.count])
    }

    /// Any sighting.
    static func random(_ generator: inout SeededGenerator) -> Sighting {
        let uuid = BeaconUUID(
            high: .random(in: 0 ... .max, using: &generator), low: .random(in: 0 ... .max, using: &generator))
        let beacon = Beacon(
            uuid: uuid, major: .random(in: 0 ... .max, using: &generator),
            minor: .random(in: 0 ... .max, using: &generator))
        return Sighting(
            of: beacon, sampleTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator)),
            receivedTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator)),
            distance: Double.maybe(&generator).map { Metres($0) }, signalStrength: .maybe(&generator),
            proximity: Proximity.allCases.randomElement(using: &generator) ?? .unknown)
    }
}

extension DeviceNote {
    /// A note that was received at a test's second.
    static func test(_ kind: Kind, key: String = "", at seconds: Double, body: String = "{}") -> DeviceNote {
        DeviceNote(
            DeviceNote.Name(kind, key: key), sampleTime: kind == .card ? nil : .test(seconds),
            receivedTime: .test(seconds), body: body)
    }
}

extension Coordinate {
    static func random(_ generator: inout SeededGenerator) -> Coordinate {
        let ends = [-90.0, -0.0, 0, 90, .leastNonzeroMagnitude]
        let latitude =
            Int.random(in: 0..<10, using: &generator) == 0
            ? ends.randomElement(using: &generator) ?? 0 : .random(in: -90...90, using: &generator)
        return Coordinate(validLatitude: latitude, longitude: .random(in: -180...180, using: &generator))
    }
}

extension Double {
    /// Nothing, a number as receivers report it, or any other.
    static func maybe(_ generator: inout SeededGenerator) -> Double? {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: nil
        case 2: Double(Int.random(in: -100...4000, using: &generator))
        case 3: Double(Int.random(in: -100_000...4_000_000, using: &generator)) / 1000
        case 4: -0.0
        default: .random(in: -1e15...1e15, using: &generator)
        }
    }
}

extension Change {
    static func random(_ generator: inout SeededGenerator) -> Change {
        let number = Int32.random(in: .min ... .max, using: &generator)
        let isRemoved = Bool.random(using: &generator)
        let moment = Instant(milliseconds: .random(in: .min ... .max, using: &generator))
        let percent: UInt8? = isRemoved ? nil : .random(in: 0...100, using: &generator)
        switch Int.random(in: 0..<22, using: &generator) {
        case 16:
            return .signal(
                .test(
                    "id\(number)", at: 3, reporter: isRemoved ? nil : 4,
                    values: isRemoved ? [] : [.init("text1", "é\(number)"), .init("k", "")]),
                of: DeviceNumber(number))
        case 18: return .attendance(.random(at: moment, &generator))
        case 20:
            return .range(.random(at: moment, &generator), of: DeviceNumber(number), isCurrent: isRemoved)
        case 19: return .proximity(.random(at: moment, &generator))
        case 21: return .pause(.random(at: moment, &generator), of: UserNumber(number))
        case 17: return .checkInTimer(.random(at: moment, &generator), of: UserNumber(number))
        case 15:
            return .posted(
                PostedEvent(
                    source: "drill", detailType: "é", time: moment, resources: isRemoved ? [] : ["a", ""],
                    detail: "{\"n\":\(number)}"))
        case 9:
            return .sighting(.random(&generator), of: DeviceNumber(number), isCurrent: isRemoved)
        case 10:
            let kind = DeviceNote.Kind.allCases.randomElement(using: &generator) ?? .card
            return .note(DeviceNote.Name(kind, key: isRemoved ? "" : "r\u{0}é\(number)"), of: DeviceNumber(number))
        case 0: return .region(RegionNumber(number), in: CollectionNumber(number &+ 1), removed: isRemoved)
        case 1:
            let entries: [DirectoryEntry] = [
                .user(UserNumber(number)), .team(TeamNumber(number)), .device(DeviceNumber(number)),
                .tracker(TrackerNumber(number)), .collection(CollectionNumber(number)),
                .rule(RuleNumber(number)), .target(TargetNumber(number)), .crew(CrewNumber(number)),
            ]
            return .directory(entries.randomElement(using: &generator) ?? entries[0], removed: isRemoved)
        case 2:
            let kind = Crossing.Kind.allCases.randomElement(using: &generator) ?? .enter
            return .crossing(
                Crossing(
                    kind: kind, device: DeviceNumber(number), region: RegionNumber(1 &- number), sampleTime: moment,
                    insidePercent: percent))
        case 3:
            let state = Safety.State.allCases.randomElement(using: &generator) ?? .unknown
            return .safety(.random(state, at: moment, &generator), of: UserNumber(number))
        case 11:
            return .declaration(.random(&generator), isCurrent: isRemoved)
        case 12:
            return .reminder(.random(.sos, at: moment, &generator), of: UserNumber(number), count: number)
        case 14:
            return .dataset(
                DatasetTouch(
                    owner: UserNumber(number), name: "set.\(number)", syncCount: moment.milliseconds & .max,
                    isDeleted: isRemoved, device: number % 2 == 0 ? nil : "gerät"))
        case 13 where isRemoved: return .roll(.random(&generator), of: TeamNumber(number))
        case 13: return .incident(.random(&generator))
        case 4:
            return .presence(
                PresenceReport(
                    device: DeviceNumber(number), region: RegionNumber(1 &- number),
                    standing: Standing.allCases.randomElement(using: &generator) ?? .unknown, insidePercent: percent,
                    doubt: isRemoved ? nil : Doubt.allCases.randomElement(using: &generator), since: moment,
                    sampleTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator))))
        default:
            return .position(.random(&generator), of: DeviceNumber(abs(number % 9) + 1), isCurrent: isRemoved)
        }
    }
}

extension Pause {
    static func random(at moment: Instant, _ generator: inout SeededGenerator) -> Pause {
        var pause = Pause(
            since: moment, until: .test(7), note: Bool.random(using: &generator) ? nil : "Mittag 🧭")
        pause.turn = Turn.allCases.randomElement(using: &generator) ?? .began
        return pause
    }
}

extension CheckInTimer {
    static func random(at moment: Instant, _ generator: inout SeededGenerator) -> CheckInTimer {
        var timer = CheckInTimer(
            intervalSeconds: .random(in: intervalLimits, using: &generator), leaderAfterSeconds: 0.1,
            opensIncident: .random(using: &generator), note: Bool.random(using: &generator) ? "Dach, Süd" : nil,
            setBy: UserNumber(7), lastWord: moment, now: moment)
        timer.turn = Turn.allCases.randomElement(using: &generator) ?? .started
        timer.turnBy = Bool.random(using: &generator) ? UserNumber(.max) : nil
        timer.turnAt = Instant(milliseconds: .random(in: .min ... .max, using: &generator))
        timer.noticeCount = .random(in: 0...9, using: &generator)
        timer.toldAt = .test(5)
        return timer
    }
}

extension Region {
    static func test(_ number: Int32, in collection: Int32, shape: Shape? = nil) -> Region {
        let corner = Coordinate(validLatitude: 51.1, longitude: 0.1 + 0.2)
        let ring = [
            corner, Coordinate(validLatitude: 51.1, longitude: 0.4), Coordinate(validLatitude: 51.3, longitude: 0.4),
            corner,
        ]
        return Region(
            number: RegionNumber(number), collection: CollectionNumber(collection), id: "r\(number)",
            name: "Régiön \(number)",
            shape: number % 10 == 5 ? nil : shape ?? .polygon(Polygon(exterior: ring, holes: [ring.reversed()])),
            beacon: beacon(number), isMuster: number % 2 == 0,
            mode: number % 4 == 0 ? .insideIsDanger : nil, dwellSeconds: number % 3 == 0 ? nil : 0.1 * Double(number),
            exitDelaySeconds: 0.3,
            properties: number % 3 == 0 ? nil : "{\"a\":[1,2]}",
            times: EditTimes(createdAt: .test(1), updatedAt: .test(Double(number) + 1)))
    }
}

extension Region {
    /// The radio of every fifth region.
    private static func beacon(_ number: Int32) -> BeaconArea? {
        guard number % 5 == 0 else { return nil }
        let uuid = BeaconUUID(high: .max, low: UInt64(number))
        return number % 3 == 0
            ? BeaconArea(.scanner(DeviceNumber(number)), reach: .near)
            : BeaconArea(.beacons(uuid, major: number % 2 == 0 ? nil : 0, minor: nil), reach: .immediate, isRoom: true)
    }
}

extension Particulars {
    /// Something said of a thing.
    static let test = Particulars(
        description: "for the drill’s sake", tags: ["zone": "north", "": "é", "a": ""],
        times: EditTimes(createdAt: .test(-5), updatedAt: .test(7)))
}

extension Rule {
    /// A rule with these targets.
    static func test(_ number: Int32, targets: [RuleTarget]) -> Rule {
        Rule(
            number: RuleNumber(number), name: "rule\(number)", description: "é", pattern: #"{"source":["aws.geo"]}"#,
            isEnabled: number % 2 == 0, targets: targets, times: Particulars.test.times)
    }
}

extension RuleTarget {
    /// One target of every form there is.
    static let everyForm = [
        RuleTarget(id: "a", destination: .safety),
        RuleTarget(id: "b", destination: .target(TargetNumber(1)), input: .constant("{}")),
        RuleTarget(id: "c", destination: .target(TargetNumber(2)), input: .path("$.detail")),
        RuleTarget(
            id: "é", destination: .target(TargetNumber(.max)),
            input: .template("\"<who> crossed <what>\"", paths: ["who": "$.detail.DeviceId", "what": "$.detail"])),
    ]
}

extension Credential {
    /// What a target is signed with.
    static func test(_ kind: Kind, target: Int32) -> Credential {
        Credential(
            kind: kind, key: withUnsafeBytes(of: target.bigEndian) { [UInt8]($0) }, secret: [9, 0, UInt8(target)],
            createdAt: .test(0))
    }

    static func test(_ kind: Kind, key: UInt8, user: Int32? = nil, device: Int32? = nil) -> Credential {
        Credential(
            kind: kind, key: [key, 0, 255], user: user.map { UserNumber($0) }, device: device.map { DeviceNumber($0) },
            label: "key \(key)", secret: [1, 2, 0], createdAt: .test(Double(key)),
            expiresAt: key % 2 == 0 ? nil : .test(99), usedAt: key % 3 == 0 ? .test(5) : nil)
    }
}

extension Store {
    /// All positions of a device, page by page.
    func history(of device: Int32, page: Int = 7) throws -> [Position] {
        var history: [Position] = []
        var cursor: HistoryCursor?
        while true {
            let next = try positions(
                of: DeviceNumber(device), from: Instant(milliseconds: .min), to: Instant(milliseconds: .max),
                after: cursor,
                limit: page)
            history += next
            guard let last = next.last else { return history }
            cursor = HistoryCursor(
                sampleTime: last.sampleTime, latitude: last.coordinate.latitude, longitude: last.coordinate.longitude)
        }
    }

    /// All changes after a number, page by page.
    func log(since start: LogSequence = .zero, page: Int = 5) throws -> [LoggedChange] {
        var log: [LoggedChange] = []
        var since = start
        while true {
            let next = try changes(since: since, limit: page)
            log += next
            guard let last = next.last else { return log }
            since = last.sequence
        }
    }

    /// All sightings of a device, page by page.
    func sightings(of device: Int32, page: Int = 3) throws -> [Sighting] {
        var sightings: [Sighting] = []
        while true {
            let next = try self.sightings(
                of: DeviceNumber(device), from: Instant(milliseconds: .min), to: Instant(milliseconds: .max),
                after: sightings.last.map { SightingKey($0) }, limit: page)
            sightings += next
            if next.isEmpty { return sightings }
        }
    }

    /// All notes of a device, page by page.
    func notes(of device: Int32, kind: DeviceNote.Kind? = nil, page: Int = 3) throws -> [DeviceNote] {
        var notes: [DeviceNote] = []
        while true {
            let next = try self.notes(of: DeviceNumber(device), kind: kind, after: notes.last?.name, limit: page)
            notes += next
            if next.isEmpty { return notes }
        }
    }

    /// Whether a position of a device is stored.
    func holds(_ position: Position, of device: Int32) throws -> Bool {
        try write(at: .test(0)) { try $0.holds(position, of: DeviceNumber(device)) }
    }

    /// Stores positions of one device in a transaction.
    func report(_ device: Int32, _ positions: [Position], at seconds: Double = 0) throws {
        try write(at: .test(seconds)) { transaction in
            for position in positions {
                try transaction.append(.position(position, of: DeviceNumber(device), isCurrent: true))
            }
        }
    }
}
