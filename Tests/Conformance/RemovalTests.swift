import Foundation
import MusterCore
import MusterStore
import Testing

@Suite struct RemovalTests {
    /// Devices 1 and 2 of user 1, device 3 of user 2, each with positions, a crossing, presences and a token.
    private func populate(_ store: any Store) throws {
        try store.write(at: .test(0)) { transaction in
            for device: Int32 in 1...3 {
                let user: Int32 = device == 3 ? 2 : 1
                try transaction.put(User(number: UserNumber(user), name: "u\(user)", role: .member, team: nil))
                try transaction.put(Device(number: DeviceNumber(device), name: "d", user: UserNumber(user)))
                try transaction.put(.test(.deviceToken, key: UInt8(device), device: device))
                try transaction.put(.test(.apiKey, key: UInt8(device), user: user))
                try transaction.put(
                    .test(.card, at: 0, body: "{\"name\":\"card of device \(device)\"}"), of: DeviceNumber(device))
                try transaction.put(.test(.waypoint, key: "w", at: 0), of: DeviceNumber(device))
                try transaction.append(.note(DeviceNote.Name(.card), of: DeviceNumber(device)))
                try transaction.setPresences(
                    [Presence(region: RegionNumber(1), since: .test(0))], of: DeviceNumber(device))
                try transaction.setSafety(Safety(state: .safe, since: .test(0)), of: UserNumber(user))
            }
        }
        for round in 0..<12 {
            try store.write(at: .test(Double(round))) { transaction in
                for device: Int32 in 1...3 {
                    var position = Position.test(Double(round), step: Int(device))
                    position.attributes = "{\"secret\":\"of device \(device)\"}"
                    try transaction.append(.position(position, of: DeviceNumber(device), isCurrent: true))
                    try transaction.append(
                        .sighting(
                            .test(Double(round), minor: UInt16(device)), of: DeviceNumber(device), isCurrent: true))
                    try transaction.append(
                        .crossing(
                            Crossing(
                                kind: .enter, device: DeviceNumber(device), region: RegionNumber(1),
                                sampleTime: .test(0))))
                }
                try transaction.append(.safety(Safety(state: .safe, since: .test(0)), of: UserNumber(1)))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed device is gone for every reader at once, and its numbers stay empty`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        let before = bench.store.lastSequence
        try bench.store.write(at: .test(50)) { transaction in
            try transaction.remove(DeviceNumber(2))
            #expect(try !transaction.holds(Position.test(0, step: 2), of: DeviceNumber(2)))
            #expect(try !transaction.holds(Sighting.test(0, minor: 2), of: DeviceNumber(2)))
            #expect(try transaction.deviceNote(DeviceNote.Name(.card), of: DeviceNumber(2)) == nil)
            #expect(try transaction.credential(.deviceToken, key: [2, 0, 255]) == nil)
            try transaction.append(.directory(.device(DeviceNumber(2)), removed: true))
        }
        for round in 0..<5 {
            let store = bench.store
            #expect(try store.history(of: 2).isEmpty)
            #expect(try store.history(of: 1).count == 12)
            #expect(try store.sightings(of: 2).isEmpty && store.notes(of: 2).isEmpty)
            #expect(try store.sightings(of: 1).count == 12 && store.notes(of: 1).count == 2)
            let cards = try store.cards(of: [1, 2, 3].map { DeviceNumber($0) })
            #expect(cards.keys.map(\.rawValue).sorted() == [1, 3])
            #expect(try store.latestPositions().map(\.device.rawValue) == [1, 3])
            #expect(try store.presences().map(\.device.rawValue) == [1, 3])
            #expect(try store.credentials(.deviceToken).compactMap(\.device?.rawValue) == [1, 3])
            #expect(try store.directory().devices.map(\.number.rawValue) == [1, 3])
            let log = try store.log()
            #expect(log.count == 2 + 12 * 7 + 1)
            #expect(log.last?.sequence.rawValue == before.rawValue + 1)
            #expect(log.first { $0.change == .directory(.device(DeviceNumber(2)), removed: true) } != nil)
            #expect(!log.contains { $0.change.isOf(DeviceNumber(2)) })
            switch round {
            case 0: try bench.crash()
            case 1: _ = try store.settle(limit: 3)
            case 2: try bench.crash()
            default: while try store.settle(limit: 3) {}
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed user takes its devices, safety and credentials along`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        try bench.store.write(at: .test(50)) { try $0.remove(UserNumber(1)) }
        for _ in 0..<2 {
            let store = bench.store
            #expect(try store.directory().users.map(\.number.rawValue) == [2])
            #expect(try store.directory().devices.map(\.number.rawValue) == [3])
            #expect(try store.history(of: 1).isEmpty && store.history(of: 2).isEmpty)
            #expect(try store.sightings(of: 1).isEmpty && store.notes(of: 2).isEmpty)
            #expect(try store.sightings(of: 3).count == 12 && store.notes(of: 3).count == 2)
            #expect(try store.safety().map(\.user.rawValue) == [2])
            #expect(try store.credentials(.apiKey).compactMap(\.user?.rawValue) == [2])
            #expect(try store.credentials(.deviceToken).compactMap(\.device?.rawValue) == [3])
            #expect(try store.log().count == 1 + 12 * 3)
            while try store.settle(limit: 10) {}
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that reports and is removed in one transaction leaves nothing`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for second in 0..<20 {
                try transaction.append(.position(.test(Double(second)), of: DeviceNumber(1), isCurrent: true))
            }
            try transaction.remove(DeviceNumber(1))
            try transaction.append(.directory(.device(DeviceNumber(1)), removed: true))
        }
        for _ in 0..<3 {
            #expect(try bench.store.history(of: 1).isEmpty)
            #expect(try bench.store.latestPositions().isEmpty)
            #expect(try bench.store.log().map(\.sequence) == [LogSequence(21)])
            try bench.crash()
            while try bench.store.settle(limit: 10) {}
        }
    }

    @Test(arguments: [StoreKind.sqlite, .sqliteWithSmallStage])
    func `removed data is not in the files once the store has settled`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        try bench.store.write(at: .test(50)) { try $0.remove(DeviceNumber(2)) }
        while try bench.store.settle(limit: 10) {}
        let copy = bench.directory + "/copy"
        try bench.store.backup(to: copy)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
        #expect(bytes.range(of: Data("of device 2".utf8)) == nil)
        #expect(bytes.range(of: Data("of device 3".utf8)) != nil)
        #expect(try bench.store.check() == [])
    }
}

extension Change {
    func isOf(_ device: DeviceNumber) -> Bool {
        switch self {
        case .position(_, let subject, _): subject == device
        case .sighting(_, let subject, _), .note(_, let subject): subject == device
        case .crossing(let crossing): crossing.device == device
        default: false
        }
    }
}
