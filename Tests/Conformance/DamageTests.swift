import Foundation
import GRDB
import MusterCore
import MusterStore
import MusterTestSupport
import Testing

/// A store on a disk that does not give back what was written.
@Suite struct DamageTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// A twentieth of `MUSTER_SOAK_SEEDS`, each with many flips; `MUSTER_SEED` runs one alone.
    private static let seeds: [UInt64] = {
        if let seed = environment["MUSTER_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(1...(environment["MUSTER_SOAK_SEEDS"].flatMap { UInt64($0) }.map { max(2, $0 / 20) } ?? 2))
    }()
    private static let flips = SoakSeeds.rounds(20, inSoak: 40)

    /// A closed store with a few of everything.
    private func makeStore() throws -> Bench {
        let bench = try Bench(.sqliteWithSmallStage)
        for second in 0..<300 { try bench.store.report(Int32(1 + second % 7), [.test(Double(second))]) }
        try bench.store.write(at: .test(300)) { transaction in
            for number in 1...20 as ClosedRange<Int32> {
                try transaction.put(User(number: UserNumber(number), name: "user\(number)", role: .member, team: nil))
                try transaction.put(
                    Device(number: DeviceNumber(number), name: "phone", user: UserNumber(number)))
                try transaction.put(.test(number, in: 1))
                try transaction.put(.test(.apiKey, key: UInt8(number)))
                try transaction.append(.sighting(.test(Double(number)), of: DeviceNumber(number), isCurrent: true))
                try transaction.put(.test(.steps, at: Double(number)), of: DeviceNumber(number))
            }
        }
        for second in 400..<700 { try bench.store.report(Int32(1 + second % 7), [.test(Double(second))]) }
        try bench.store.close()
        return bench
    }

    /// What every read returns, or that it returns nothing but a fault.
    private func reads(of store: SQLiteStore) -> [String: String?] {
        var told: [String: String?] = [:]
        func read<Value>(_ name: String, _ body: () throws -> Value) {
            told[name] = .some((try? body()).map { String(describing: $0) })
        }
        read("log") { try store.log() }
        for sequence in stride(from: 0, to: 640, by: 20) as StrideTo<Int64> {
            read("log after \(sequence)") { try store.changes(since: LogSequence(sequence), limit: 20) }
        }
        for device in 1...20 as ClosedRange<Int32> {
            read("history \(device)") { try store.history(of: device) }
            read("sightings \(device)") { try store.sightings(of: device) }
            read("notes \(device)") { try store.notes(of: device) }
            read("key \(device)") { try store.credential(.apiKey, key: [UInt8(device), 0, 255]) }
        }
        read("directory") { try store.directory() }
        read("regions") { try store.regions() }
        read("latest") { try store.latestPositions() }
        read("presences") { try store.presences() }
        return told
    }

    @Test(arguments: seeds)
    func `every flipped run of bytes is found, and no read returns what it made`(seed: UInt64) throws {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let bench = try makeStore()
        let file = URL(filePath: bench.directory + "/" + SQLiteStore.fileName)
        let store = try SQLiteStore(in: bench.directory)
        let truth = reads(of: store)
        try store.close()
        #expect(truth.values.allSatisfy { $0 != nil })
        let sound = try Data(contentsOf: file)
        var outcomes = ["refused": 0, "in part": 0, "whole": 0]
        for flip in 0..<Self.flips {
            var damaged = sound
            let place = Int.random(in: 0..<sound.count - 4, using: &generator)
            for index in place..<place + 4 { damaged[index] = .random(in: 0...255, using: &generator) }
            guard damaged != sound else { continue }
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
            try damaged.write(to: file)
            let findings = (try? SQLiteStore.examine(in: bench.directory).findings) ?? ["it cannot be examined"]
            #expect(!findings.isEmpty, "seed \(seed), flip \(flip) at \(place)")
            guard let store = try? SQLiteStore(in: bench.directory) else {
                outcomes["refused", default: 0] += 1
                continue
            }
            let told = reads(of: store)
            for (name, answer) in told where answer != nil {
                #expect(answer == truth[name], "seed \(seed), flip \(flip) at \(place): \(name)")
            }
            outcomes[told == truth ? "whole" : "in part", default: 0] += 1
            try? store.close()
        }
        print("seed \(seed): \(outcomes)")
    }

    @Test func `examining a sound store finds nothing, and lists what was verified`() throws {
        let bench = try makeStore()
        let examination = try SQLiteStore.examine(in: bench.directory)
        #expect(examination.findings.isEmpty)
        #expect(examination.verified.contains { $0.hasSuffix("pages") })
        #expect(examination.verified.contains { $0.hasPrefix("600 positions") })
    }

    @Test func `a large row's further pages are named by their row`() throws {
        let bench = try Bench(.sqlite)
        try bench.store.report(1, (0..<900).map { .test(Double($0)) })
        try bench.store.report(1, [.test(1000)])
        try bench.store.close()
        let path = bench.directory + "/" + SQLiteStore.fileName
        let queue = try DatabaseQueue(path: path)
        let page = try queue.read { database in
            try Int.fetchOne(
                database, sql: "SELECT pageno FROM dbstat WHERE name = 'log' AND pagetype = 'overflow' LIMIT 1")
        }
        try queue.close()
        var content = try Data(contentsOf: URL(filePath: path))
        content[(try #require(page) - 1) * 4096 + 500] ^= 1
        try content.write(to: URL(filePath: path))
        let findings = try SQLiteStore.examine(in: bench.directory).findings
        #expect(findings.count == 1)
        #expect(findings.first?.contains("of the log: changes 1 to 900") == true, "\(findings)")
    }

    @Test func `a store that was closed leaves the mark of its newest change, and one without a mark gets it`() throws {
        let bench = try Bench(.sqlite)
        let path = bench.directory + "/newest-change"
        try bench.store.report(1, [.test(1)], at: 1)
        try bench.store.report(1, [.test(2)], at: 1.5)
        try bench.store.close()
        let words = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        #expect(words.count == 3 && words[1] == "2")
        try FileManager.default.removeItem(atPath: path)
        try SQLiteStore(in: bench.directory).close()
        #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").prefix(2) == words.prefix(2))
        // Whatever lies in the place of the newer database has fewer changes.
        try Data("\(words[0]) 3 0\n".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteStore(in: bench.directory) }
        guard case .lost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
