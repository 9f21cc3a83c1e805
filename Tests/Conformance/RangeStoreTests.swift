import MusterCore
import MusterStore
import Testing

/// Measured distances between devices.
@Suite struct RangeStoreTests {
    private func append(_ ranges: [PeerRange], of device: Int32, to store: any Store) throws {
        try store.write(at: .test(9)) { transaction in
            for range in ranges { try transaction.append(.range(range, of: DeviceNumber(device), isCurrent: true)) }
        }
    }

    private func kept(of device: Int32, in store: any Store) throws -> [PeerRange] {
        try store.ranges(of: DeviceNumber(device), from: .test(-1e9), to: .test(1e9), after: nil, limit: 10_000)
    }

    @Test(arguments: StoreKind.allCases)
    func `ranges come back whole, in the order of time, and outlive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let ranges: [PeerRange] = [
            .test(3, to: 2), .test(1, to: 3, metres: 0), .test(1, to: 2, source: .bluetooth),
            .test(2, to: 2, metres: 10_000),
        ]
        try bench.store.write(at: .test(9)) { transaction in
            for range in ranges {
                #expect(try !transaction.holds(range, of: DeviceNumber(1)))
                try transaction.append(.range(range, of: DeviceNumber(1), isCurrent: range.metres > 0))
                #expect(try transaction.holds(range, of: DeviceNumber(1)))
                #expect(try !transaction.holds(range, of: DeviceNumber(2)))
            }
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(try kept(of: 1, in: store) == [ranges[2], ranges[1], ranges[3], ranges[0]])
            #expect(try kept(of: 2, in: store).isEmpty)
            let page = try store.ranges(of: DeviceNumber(1), from: .test(1), to: .test(3), after: nil, limit: 1)
            #expect(page == [ranges[2]])
            let rest = try store.ranges(
                of: DeviceNumber(1), from: .test(1), to: .test(3), after: page.last.map { RangeKey($0) }, limit: 9)
            #expect(rest == [ranges[1], ranges[3]])
            #expect(try store.ranges(since: .test(2)).map(\.range) == [ranges[3], ranges[0]])
            let logged: [Change] = ranges.map { .range($0, of: DeviceNumber(1), isCurrent: $0.metres > 0) }
            #expect(try store.log().map(\.change) == logged)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `ranges go with either of their devices, and with their time`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try append([.test(1, to: 2), .test(20, to: 2), .test(21, to: 3)], of: 1, to: bench.store)
        try append([.test(22, to: 1), .test(23, to: 3)], of: 2, to: bench.store)
        while try bench.store.forget(before: .test(5), limit: 10) > 0 {}
        #expect(try kept(of: 1, in: bench.store).map(\.sampleTime) == [.test(20), .test(21)])
        try bench.store.write(at: .test(30)) { try $0.remove(DeviceNumber(2)) }
        for _ in 0..<2 {
            #expect(try kept(of: 1, in: bench.store).map(\.sampleTime) == [.test(21)])
            let logged = try bench.store.log().map(\.change)
            #expect(
                !logged.contains { change in
                    guard case .range(let range, let device, _) = change else { return false }
                    return device == DeviceNumber(2) || range.peer == DeviceNumber(2)
                })
            while try bench.store.settle(limit: 3) {}
            try bench.crash()
        }
        #expect(try kept(of: 2, in: bench.store).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a deleted history takes the ranges from and to the device, and later ones stay`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try append([.test(1, to: 2), .test(2, to: 3)], of: 1, to: bench.store)
        try append([.test(3, to: 3)], of: 2, to: bench.store)
        try bench.store.write(at: .test(30)) { try $0.forgetPositions(of: DeviceNumber(2)) }
        try append([.test(31, to: 2)], of: 1, to: bench.store)
        for _ in 0..<2 {
            #expect(try kept(of: 1, in: bench.store).map(\.sampleTime) == [.test(2), .test(31)])
            #expect(try kept(of: 2, in: bench.store).isEmpty)
            #expect(try bench.store.log().count == 2)
            while try bench.store.erasePositions(of: DeviceNumber(2), limit: 1) {}
            while try bench.store.settle(limit: 3) {}
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the tag by which a device is measured is kept with it`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let tag = RangeTag(high: .max, low: 1)
        for kept in [tag, nil] {
            try bench.store.write(at: .test(0)) {
                try $0.put(Device(number: DeviceNumber(1), name: "phone", user: UserNumber(1), rangeTag: kept))
            }
            try bench.crash()
            #expect(try bench.store.directory().devices.map(\.rangeTag) == [kept])
        }
    }
}

extension PeerRange {
    /// A range that was measured at a test's second.
    static func test(
        _ seconds: Double, to peer: Int32, metres: Double = 2.9, source: Source = .ultraWideband
    ) -> PeerRange {
        PeerRange(
            to: DeviceNumber(peer), sampleTime: .test(seconds), receivedTime: .test(seconds + 1), metres: metres,
            deviationMetres: 0.3, source: source)
    }

    /// Any range.
    static func random(at moment: Instant, _ generator: inout SeededGenerator) -> PeerRange {
        PeerRange(
            to: DeviceNumber(.random(in: .min ... .max, using: &generator)), sampleTime: moment,
            receivedTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator)),
            metres: .random(in: metresLimits, using: &generator),
            deviationMetres: .random(in: 0.000_1...deviationLimit, using: &generator),
            source: Source.allCases.randomElement(using: &generator) ?? .fused)
    }
}
