import Dispatch
import MusterCore
import MusterStore
import Synchronization
import Testing

@Suite struct LogTests {
    @Test(arguments: StoreKind.allCases)
    func `changes are numbered from 1 in the order of their commits, without a gap`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        #expect(store.lastSequence == .zero)
        var given: [LogSequence] = []
        for commit in 0..<4 {
            try store.write(at: .test(Double(commit))) { transaction in
                for index in 0...commit {
                    given.append(try transaction.append(.directory(.user(UserNumber(Int32(index))), removed: false)))
                }
            }
        }
        #expect(given.map(\.rawValue) == Array(1...10))
        #expect(store.lastSequence == LogSequence(10))
        let log = try store.log()
        #expect(log.map(\.sequence) == given)
        #expect(log.map(\.committedAt) == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3].map { .test($0) })
        try bench.reopen()
        #expect(bench.store.lastSequence == LogSequence(10))
        #expect(try bench.store.log() == log)
    }

    @Test(arguments: StoreKind.allCases)
    func `every kind of change comes back as it was`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var generator = SeededGenerator(seed: 11)
        let changes = (0..<300).map { _ in Change.random(&generator) }
        for start in stride(from: 0, to: changes.count, by: 30) {
            try bench.store.write(at: .test(1)) { transaction in
                for change in changes[start..<start + 30] { try transaction.append(change) }
            }
        }
        #expect(try bench.store.log().map(\.change) == changes)
        try bench.crash()
        #expect(try bench.store.log(page: 1000).map(\.change) == changes)
    }

    @Test(arguments: StoreKind.allCases)
    func `no reader sees a change before its commit, however fast it reads`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        let isWritten = Mutex(false)
        let writing = DispatchQueue(label: "writer")
        writing.async {
            for second in 0..<400 { try? store.report(1, [.test(Double(second))]) }
            isWritten.withLock { $0 = true }
        }
        var told: [Int64] = []
        while true {
            let isLast = isWritten.withLock { $0 }
            let page = try store.changes(since: LogSequence(told.last ?? 0), limit: 10).map(\.sequence)
            #expect(page.last ?? .zero <= store.lastSequence)
            told += page.map(\.rawValue)
            if isLast, page.isEmpty { break }
        }
        #expect(told == Array(1...400))
    }

    @Test(arguments: StoreKind.allCases)
    func `a page holds no more than its limit and splits only a commit that is larger`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for size in [2, 2, 5] { try bench.store.report(1, (0..<size).map { .test(Double(size * 10 + $0)) }) }
        func page(_ since: Int64, _ limit: Int) throws -> [Int64] {
            try bench.store.changes(since: LogSequence(since), limit: limit).map(\.sequence.rawValue)
        }
        #expect(try page(0, 3) == [1, 2])
        #expect(try page(0, 4) == [1, 2, 3, 4])
        #expect(try page(1, 4) == [2, 3, 4])
        #expect(try page(4, 3) == [5, 6, 7])
        #expect(try page(7, 3) == [8, 9])
        #expect(try page(9, 3) == [])
        #expect(try page(0, 100) == Array(1...9))
    }

    @Test(arguments: StoreKind.allCases)
    func `a transaction that throws leaves no trace`(kind: StoreKind) throws {
        struct Refusal: Error {}
        let bench = try Bench(kind)
        let store = bench.store
        try store.report(1, [.test(1)])
        let first = try store.write(at: .test(1)) { try $0.nextUserNumber() }
        #expect(throws: Refusal.self) {
            try store.write(at: .test(2)) { transaction in
                try transaction.append(.position(.test(2), of: DeviceNumber(1), isCurrent: true))
                _ = try transaction.nextUserNumber()
                try transaction.put(User(number: UserNumber(9), name: "n", role: .member, team: nil))
                try transaction.put(.test(.apiKey, key: 1))
                try transaction.setPresences([Presence(region: RegionNumber(1), since: .test(0))], of: DeviceNumber(1))
                try transaction.setSafety(Safety(state: .safe, since: .test(0)), of: UserNumber(1))
                try transaction.remove(DeviceNumber(1))
                throw Refusal()
            }
        }
        #expect(store.lastSequence == LogSequence(1))
        #expect(try store.history(of: 1) == [.test(1)])
        #expect(try store.latestPositions().map(\.position) == [.test(1)])
        #expect(try store.directory() == StoredDirectory())
        #expect(try store.credentials(.apiKey).isEmpty)
        #expect(try store.presences().isEmpty)
        #expect(try store.safety().isEmpty)
        #expect(try !store.holds(.test(2), of: 1))
        let (sequence, next) = try store.write(at: .test(3)) { transaction in
            let sequence = try transaction.append(.position(.test(2), of: DeviceNumber(1), isCurrent: true))
            return (sequence, try transaction.nextUserNumber())
        }
        #expect(sequence == LogSequence(2))
        #expect(next.rawValue == first.rawValue + 1)
        try bench.crash()
        #expect(try bench.store.history(of: 1) == [.test(1), .test(2)])
        #expect(bench.store.lastSequence == LogSequence(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `a transaction without changes takes no number`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { _ in }
        try bench.store.write(at: .test(0)) { try $0.put(.test(.apiKey, key: 1)) }
        #expect(bench.store.lastSequence == .zero)
        #expect(try bench.store.credentials(.apiKey).count == 1)
    }
}

extension LogTests {
    @Test(arguments: StoreKind.allCases)
    func `a store keeps the name that it was given once`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let name = try bench.store.uuid()
        #expect(name.count == 36)
        try bench.reopen()
        #expect(try bench.store.uuid() == name)
        let other = try Bench(kind)
        #expect(try other.store.uuid() != name)
    }
}
