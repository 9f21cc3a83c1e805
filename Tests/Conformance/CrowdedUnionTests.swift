import GRDB
import GRDBSQLite
import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// The union where many users have documents of one id, and where there are design documents.
@Suite struct CrowdedUnionTests {
    private func database(_ user: Int) -> DatabaseNumber { .locations(of: UserNumber(Int32(user))) }

    @Test(arguments: StoreKind.allCases)
    func `a design document is in its user's database and not in the union`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.edit(.test("_design/points"), .test("a"), in: database(1))
        try bench.store.edit(.test("_design/points", "{\"v\":2}"), in: database(2))
        try bench.crash()
        let store = bench.store
        #expect(try store.touched(in: .locations) == ["a"])
        #expect(try store.touched(in: .database(database(1))) == ["_design/points", "a"])
        #expect(try store.document("_design/points", in: .locations) == nil)
        #expect(try store.document("_design/points", in: .database(database(2)))?.text == "{\"v\":2}")
        #expect(try store.counts(in: .locations) == DocumentCounts(living: 1, bytes: 2))
        #expect(try store.counts(in: .database(database(1))).living == 2)
        try store.lookAtDocuments { reader in
            let pending = try reader.pendingChanges(in: .locations, since: .zero)
            #expect(pending == 1)
            let listed = try reader.documents(in: .locations, DocumentRange(limit: 9))
            #expect(listed.map(\.id) == ["a"])
            let points = try reader.document("_design/points", in: .database(database(1)))
            let wanted = WantedRevisions(id: "_design/points", revisions: points?.tree.nodes.map(\.revision) ?? [])
            let missing = try reader.missing([wanted], in: .locations)
            #expect(missing.map(\.missing) == [wanted.revisions] && wanted.revisions.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `documents of one id by many users are all kept, also after edits`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let users = 1...40
        for user in users {
            try bench.store.edit(.replicated("d1", ["1-\(user + 1_000)"], "{\"u\":\(user)}"), in: database(user))
        }
        func names() throws -> [String] {
            try bench.store.lookAtDocuments { try $0.documents(in: .locations, DocumentRange(limit: 99)).map(\.id) }
        }
        let others = users.dropFirst().map { QualifiedID("d1", in: database($0)).text }
        #expect(try names() == ["d1"] + others)
        for user in users.reversed() {
            try bench.store.edit(.replicated("d1", ["2-\(user + 1_000)", "1-\(user + 1_000)"]), in: database(user))
        }
        #expect(try names() == ["d1"] + others)
        #expect(try bench.store.touched(in: .locations) == others.reversed() + ["d1"])
        try bench.store.write(at: .test(1)) { transaction in
            for user in [1, 9] { try transaction.documents.remove(database(user)) }
        }
        // Nobody takes another's place: whoever replicated it would take the one document for the other.
        try bench.store.edit(.test("d1"), in: database(41))
        #expect(try names() == others.filter { !$0.hasPrefix("user-0000000009") } + ["user-0000000041:d1"])
    }

    /// Counted in steps of SQLite's machine, not in time.
    @Test func `the cost of a write does not grow with the users who have the same id`() throws {
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(sql: DocumentSchema.steps.joined())
            var sequence: Int64 = 0
            func steps(ofWriting id: String, users: ClosedRange<Int>) throws -> Int {
                let before = stepsTaken(in: database)
                for user in users {
                    let tables = DocumentTables(in: database) { LogSequence(sequence) }
                    _ = try tables.apply(.test(id, "{\"u\":\(user)}"), to: self.database(user), revisionLimit: 9) { _ in
                        sequence += 1
                        return LogSequence(sequence)
                    }
                    _ = try tables.changes(
                        in: .locations, since: LogSequence(sequence - 1), isDescending: false, withBodies: true,
                        limit: 9)
                    _ = try tables.documents(in: .locations, DocumentRange(limit: 9))
                    try tables.finish()
                }
                return stepsTaken(in: database) - before
            }
            for id in ["d1", "_design/points"] {
                _ = try steps(ofWriting: id, users: 1...100)
                let few = try steps(ofWriting: id, users: 101...120)
                _ = try steps(ofWriting: id, users: 121...1_000)
                let many = try steps(ofWriting: id, users: 1_001...1_020)
                #expect(few > 0 && many < few * 3 / 2, "\(id): \(few) steps, then \(many)")
            }
        }
    }

    /// How many steps all prepared statements of a connection have taken.
    private func stepsTaken(in database: Database) -> Int {
        var total = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while let next = statement {
            total += Int(sqlite3_stmt_status(next, SQLITE_STMTSTATUS_VM_STEP, 0))
            statement = sqlite3_next_stmt(database.sqliteConnection, next)
        }
        return total
    }
}
