import MusterCore
import MusterGeometry
import MusterStore
import Testing

@Suite struct DirectoryTests {
    @Test(arguments: StoreKind.allCases)
    func `entities come back as they were put, in number order, the last put wins`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var expected = StoredDirectory()
        expected.users = [
            User(number: UserNumber(1), name: "zoë", role: .gateway, team: nil, isImplicit: true),
            User(
                number: UserNumber(2), name: "a", role: .leader, team: TeamNumber(7), crew: CrewNumber(2),
                databaseRoles: ["nurses", "night é"], email: "a@münchen.example", phone: "+49 (0)30 1",
                displayName: "Ä 山田"),
        ]
        expected.teams = [
            Team(number: TeamNumber(7), name: "t", tracker: TrackerNumber(3), silenceSeconds: 0.1),
            Team(
                number: TeamNumber(8), name: "u", tracker: TrackerNumber(8),
                incidents: IncidentSettings(
                    closesDrills: true, closesRealIncidents: true, closesAfterSeconds: 0.5, declaredHoldsSeconds: 60,
                    showsSafetyAlways: true, parEverySeconds: 900, allowsPause: true)),
        ]
        expected.crews = [
            Crew(number: CrewNumber(1), team: TeamNumber(8), name: "Motor 3"),
            Crew(number: CrewNumber(2), team: TeamNumber(7), name: "Löschzug 3"),
        ]
        expected.devices = [
            Device(number: DeviceNumber(5), name: "phone", user: UserNumber(2)),
            Device(number: DeviceNumber(6), name: "tag", user: UserNumber(2), alias: "tag-7"),
            Device(
                number: DeviceNumber(7), name: "keys", user: UserNumber(2),
                beacon: Beacon(uuid: BeaconUUID(high: 0, low: .max), major: .max, minor: 0)),
        ]
        expected.trackers = [
            Tracker(
                number: TrackerNumber(3), name: "t", filter: .accuracyBased,
                collections: [CollectionNumber(9), CollectionNumber(4)], emitsPositionEvents: true,
                particulars: .test),
            Tracker(number: TrackerNumber(8), name: "u", filter: .none, collections: []),
        ]
        expected.collections = [
            RegionCollection(number: CollectionNumber(4), name: "c4", policy: .raw, particulars: .test),
            RegionCollection(number: CollectionNumber(9), name: "c9", policy: .confident),
        ]
        expected.rules = [.test(1, targets: []), .test(4, targets: RuleTarget.everyForm)]
        expected.targets = Target.Kind.allCases.enumerated().map { index, kind in
            Target(
                number: TargetNumber(Int32(index) + 1), name: "t\(index)", kind: kind, isEnabled: index == 0,
                mode: index == 1 ? .byHand(through: 7) : .atOnce, times: Particulars.test.times)
        }
        let directory = expected
        try bench.store.write(at: .test(0)) { transaction in
            for role in Role.allCases {
                try transaction.put(
                    User(number: UserNumber(1), name: "b", role: role, team: nil, email: "b@c", phone: "112"))
                try transaction.put(User(number: UserNumber(2), name: "b", role: role, team: nil))
            }
            try transaction.put(
                Tracker(
                    number: TrackerNumber(3), name: "old", filter: .none,
                    collections: [CollectionNumber(1), CollectionNumber(2), CollectionNumber(3)]))
            for user in directory.users.reversed() { try transaction.put(user) }
            for team in directory.teams { try transaction.put(team) }
            try transaction.put(Crew(number: CrewNumber(2), team: TeamNumber(7), name: "old"))
            for crew in directory.crews.reversed() { try transaction.put(crew) }
            for device in directory.devices { try transaction.put(device) }
            for tracker in directory.trackers.reversed() { try transaction.put(tracker) }
            for collection in directory.collections.reversed() { try transaction.put(collection) }
            try transaction.put(Rule(number: RuleNumber(4), name: "old", pattern: "{}"))
            for rule in directory.rules.reversed() { try transaction.put(rule) }
            for target in directory.targets.reversed() { try transaction.put(target) }
            try transaction.put(.test(.targetSecret, target: 1))
            try transaction.put(.test(.targetSecret, target: 2))
        }
        #expect(try bench.store.directory() == expected)
        try bench.crash()
        #expect(try bench.store.directory() == expected)
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.remove(UserNumber(1))
            try transaction.remove(TeamNumber(7))
            try transaction.remove(CrewNumber(1))
            try transaction.remove(DeviceNumber(5))
            try transaction.remove(TrackerNumber(3))
            try transaction.remove(CollectionNumber(4))
            try transaction.remove(RuleNumber(1))
            try transaction.remove(TargetNumber(1))
        }
        expected.users.removeFirst()
        expected.teams.removeFirst()
        expected.crews.removeFirst()
        expected.devices.removeFirst()
        expected.trackers.removeFirst()
        expected.collections.removeFirst()
        expected.rules.removeFirst()
        expected.targets.removeFirst()
        #expect(try bench.store.directory() == expected)
        #expect(try bench.store.credentials(.targetSecret) == [.test(.targetSecret, target: 2)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that comes to another user keeps its history and its credentials when the former user is removed`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let (former, person) = (UserNumber(1), UserNumber(2))
        let device = Device(number: DeviceNumber(1), name: "tag-7", user: former)
        func credential(_ kind: Credential.Kind, _ key: UInt8, of device: DeviceNumber?) -> Credential {
            Credential(kind: kind, key: [key], user: former, device: device, createdAt: .test(0))
        }
        try bench.store.write(at: .test(0)) { transaction in
            for (number, name) in [(former, "tag-7"), (person, "ann")] {
                try transaction.put(User(number: number, name: name, role: .member, team: nil))
            }
            try transaction.put(device)
            try transaction.put(credential(.deviceToken, 1, of: device.number))
            try transaction.put(credential(.apiKey, 2, of: nil))
            try transaction.append(.position(.test(1), of: device.number, isCurrent: true))
        }
        let given = Device(number: device.number, name: "tag-7", user: person, alias: "tag-7")
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.put(given)
            try transaction.remove(former)
            let token = try transaction.credential(.deviceToken, key: [1])
            #expect(token?.user == person)
            #expect(try transaction.credential(.apiKey, key: [2]) == nil)
        }
        for _ in 0..<2 {
            #expect(try bench.store.directory().devices == [given])
            #expect(try bench.store.directory().users.map(\.name) == ["ann"])
            #expect(try bench.store.credentials(.deviceToken).map(\.user) == [person])
            #expect(try bench.store.credentials(.apiKey) == [])
            #expect(try bench.store.history(of: 1) == [.test(1)])
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a region's shape keeps every bit, and goes with its collection`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: 21)
        let rings = (0..<6).map { _ in (0..<5).map { _ in Coordinate.random(&generator) } }
        let polygons = [Polygon(exterior: rings[0], holes: [rings[1], rings[2]]), Polygon(exterior: rings[3])]
        let circle = Circle(centre: .random(&generator), radius: Metres(0.1 + 0.2))
        let regions = [
            Region.test(1, in: 1), .test(2, in: 2, shape: .multiPolygon(polygons)),
            .test(3, in: 1, shape: .circle(circle)), .test(4, in: 1), .test(5, in: 2),
            .test(6, in: 2, shape: .multiPolygon([])), .test(10, in: 2), .test(15, in: 2),
        ]
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(Region.test(3, in: 2))
            for region in regions.reversed() { try transaction.put(region) }
        }
        #expect(try bench.store.regions() == regions)
        try bench.reopen()
        #expect(try bench.store.regions() == regions)
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.remove(RegionNumber(4))
            try transaction.remove(CollectionNumber(2))
        }
        #expect(try bench.store.regions() == [regions[0], regions[2]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a number of an entity is never reused`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        func next() throws -> [Int32] {
            try bench.store.write(at: .test(0)) { transaction in
                let numbers = [
                    try transaction.nextUserNumber().rawValue, try transaction.nextTeamNumber().rawValue,
                    try transaction.nextDeviceNumber().rawValue, try transaction.nextTrackerNumber().rawValue,
                    try transaction.nextCollectionNumber().rawValue, try transaction.nextRegionNumber().rawValue,
                    try transaction.nextRuleNumber().rawValue, try transaction.nextTargetNumber().rawValue,
                    try transaction.nextCrewNumber().rawValue,
                ]
                try transaction.put(User(number: UserNumber(numbers[0]), name: "n", role: .admin, team: nil))
                return numbers
            }
        }
        #expect(try next() == [1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(try next() == [2, 2, 2, 2, 2, 2, 2, 2, 2])
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.remove(UserNumber(2))
            #expect(try transaction.nextDeviceNumber().rawValue == 3)
            #expect(try transaction.nextDeviceNumber().rawValue == 4)
        }
        try bench.crash()
        #expect(try next() == [3, 3, 5, 3, 3, 3, 3, 3, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `a credential is found by kind and key, replaced by the next, seen by its own transaction`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let credentials = Credential.Kind.allCases.flatMap { kind in
            (1...4).map { Credential.test(kind, key: $0, user: 1, device: kind == .deviceToken ? 2 : nil) }
        }
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(.test(.apiKey, key: 1))
            for credential in credentials {
                try transaction.put(credential)
                #expect(try transaction.credential(credential.kind, key: credential.key) == credential)
            }
            #expect(try transaction.credential(.apiKey, key: [1, 0]) == nil)
        }
        try bench.crash()
        for credential in credentials {
            #expect(try bench.store.credential(credential.kind, key: credential.key) == credential)
        }
        for kind in Credential.Kind.allCases {
            #expect(try bench.store.credentials(kind) == credentials.filter { $0.kind == kind })
            for user in Set(credentials.compactMap(\.user)).union([UserNumber(99)]) {
                let theirs = credentials.filter { $0.kind == kind && $0.user == user }
                #expect(try bench.store.credentials(kind, of: user) == theirs)
            }
        }
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.removeCredential(.apiKey, key: [2, 0, 255])
            try transaction.removeCredential(.apiKey, key: [99])
            #expect(try transaction.credential(.apiKey, key: [2, 0, 255]) == nil)
            #expect(try transaction.credential(.password, key: [2, 0, 255]) != nil)
        }
        #expect(try bench.store.credentials(.apiKey).count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `presences and safety are the last that were set`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let inside = Presence(region: RegionNumber(4), since: .test(1.5), hasDwelt: true)
        let leaving = Presence(region: RegionNumber(1), since: .test(-1), leftAt: .test(3))
        let unsure = Presence(
            region: RegionNumber(9), since: .test(2), standing: .unknown, likelihood: .likely, doubt: .checking,
            likelySince: .test(1))
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.setPresences([inside], of: DeviceNumber(2))
            try transaction.setPresences([inside, leaving, unsure], of: DeviceNumber(1))
            try transaction.setPresences([inside], of: DeviceNumber(3))
            try transaction.setPresences([], of: DeviceNumber(3))
            try transaction.setPresences([leaving], of: DeviceNumber(2))
            try transaction.setSafety(Safety(state: .unsafe, since: .test(0)), of: UserNumber(1))
            for state in Safety.State.allCases {
                try transaction.setSafety(
                    Safety(state: state, since: .test(9), region: RegionNumber(3)), of: UserNumber(2))
            }
        }
        try bench.crash()
        let presences = try bench.store.presences()
        #expect(presences.map(\.device.rawValue) == [1, 2])
        #expect(presences.map(\.presences) == [[inside, leaving, unsure], [leaving]])
        let safety = try bench.store.safety()
        #expect(safety.map(\.user.rawValue) == [1, 2])
        #expect(
            safety.map(\.safety) == [
                Safety(state: .unsafe, since: .test(0)),
                Safety(state: Safety.State.allCases.last ?? .safe, since: .test(9), region: RegionNumber(3)),
            ])
    }
}
