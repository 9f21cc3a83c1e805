import MusterCore
import MusterGeometry
import MusterStore
import Testing

@Suite struct HistoryTests {
    @Test(arguments: StoreKind.allCases)
    func `a range includes its beginning and excludes its end`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let positions = (0..<50).map { Position.test(Double($0) * 10, step: $0) }
        for start in stride(from: 0, to: 50, by: 5) { try bench.store.report(1, Array(positions[start..<start + 5])) }
        func range(_ from: Double, _ to: Double, limit: Int = 1000) throws -> [Position] {
            try bench.store.positions(
                of: DeviceNumber(1), from: .test(from), to: .test(to), after: nil, limit: limit)
        }
        for _ in 0..<2 {
            #expect(try range(100, 120) == [positions[10], positions[11]])
            #expect(try range(99.999, 120.001) == Array(positions[10...12]))
            #expect(try range(0, 490.001, limit: 3) == Array(positions[..<3]))
            #expect(try range(100, 100).isEmpty)
            #expect(try range(120, 100).isEmpty)
            #expect(try range(0, 1e6, limit: 0).isEmpty)
            #expect(try bench.store.history(of: 1) == positions)
            #expect(try bench.store.history(of: 2).isEmpty)
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `late and early reports come back in the order of their sample times`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: 5)
        let positions = (0..<400).map { Position.test(Double($0) * 37, step: $0) }
        for (index, position) in positions.shuffled(using: &generator).enumerated() {
            try bench.store.report(Int32(index % 2), [position])
            if index % 90 == 0 { while try bench.store.settle(limit: 5) {} }
        }
        let both = try bench.store.history(of: 0) + bench.store.history(of: 1)
        #expect(both.count == 400)
        #expect(Set(both) == Set(positions))
        for device: Int32 in 0...1 {
            let times = try bench.store.history(of: device, page: 13).map(\.sampleTime)
            #expect(times == times.sorted())
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `two fixes of one millisecond at different places are both kept, one fix twice is held`(kind: StoreKind) throws
    {
        let bench = try Bench(kind)
        let store = bench.store
        let here = Position.test(1, step: 1)
        let there = Position.test(1, step: 2)
        var sameAgain = here
        sameAgain.receivedTime = .test(500)
        sameAgain.battery = 1
        try store.write(at: .test(0)) { transaction in
            #expect(try !transaction.holds(here, of: DeviceNumber(1)))
            try transaction.append(.position(here, of: DeviceNumber(1), isCurrent: true))
            #expect(try transaction.holds(sameAgain, of: DeviceNumber(1)))
            #expect(try !transaction.holds(there, of: DeviceNumber(1)))
            #expect(try !transaction.holds(here, of: DeviceNumber(2)))
            try transaction.append(.position(there, of: DeviceNumber(1), isCurrent: true))
        }
        for _ in 0..<3 {
            #expect(try bench.store.holds(sameAgain, of: 1))
            #expect(try bench.store.holds(there, of: 1))
            #expect(try !bench.store.holds(.test(1, step: 3), of: 1))
            #expect(try !bench.store.holds(.test(1.001, step: 1), of: 1))
            #expect(try bench.store.history(of: 1, page: 1) == [here, there])
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a place with a negative zero is the place with zero`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var position = Position.test(1)
        position.coordinate = Coordinate(validLatitude: -0.0, longitude: 0)
        try bench.store.report(1, [position])
        position.coordinate = Coordinate(validLatitude: 0, longitude: -0.0)
        for _ in 0..<2 {
            #expect(try bench.store.holds(position, of: 1))
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the latest position is the newest by sample time`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for device: Int32 in [3, 1, 2] {
            try bench.store.report(device, (0..<20).map { .test(Double($0), step: Int(device)) })
            try bench.store.report(device, [.test(-100, step: Int(device))])
        }
        for _ in 0..<2 {
            let latest = try bench.store.latestPositions()
            #expect(latest.map(\.device.rawValue) == [1, 2, 3])
            #expect(latest.map(\.position) == (1...3).map { .test(19, step: $0) })
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `coordinates and optional fields keep every bit`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: 3)
        var positions: [Position] = []
        for second in 0..<200 {
            var position = Position.random(&generator)
            position.sampleTime = .test(Double(second))
            positions.append(position)
        }
        try bench.store.report(1, positions)
        for _ in 0..<2 {
            let history = try bench.store.history(of: 1)
            #expect(history == positions)
            #expect(history.map(\.coordinate.latitude.bitPattern) == positions.map(\.coordinate.latitude.bitPattern))
            #expect(history.map(\.altitude?.value.bitPattern) == positions.map(\.altitude?.value.bitPattern))
            try bench.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `positions at the ends of time and of great size are kept`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var first = Position.test(0)
        first.sampleTime = Instant(milliseconds: .min)
        var last = Position.test(0)
        last.sampleTime = Instant(milliseconds: .max - 1)
        last.attributes = String(repeating: "ä", count: 50_000)
        try bench.store.report(1, [last, .test(5), first])
        for _ in 0..<2 {
            #expect(try bench.store.history(of: 1, page: 1) == [first, .test(5), last])
            #expect(try bench.store.holds(first, of: 1) && bench.store.holds(last, of: 1))
            try bench.reopen()
        }
    }
}
