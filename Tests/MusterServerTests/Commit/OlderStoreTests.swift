import Foundation
import GRDB
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// A server that is started over the store of an older version.
@Suite struct OlderStoreTests {
    private static let dump = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Conformance/Files/version1.sql")

    /// In the dump, Ann's phone reported three times from inside the muster region of a raw collection, from this
    /// moment on.
    private static let captured = Instant(milliseconds: 1_795_240_800_000)
    private static let ann = UserNumber(2)

    private func opening(in folder: String, at now: Instant) throws -> (pipeline: CommitPipeline, store: SQLiteStore) {
        let store = try SQLiteStore(in: folder)
        let directory = Directory(try store.directory(), regions: try store.regions())
        let rules = RuleBook(origin: EventOrigin(account: "1", region: "r", store: "s")) { directory }
        return (try CommitPipeline(opening: store, directory: directory, rules: rules, now: now), store)
    }

    @Test func `a person safe in a raw collection stays safe after an upgrade, by the stored positions`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/muster-older-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: folder + "/" + SQLiteStore.fileName)
        let sql = try String(contentsOf: Self.dump, encoding: .utf8)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
        let now = Self.captured.advanced(bySeconds: 60)
        for isFirst in [true, false] {
            var (pipeline, store) = try opening(in: folder, at: now)
            #expect(pipeline.engine.safety(of: Self.ann).state == .safe)
            #expect(pipeline.engine.isReviewDue)
            let before = store.lastSequence
            try pipeline.sweep(now: now)
            #expect(pipeline.engine.safety(of: Self.ann).state == .safe)
            #expect(!pipeline.engine.isReviewDue)
            let told = try store.changes(since: before, limit: 10).contains { logged in
                if case .safety(let safety, of: Self.ann) = logged.change { safety.state != .safe } else { false }
            }
            #expect(!told, "first: \(isFirst)")
            try store.close()
        }
    }
}
