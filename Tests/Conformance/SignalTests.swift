import MusterCore
import MusterStore
import Testing

/// What devices report for the rules.
@Suite struct SignalTests {
    private func append(_ signals: [Signal], of device: Int32, to store: any Store) throws {
        try store.write(at: .test(9)) { transaction in
            for signal in signals { try transaction.append(.signal(signal, of: DeviceNumber(device))) }
        }
    }

    private func kept(of device: Int32, in store: any Store) throws -> [Signal] {
        try store.signals(
            of: DeviceNumber(device), from: .test(-1e9), to: .test(1e9), before: nil, limit: 10_000
        ).map(\.signal)
    }

    @Test(arguments: StoreKind.allCases)
    func `signals come back whole, the newest change first, and outlive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let signals = [
            Signal.test("a", at: 3), .test("b", at: 1, values: [.init("text1", "é\u{0}"), .init("e\u{301}", "")]),
            .test("c", at: 2, reporter: 7),
        ]
        try bench.store.write(at: .test(9)) { transaction in
            for signal in signals {
                #expect(try !transaction.holds(signal, of: DeviceNumber(1)))
                try transaction.append(.signal(signal, of: DeviceNumber(1)))
                #expect(try transaction.holds(signal, of: DeviceNumber(1)))
                #expect(try !transaction.holds(signal, of: DeviceNumber(2)))
            }
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(try kept(of: 1, in: store) == signals.reversed())
            #expect(try kept(of: 2, in: store).isEmpty)
            let page = try store.signals(of: DeviceNumber(1), from: .test(1), to: .test(3), before: nil, limit: 1)
            #expect(page.map(\.signal.id) == ["c"])
            let rest = try store.signals(
                of: DeviceNumber(1), from: .test(1), to: .test(3), before: page.last?.sequence, limit: 9)
            #expect(rest.map(\.signal.id) == ["b"])
            let logged: [Change] = signals.map { .signal($0, of: DeviceNumber(1)) }
            #expect(try store.log().map(\.change) == logged)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the oldest signal beyond the limit makes room, of its own device alone`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try append([.test("mine", at: 0)], of: 2, to: bench.store)
        try append((0..<Signal.keptLimit + 3).map { .test("s\($0)", at: 5) }, of: 1, to: bench.store)
        let kept = try kept(of: 1, in: bench.store)
        #expect(kept.count == Signal.keptLimit && kept.last?.id == "s3")
        #expect(try self.kept(of: 2, in: bench.store).count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `signals go with their device, and with their time`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try append([.test("old", at: 1), .test("new", at: 20)], of: 1, to: bench.store)
        try append([.test("theirs", at: 20)], of: 2, to: bench.store)
        while try bench.store.forget(before: .test(5), limit: 10) > 0 {}
        #expect(try kept(of: 1, in: bench.store).map(\.id) == ["new"])
        try bench.store.write(at: .test(30)) { try $0.remove(DeviceNumber(1)) }
        #expect(try kept(of: 1, in: bench.store).isEmpty)
        #expect(try kept(of: 2, in: bench.store).count == 1)
    }
}

extension Signal {
    /// A signal that was fired at a test's second.
    static func test(_ id: String, at seconds: Double, reporter: Int32? = nil, values: [Value] = []) -> Signal {
        Signal(
            id: id, name: "button", sampleTime: .test(seconds), receivedTime: .test(seconds + 1),
            reporter: reporter.map { UserNumber($0) }, values: values)
    }
}
