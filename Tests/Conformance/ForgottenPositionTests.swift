import Foundation
import MusterCore
import MusterStore
import Testing

@Suite struct ForgottenPositionTests {
    /// Devices 1 and 2, each with twelve positions, a crossing and presences.
    private func populate(_ store: any Store) throws {
        for round in 0..<12 {
            try store.write(at: .test(Double(round))) { transaction in
                for device: Int32 in 1...2 {
                    var position = Position.test(Double(round), step: Int(device))
                    position.attributes = "{\"secret\":\"of device \(device)\"}"
                    try transaction.append(.position(position, of: DeviceNumber(device), isCurrent: true))
                }
            }
        }
        try store.write(at: .test(20)) { transaction in
            for device: Int32 in 1...2 {
                try transaction.put(Device(number: DeviceNumber(device), name: "d", user: UserNumber(1)))
                try transaction.append(
                    .crossing(
                        Crossing(
                            kind: .enter, device: DeviceNumber(device), region: RegionNumber(1), sampleTime: .test(0))))
                try transaction.setPresences(
                    [Presence(region: RegionNumber(1), since: .test(0))], of: DeviceNumber(device))
            }
        }
    }

    private func erase(_ store: any Store) throws {
        while try store.erasePositions(of: DeviceNumber(2), limit: 5) {}
    }

    @Test(arguments: StoreKind.allCases)
    func `deleting a history removes the positions and keeps the latest one`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        let before = bench.store.lastSequence
        try bench.store.write(at: .test(30)) { try $0.forgetPositions(of: DeviceNumber(2)) }
        try erase(bench.store)
        #expect(bench.store.lastSequence == before)
        for round in 0..<5 {
            let store = bench.store
            #expect(try store.history(of: 2).isEmpty)
            #expect(try store.history(of: 1).count == 12)
            let latest = try store.latestPositions()
            #expect(latest.map(\.device.rawValue) == [1, 2])
            #expect(latest.map(\.position.sampleTime) == [.test(11), .test(11)])
            #expect(try store.presences().map(\.device.rawValue) == [1, 2])
            let log = try store.log()
            #expect(log.count == 12 + 2)
            #expect(log.filter { $0.change.isOf(DeviceNumber(2)) }.count == 1, "the crossing")
            let told = try store.readDocuments { _, positions in
                try positions.positionsOfAll(since: .zero, through: nil, isDescending: false, limit: 100)
            }
            #expect(Set(told.map(\.device.rawValue)) == [1] && told.count == 12)
            switch round {
            case 0: try bench.crash()
            case 1: _ = try store.settle(limit: 3)
            case 2: try bench.crash()
            default: while try store.settle(limit: 3) {}
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `positions reported after a history was deleted are kept, also late ones`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        try bench.store.write(at: .test(30)) { try $0.forgetPositions(of: DeviceNumber(2)) }
        try bench.store.write(at: .test(31)) { transaction in
            try transaction.append(.position(.test(5.5, step: 2), of: DeviceNumber(2), isCurrent: false))
            try transaction.append(.position(.test(31, step: 2), of: DeviceNumber(2), isCurrent: true))
        }
        try erase(bench.store)
        for _ in 0..<2 {
            #expect(try bench.store.history(of: 2).map(\.sampleTime) == [.test(5.5), .test(31)])
            #expect(try bench.store.latestPositions().map(\.position.sampleTime) == [.test(11), .test(31)])
            while try bench.store.settle(limit: 3) {}
            try bench.reopen()
        }
        #expect(try bench.store.log().filter { $0.change.isOf(DeviceNumber(2)) }.count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `the latest position of a device without history is forgotten by its age`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try populate(bench.store)
        try bench.store.write(at: .test(30)) { try $0.forgetPositions(of: DeviceNumber(2)) }
        try erase(bench.store)
        while try bench.store.forget(before: .test(40), limit: 100) > 0 {}
        #expect(try bench.store.latestPositions().isEmpty)
    }
}
