import Foundation
import GRDB
import MusterCore
import Synchronization
import Testing

@testable import MusterStore

/// What only a store in a file promises: durability, one writer, refusal of what is not a good file of ours.
@Suite struct SQLiteFileTests {
    private func sqlite(_ bench: Bench) throws -> SQLiteStore { try #require(bench.store as? SQLiteStore) }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `every commit is synchronous, also after the store is opened again`() throws {
        let bench = try Bench(.sqlite)
        for _ in 0..<2 {
            #expect(try sqlite(bench).setting("synchronous") == "2")
            #expect(try sqlite(bench).setting("journal_mode") == "wal")
            #expect(try sqlite(bench).setting("wal_autocheckpoint") == "2000")
            #expect(try sqlite(bench).setting("page_size") == "4096")
            try bench.store.report(1, [.test(1)])
            #expect(try sqlite(bench).setting("synchronous") == "2")
            try bench.reopen()
        }
    }

    @Test func `only the owner can read the folder and its files`() throws {
        let bench = try Bench(.sqlite)
        try bench.store.report(1, [.test(1)])
        #expect(try mode(bench.directory) == 0o700)
        for name in ["muster.sqlite", "muster.sqlite-wal", "muster.sqlite-shm", "lock"] {
            #expect(try mode(bench.directory + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test func `a second opening for writing is refused until the first is closed`() throws {
        let bench = try Bench(.sqlite)
        #expect(throws: StoreError.inUse(path: bench.directory)) { try SQLiteStore(in: bench.directory) }
        try bench.store.close()
        let second = try SQLiteStore(in: bench.directory)
        #expect(throws: StoreError.inUse(path: bench.directory)) { try SQLiteStore(in: bench.directory) }
        try second.close()
    }

    @Test func `the one file of a closed store holds everything`() throws {
        let bench = try Bench(.sqlite)
        try bench.store.report(1, (0..<50).map { .test(Double($0)) })
        let history = try bench.store.history(of: 1)
        try bench.store.close()
        let log = bench.directory + "/muster.sqlite-wal"
        let left = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect((left ?? 0) == 0)
        let copy = bench.directory + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: bench.directory + "/muster.sqlite", toPath: copy + "/muster.sqlite")
        let other = try SQLiteStore(in: copy)
        #expect(try other.history(of: 1) == history)
        try other.close()
    }

    @Test func `a reading-only opening beside the writer sees what is merged and what is not, and writes nothing`()
        throws
    {
        let bench = try Bench(.sqliteWithSmallStage)
        try bench.store.report(1, (0..<50).map { .test(Double($0)) })
        let reader = try SQLiteStore(readingOnly: bench.directory)
        #expect(try reader.history(of: 1) == bench.store.history(of: 1))
        #expect(try reader.latestPositions().map(\.position) == [.test(49)])
        #expect(try reader.log().count == 50)
        try bench.store.report(1, (50..<90).map { .test(Double($0)) })
        #expect(try reader.log().count == 90)
        #expect(throws: StoreError.self) { try reader.report(1, [.test(99)]) }
        #expect(throws: StoreError.self) { try reader.forget(before: .test(0), limit: 1) }
        let copy = bench.directory + "/copy"
        try reader.backup(to: copy)
        #expect(FileManager.default.fileExists(atPath: copy))
        try reader.close()
        #expect(try bench.store.history(of: 1).count == 90)
    }

    @Test func `opening a missing store for reading is refused, and creates none`() throws {
        let nowhere = FileManager.default.temporaryDirectory.path + "/muster-none-" + UUID().uuidString
        #expect(throws: StoreError.self) { try SQLiteStore(readingOnly: nowhere) }
        #expect(!FileManager.default.fileExists(atPath: nowhere))
    }

    @Test func `a folder that cannot be created or written to is refused with the reason`() throws {
        let file = FileManager.default.temporaryDirectory.path + "/muster-file-" + UUID().uuidString
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let error = #expect(throws: StoreError.self) { try SQLiteStore(in: file + "/data") }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [16, 100, 4096, 20_000])
    func `a damaged file is refused, not repaired and not trusted`(offset: Int) throws {
        let bench = try Bench(.sqlite)
        for second in 0..<300 { try bench.store.report(Int32(second % 7), [.test(Double(second))]) }
        try bench.store.close()
        let path = bench.directory + "/" + SQLiteStore.fileName
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count > offset + 2000)
        for index in offset..<offset + 2000 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteStore(in: bench.directory) }
        guard case .corrupt(path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func `a file that is not a database is refused`() throws {
        let bench = try Bench(.sqlite)
        try bench.store.close()
        let path = bench.directory + "/" + SQLiteStore.fileName
        try Data("PK, a text of somebody's, long enough to be one".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteStore(in: bench.directory) }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a test write reaches the disk, and changes nothing`() throws {
        let bench = try Bench(.memory)
        let store = try SQLiteStore(in: bench.directory)
        try store.report(1, [.test(1)])
        let log = bench.directory + "/" + SQLiteStore.fileName + "-wal"
        func bytes() throws -> Int {
            try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
        }
        let (before, sequence) = (try bytes(), store.lastSequence)
        try store.testWriting()
        #expect(try bytes() > before)
        #expect(store.lastSequence == sequence)
        #expect(try store.check() == [])
        try store.close()
    }

    /// The number of pages of a store's file before anything is written.
    private static func pagesOfEmptyStore() throws -> Int {
        let bench = try Bench(.sqlite)
        let path = bench.directory + "/" + SQLiteStore.fileName
        try bench.store.close()
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return try #require(bytes) / 4_096
    }

    @Test func `a full disk refuses the commit, keeps what is stored, and serves again when there is room`() throws {
        let bench = try Bench(.memory)
        var options = SQLiteStore.Options()
        // Room for 84 pages beside those of the empty tables.
        options.pageLimit = try Self.pagesOfEmptyStore() + 84
        options.stageLimit = 64
        let store = try SQLiteStore(in: bench.directory, options: options)
        var stored: [Position] = []
        var refusals = 0
        for round in 0..<2000 where refusals < 5 {
            let batch = (0..<20).map { Position.test(Double(round * 20 + $0)) }
            do {
                try store.report(1, batch, at: Double(round))
                stored += batch
            } catch StoreError.unwritable {
                refusals += 1
                #expect(store.lastSequence.rawValue == Int64(stored.count))
                #expect(try store.latestPositions().map(\.position) == stored.suffix(1))
            }
        }
        #expect(refusals == 5)
        #expect(try store.history(of: 1, page: 500) == stored)
        #expect(throws: StoreError.self) { while try store.settle(limit: 1000) {} }
        #expect(try store.history(of: 1, page: 500) == stored)
        // Room: half of the log and of the history is forgotten. What is older than that had been merged before.
        try store.makeRoom(pages: 4000)
        while try store.forget(before: .test(Double(stored.count / 2)), limit: 100) > 0 {}
        stored.removeFirst(stored.count / 2)
        try store.report(1, [.test(1e6)])
        #expect(try store.history(of: 1, page: 500) == stored + [.test(1e6)])
        #expect(try store.check() == [])
        try store.close()
        let again = try SQLiteStore(in: bench.directory)
        #expect(try again.history(of: 1, page: 500) == stored + [.test(1e6)])
        try again.close()
    }

    @Test func `a backup is a whole store of one moment, readable by its owner alone`() throws {
        let bench = try Bench(.sqliteWithSmallStage)
        try bench.store.report(1, (0..<70).map { .test(Double($0)) })
        try bench.store.write(at: .test(0)) { try $0.put(.test(.apiKey, key: 1)) }
        let folder = bench.directory + "/backup"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/" + SQLiteStore.fileName
        try bench.store.backup(to: path)
        try bench.store.report(1, [.test(1000)])
        #expect(try mode(path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [SQLiteStore.fileName])
        let copy = try SQLiteStore(in: folder)
        #expect(try copy.history(of: 1) == (0..<70).map { .test(Double($0)) })
        #expect(try copy.credentials(.apiKey).count == 1)
        #expect(copy.lastSequence == LogSequence(70))
        #expect(try copy.check() == [])
        try copy.close()
    }

    @Test func `a backup never replaces a file, and leaves none when it fails`() throws {
        let bench = try Bench(.sqlite)
        let path = bench.directory + "/precious"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        for (target, isKept) in [(path, true), (bench.directory + "/no/such/folder/copy", false)] {
            let error = #expect(throws: StoreError.self) { try bench.store.backup(to: target) }
            guard case .backup(target, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(FileManager.default.fileExists(atPath: target) == isKept)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    }

    @Test func `reads go on while another thread writes, and see whole commits`() throws {
        let bench = try Bench(.sqliteWithSmallStage)
        let store = bench.store
        let failure = Mutex<(any Error)?>(nil)
        Thread.detachNewThread {
            do {
                for round in 0..<300 {
                    try store.report(1, (0..<4).map { .test(Double(round * 4 + $0)) })
                    if round % 10 == 0 { try store.settle(limit: 7) }
                }
            } catch { failure.withLock { $0 = error } }
        }
        var seen = 0
        while seen < 1200, failure.withLock({ $0 == nil }) {
            let history = try store.history(of: 1, page: 10_000)
            #expect(history.count % 4 == 0)
            #expect(history.count >= seen)
            #expect(history == (0..<history.count).map { .test(Double($0)) })
            seen = max(seen, history.count)
        }
        #expect(seen == 1200)
    }
}

extension SQLiteStore {
    /// Returns the value of a pragma on the writing connection.
    fileprivate func setting(_ pragma: String) throws -> String {
        try onWriter { try String.fetchOne($0, sql: "PRAGMA \(pragma)") ?? "" }
    }

    /// Changes the largest size of the file; see `Options.pageLimit`.
    fileprivate func makeRoom(pages: Int) throws {
        try onWriter { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
}
