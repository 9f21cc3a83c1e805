import MusterCore
import MusterStore
import Testing

@Suite struct RetentionTests {
    @Test(arguments: StoreKind.allCases)
    func `positions before the horizon and commits before it are forgotten, nothing else`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for second in 0..<100 {
            for device: Int32 in 1...3 { try bench.store.report(device, [.test(Double(second))], at: Double(second)) }
        }
        // A late report of something old is history too.
        try bench.store.report(3, [.test(-500)], at: 100)
        var calls = 0
        var forgotten = 0
        while true {
            let count = try bench.store.forget(before: .test(60), limit: 25)
            #expect(count <= 25 * 2 + 64)
            calls += 1
            forgotten += count
            if count == 0 { break }
        }
        #expect(calls > 5)
        #expect(forgotten == 60 * 3 + 1 + 60 * 3)
        for _ in 0..<2 {
            for device: Int32 in 1...3 {
                #expect(try bench.store.history(of: device) == (60..<100).map { .test(Double($0)) })
            }
            #expect(throws: StoreError.trimmed(oldest: LogSequence(181))) {
                try bench.store.changes(since: .zero, limit: 10)
            }
            #expect(try bench.store.log(since: LogSequence(180)).map(\.sequence.rawValue) == Array(181...301))
            try bench.crash()
        }
        #expect(try bench.store.check() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `sightings before the horizon are forgotten as positions are, notes never`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for second in 0..<40 {
            try bench.store.write(at: .test(Double(second))) { transaction in
                for device: Int32 in 1...2 {
                    let sighting = Sighting.test(Double(second))
                    try transaction.append(.sighting(sighting, of: DeviceNumber(device), isCurrent: true))
                    try transaction.put(.test(.status, at: 0), of: DeviceNumber(device))
                }
            }
        }
        var forgotten = 0
        while true {
            let count = try bench.store.forget(before: .test(30), limit: 7)
            #expect(count <= 7 * 2)
            forgotten += count
            if count == 0 { break }
        }
        #expect(forgotten == 30 * 2 + 30)
        try bench.crash()
        for device: Int32 in 1...2 {
            #expect(try bench.store.sightings(of: device) == (30..<40).map { .test(Double($0)) })
            #expect(try bench.store.notes(of: device) == [.test(.status, at: 0)])
        }
        #expect(try bench.store.check() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a forgotten log goes on with its numbers`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.report(1, [.test(1), .test(2)], at: 1)
        while try bench.store.forget(before: .test(1000), limit: 100) > 0 {}
        try bench.crash()
        #expect(bench.store.lastSequence == LogSequence(2))
        #expect(try bench.store.changes(since: LogSequence(2), limit: 10).isEmpty)
        #expect(throws: StoreError.trimmed(oldest: LogSequence(3))) {
            try bench.store.changes(since: LogSequence(1), limit: 10)
        }
        #expect(try bench.store.latestPositions().isEmpty)
        try bench.store.report(1, [.test(3)], at: 2000)
        #expect(try bench.store.log(since: LogSequence(2)).map(\.sequence) == [LogSequence(3)])
        #expect(try bench.store.latestPositions().map(\.position) == [.test(3)])
        #expect(try bench.store.check() == [])
    }
}
