import MusterCore
import MusterStore
import Testing

/// What devices see of beacons, and what they say of themselves.
@Suite struct NoteTests {
    @Test(arguments: StoreKind.allCases)
    func `sightings come back in order, by time and beacon, page by page, and outlive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let sightings = [3.0, 1, 2, 1].enumerated().map { Sighting.test($1, minor: UInt16($0)) }
        try bench.store.write(at: .test(9)) { transaction in
            for sighting in sightings {
                #expect(try !transaction.holds(sighting, of: DeviceNumber(1)))
                try transaction.append(.sighting(sighting, of: DeviceNumber(1), isCurrent: true))
                #expect(try transaction.holds(sighting, of: DeviceNumber(1)))
            }
            #expect(try !transaction.holds(sightings[0], of: DeviceNumber(2)))
        }
        let ordered = [sightings[1], sightings[3], sightings[2], sightings[0]]
        for _ in 0..<2 {
            let store = bench.store
            for page in 1...5 { #expect(try store.sightings(of: 1, page: page) == ordered) }
            #expect(
                try store.sightings(of: DeviceNumber(1), from: .test(2), to: .test(3), after: nil, limit: 9)
                    == [sightings[2]])
            // A cursor from before the beginning asked for.
            let early = SightingKey(ordered[0])
            #expect(
                try store.sightings(of: DeviceNumber(1), from: .test(2), to: .test(9), after: early, limit: 9)
                    == [sightings[2], sightings[0]])
            #expect(try store.sightings(of: 2).isEmpty)
            #expect(
                try store.log().map(\.change)
                    == sightings.map { .sighting($0, of: DeviceNumber(1), isCurrent: true) })
            #expect(try store.write(at: .test(10)) { try $0.holds(sightings[0], of: DeviceNumber(1)) })
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest sighting before a moment is found for each existing device`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for device: Int32 in 1...3 {
                try transaction.put(Device(number: DeviceNumber(device), name: "d", user: UserNumber(1)))
            }
            for second in 0..<5 {
                for device: Int32 in 2...4 {
                    let sighting = Sighting.test(Double(second + Int(device) * 10))
                    try transaction.append(.sighting(sighting, of: DeviceNumber(device), isCurrent: true))
                }
            }
        }
        let latest = try bench.store.latestSightings(before: .test(32))
        #expect(latest.map(\.device.rawValue) == [2, 3])
        #expect(latest.map(\.sampleTime) == [.test(24), .test(31)])
        #expect(try bench.store.latestSightings(before: .test(20)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a note replaces the one of its kind and key, and no other`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let notes: [DeviceNote] = [
            .test(.waypoint, key: "a", at: 1, body: #"{"desc":"Werkhof"}"#), .test(.waypoint, key: "b", at: 2),
            .test(.card, at: 3, body: #"{"name":"Ueli Weiß 🧭"}"#), .test(.lastWill, at: 4),
        ]
        let changed = DeviceNote.test(.waypoint, key: "a", at: 5, body: #"{"desc":"Depot"}"#)
        try bench.store.write(at: .test(6)) { transaction in
            for note in notes.reversed() { try transaction.put(note, of: DeviceNumber(1)) }
            try transaction.put(notes[0], of: DeviceNumber(2))
            #expect(try transaction.deviceNote(notes[0].name, of: DeviceNumber(1)) == notes[0])
            try transaction.put(changed, of: DeviceNumber(1))
            #expect(try transaction.deviceNote(notes[0].name, of: DeviceNumber(1)) == changed)
            #expect(try transaction.deviceNote(notes[0].name, of: DeviceNumber(3)) == nil)
        }
        for _ in 0..<2 {
            for page in 1...5 { #expect(try bench.store.notes(of: 1, page: page) == [changed] + notes[1...]) }
            #expect(try bench.store.notes(of: 1, kind: .waypoint) == [changed, notes[1]])
            #expect(try bench.store.notes(of: 1, kind: .steps).isEmpty)
            #expect(try bench.store.notes(of: 2) == [notes[0]])
            let cards = try bench.store.cards(of: [DeviceNumber(1), DeviceNumber(2)])
            #expect(cards == [DeviceNumber(1): notes[2]])
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `keys that only look alike are distinct, and one with a zero byte stays whole`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let keys = ["", "a", "a\u{0}", "a\u{0}b", "e\u{301}", "z", "\u{E9}"]
        try bench.store.write(at: .test(0)) { transaction in
            for key in keys.reversed() {
                try transaction.put(.test(.waypoint, key: key, at: 1, body: "{}"), of: DeviceNumber(1))
            }
        }
        #expect(try bench.store.notes(of: 1).map { Array($0.name.key.utf8) } == keys.map { Array($0.utf8) })
    }

    @Test(arguments: StoreKind.allCases)
    func `a waypoint too many takes the place of the one that was received first`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let limit = DeviceNote.waypointLimit
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(.test(.card, at: -1), of: DeviceNumber(1))
            for index in 0..<limit {
                try transaction.put(.test(.waypoint, key: "w\(index)", at: Double(index)), of: DeviceNumber(1))
            }
        }
        try bench.store.write(at: .test(1)) { transaction in
            // One that is there already takes nobody's place.
            try transaction.put(.test(.waypoint, key: "w0", at: 5000), of: DeviceNumber(1))
            #expect(try transaction.deviceNote(DeviceNote.Name(.waypoint, key: "w1"), of: DeviceNumber(1)) != nil)
            try transaction.put(.test(.waypoint, key: "new", at: 0), of: DeviceNumber(1))
            try transaction.put(.test(.waypoint, key: "other", at: 0), of: DeviceNumber(2))
        }
        let keys = Set(try bench.store.notes(of: 1, kind: .waypoint, page: 500).map(\.name.key))
        #expect(keys.count == limit)
        #expect(keys.contains("w0") && keys.contains("new") && !keys.contains("w1"))
        #expect(try bench.store.notes(of: 1, kind: .card).count == 1)
    }
}
