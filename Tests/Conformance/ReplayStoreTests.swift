import MusterCore
import MusterStore
import Testing

/// The reads of a replay: of many devices' positions at once, and of people's states over time.
@Suite struct ReplayStoreTests {
    /// What a replay reads of a device.
    private struct Track: Equatable {
        var last: Position?
        var positions: [Position]
    }

    private static func replay(
        _ devices: [Int32], _ times: (earliest: Double, from: Double, to: Double), of store: any Store
    ) throws -> [Int32: Track] {
        var found: [Int32: Track] = [:]
        try store.replay(
            of: devices.map { DeviceNumber($0) }, earliest: .test(times.earliest), from: .test(times.from),
            to: .test(times.to)
        ) { device, last, positions in
            #expect(found[device.rawValue] == nil)
            found[device.rawValue] = Track(last: last, positions: positions)
        }
        return found
    }

    @Test(arguments: StoreKind.allCases, [1, 2, 3] as [UInt64])
    func `a replay reads what the histories have, wherever it is merged`(kind: StoreKind, seed: UInt64) throws {
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: seed)
        // Devices with long blocks and short ones, some of them late, so that blocks overlap.
        for round in 0..<300 {
            let device = Int32.random(in: 1...80, using: &generator)
            let start = Double(Int.random(in: 0..<20_000, using: &generator))
            let stride = Double([1, 5, 60, 900].randomElement(using: &generator) ?? 1)
            let count = Int.random(in: 1...30, using: &generator)
            let positions = (0..<count).map { Position.test(start + Double($0) * stride, step: $0) }
            try bench.store.report(device, positions, at: Double(round))
            if round % 50 == 0 { while try bench.store.settle(limit: 100) {} }
        }
        let devices = Array(Int32(1)...90)
        for _ in 0..<2 {
            for _ in 0..<25 {
                let from = Double(Int.random(in: 0..<22_000, using: &generator))
                let to = from + Double(Int.random(in: 1...900, using: &generator))
                let earliest = from - Double([60, 3_000, 86_400].randomElement(using: &generator) ?? 60)
                let found = try Self.replay(devices, (earliest, from, to), of: bench.store)
                #expect(found.count == devices.count)
                for device in devices {
                    let history = try bench.store.history(of: device)
                    let last = history.last { $0.sampleTime >= .test(earliest) && $0.sampleTime < .test(from) }
                    let within = history.filter { $0.sampleTime >= .test(from) && $0.sampleTime < .test(to) }
                    #expect(found[device] == Track(last: last, positions: within), "device \(device), seed \(seed)")
                }
            }
            try bench.crash()
        }
    }

    private static func states(
        of people: [Int32], _ from: Double, _ to: Double, in store: any Store
    ) throws -> [String] {
        try store.safetyHistory(of: people.map { UserNumber($0) }, from: .test(from), to: .test(to)).map {
            let seconds = Int($0.at.seconds(since: .test(0)))
            let usual = Safety(state: $0.state, since: .test(0)).source
            let source =
                switch $0.source {
                case usual: ""
                case .marked(let user): " marked by \(user.rawValue)"
                case let other: " by \(other.map { "\($0)" } ?? "nothing")"
                }
            return "\($0.user.rawValue) \(seconds) \($0.state)" + ($0.doubt.map { " \($0)" } ?? "") + source
        }
    }

    private static func report(
        _ user: Int32, _ state: Safety.State, at seconds: Double, doubt: Doubt? = nil,
        source: Safety.Source? = nil, in store: any Store
    ) throws {
        try store.write(at: .test(seconds)) { transaction in
            let safety = Safety(state: state, since: .test(seconds - 5), source: source, doubt: doubt)
            try transaction.append(.safety(safety, of: UserNumber(user)))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the states of people are those of the time, and the last before it`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try Self.report(1, .unsafe, at: 10, in: bench.store)
        try Self.report(1, .safe, at: 20, in: bench.store)
        try Self.report(2, .unknown, at: 25, in: bench.store)
        try Self.report(1, .safe, at: 30, doubt: .checking, in: bench.store)
        try Self.report(1, .sos, at: 40, in: bench.store)
        try Self.report(3, .safe, at: 210, source: .marked(by: UserNumber(7)), in: bench.store)
        try Self.report(3, .unknown, at: 220, doubt: .checking, source: .seemsToHaveLeft, in: bench.store)
        for _ in 0..<2 {
            let store = bench.store
            #expect(
                try Self.states(of: [1, 2, 3], 20, 40, in: store)
                    == ["1 20 safe", "1 30 safe checking", "2 25 unknown"])
            #expect(try Self.states(of: [2, 1], 100, 200, in: store) == ["2 25 unknown", "1 40 sos"])
            #expect(
                try Self.states(of: [3], 200, 300, in: store)
                    == ["3 210 safe marked by 7", "3 220 unknown checking by seemsToHaveLeft"])
            #expect(try Self.states(of: [1], 0, 5, in: store).isEmpty)
            #expect(try store.safetyHistoryStart == Instant(milliseconds: 0))
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a state that held at the horizon outlives it, and a removed user's are gone`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for (second, state) in [(10.0, Safety.State.unsafe), (20, .safe), (30, .unsafe), (60, .safe)] {
            try Self.report(1, state, at: second, in: bench.store)
        }
        try Self.report(2, .sos, at: 15, in: bench.store)
        while try bench.store.forget(before: .test(50), limit: 1) > 0 {}
        #expect(try Self.states(of: [1, 2], 55, 70, in: bench.store) == ["1 30 unsafe", "1 60 safe", "2 15 sos"])
        #expect(try Self.states(of: [1], 25, 28, in: bench.store).isEmpty)
        try bench.store.write(at: .test(70)) { try $0.remove(UserNumber(1)) }
        #expect(try Self.states(of: [1, 2], 55, 70, in: bench.store) == ["2 15 sos"])
        try bench.crash()
        #expect(try Self.states(of: [1, 2], 55, 70, in: bench.store) == ["2 15 sos"])
    }
}
