package import MusterCore

/// A rule that determines the room of a tag from the sightings of scanners. A room has the number of its scanner.
package protocol RoomRule {
    /// Applies a sighting.
    ///
    /// - Returns: the tag's room after the sighting; nil while the rule knows none.
    mutating func applyHearing(_ hearing: RadioHouse.Hearing) -> Int?
}

/// Chooses the room with the strongest last signal, as the simplest systems do.
package struct NearestRule: RoomRule {
    private var last: [Int: (signal: Double, seconds: Double)] = [:]

    package init() {}

    package mutating func applyHearing(_ hearing: RadioHouse.Hearing) -> Int? {
        last[hearing.scanner] = (hearing.signal, hearing.seconds)
        return last.filter { hearing.seconds - $0.value.seconds < 10 }.max { $0.value.signal < $1.value.signal }?.key
    }
}

/// Chooses the room that was the nearest in at least `wanted` of the last `count` seconds.
package struct VoteRule: RoomRule {
    private var nearest = NearestRule()
    private var votes: [Int?] = []
    private var second = -1
    private var room: Int?
    private let wanted: Int
    private let count: Int

    package init(_ wanted: Int, of count: Int) {
        self.wanted = wanted
        self.count = count
    }

    package mutating func applyHearing(_ hearing: RadioHouse.Hearing) -> Int? {
        let vote = nearest.applyHearing(hearing)
        if Int(hearing.seconds) == second {
            votes[votes.count - 1] = vote
        } else {
            second = Int(hearing.seconds)
            votes.append(vote)
            if votes.count > count { votes.removeFirst() }
        }
        for candidate in Set(votes.compactMap { $0 }) where votes.count(where: { $0 == candidate }) >= wanted {
            room = candidate
        }
        return room
    }
}

/// Applies Muster's engine, with a sweep every five seconds, as in the server.
package struct EngineRule: RoomRule {
    private var engine = Engine()
    private var decision = Decision()
    private var swept = 0.0
    /// The crossings that the engine reported.
    package private(set) var crossings: [Crossing] = []

    private static let tag = DeviceNumber(1)
    private static let beacon = Beacon(uuid: BeaconUUID(high: 0, low: 1), major: 0, minor: 0)
    private static let begin = Instant(seconds: 1_700_000_000)
    private static let firstScanner: Int32 = 100

    package init(rooms: Int) {
        let (team, tracker, collection) = (TeamNumber(1), TrackerNumber(1), CollectionNumber(1))
        engine.apply(.putCollection(RegionCollection(number: collection, name: "house")))
        engine.apply(
            .putTracker(Tracker(number: tracker, name: "house", filter: .none, collections: [collection])))
        engine.apply(.putTeam(Team(number: team, name: "house", tracker: tracker)))
        engine.apply(.putUser(User(number: UserNumber(1), name: "ana", role: .member, team: team)))
        engine.apply(.putUser(User(number: UserNumber(2), name: "gates", role: .gateway, team: nil)))
        engine.apply(
            .putDevice(Device(number: Self.tag, name: "tag", user: UserNumber(1), beacon: Self.beacon)))
        for room in 0..<rooms {
            let scanner = DeviceNumber(Self.firstScanner + Int32(room))
            engine.apply(.putDevice(Device(number: scanner, name: "scanner\(room)", user: UserNumber(2))))
            engine.apply(
                .putRegion(
                    Region(
                        number: RegionNumber(Int32(room)), collection: collection, id: "\(room)", name: "\(room)",
                        shape: nil, beacon: BeaconArea(.scanner(scanner)))))
        }
        engine.review(now: Self.begin, into: &decision)
        adoptDecision()
    }

    package mutating func applyHearing(_ hearing: RadioHouse.Hearing) -> Int? {
        let time = Self.begin.advanced(bySeconds: hearing.seconds)
        let sighting = Sighting(
            of: Self.beacon, sampleTime: time, receivedTime: time, signalStrength: hearing.signal)
        let scanner = DeviceNumber(Self.firstScanner + Int32(hearing.scanner))
        _ = engine.decide(.sighting(sighting, of: scanner), now: time, into: &decision)
        adoptDecision()
        if hearing.seconds - swept >= 5 {
            swept = hearing.seconds
            engine.sweep(now: time, into: &decision)
            adoptDecision()
        }
        return engine.presences(of: Self.tag).first.map { Int($0.region.rawValue) }
    }

    private mutating func adoptDecision() {
        decision.takeChanges { change in
            if case .crossing(let crossing) = change { crossings.append(crossing) }
        }
        decision.takeEntries { _ in }
        engine.adopt(&decision)
    }
}
