import GRDB
import GRDBSQLite
import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// The union where many users have documents of one id, and where there are design documents.
@Suite struct CrowdedUnionTests {
    private static let limit = DocumentTables.ownerLimit

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
    func `of a crowd those who touched the id last are merged, and who leaves makes room`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for user in 1...Self.limit + 2 {
            try bench.store.edit(.replicated("d1", ["1-\(user + 1_000)"], "{\"u\":\(user)}"), in: database(user))
        }
        func users() throws -> [Int] {
            let leaves = try bench.store.document("d1", in: .locations)?.tree.leaves ?? []
            return leaves.compactMap { Int($0.revision.text.dropFirst(2)) }.map { $0 - 1_000 }.sorted()
        }
        #expect(try users() == Array(3...Self.limit + 2))
        #expect(try bench.store.document("d1", in: .locations)?.text == "{\"u\":\(Self.limit + 2)}")
        try bench.store.write(at: .test(1)) { try $0.documents.remove(database(9)) }
        #expect(try users() == [2] + (3...Self.limit + 2).filter { $0 != 9 })
        try bench.store.edit(.replicated("d1", ["2-1001", "1-1001"]), in: database(1))
        #expect(try users() == [1] + (3...Self.limit + 2).filter { $0 != 9 })
        #expect(try bench.store.touched(in: .locations) == ["d1"])
    }

    /// However many users have one id, the union is what the newest of them make of it, and every count is what one
    /// gets by counting.
    @Test(arguments: StoreKind.allCases, [1, 2, 3] as [UInt64])
    func `the union of a crowd is what a naive merge makes of it`(kind: StoreKind, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(kind)
        let ids = ["a", "b", "_design/c"]
        let users = Self.limit + 8
        for step in 0..<900 {
            let user = database(Int.random(in: 1...users, using: &generator))
            let id = ids.randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: try bench.store.write(at: .test(0)) { try $0.documents.remove(document: id, from: user) }
            case 1: try bench.store.write(at: .test(0)) { try $0.documents.remove(user) }
            default:
                let generation = Int.random(in: 1...4, using: &generator)
                let path = (1...generation).reversed().map { "\($0)-\($0)\(Int.random(in: 0..<3, using: &generator))" }
                let isDeleted = Int.random(in: 0..<3, using: &generator) == 0
                let text = "{\"s\":\"" + String(repeating: "x", count: step % 7) + "\"}"
                try bench.store.edit(.replicated(id, path, text, isDeleted: isDeleted), in: user)
            }
            if step % 60 == 0 { try check(bench.store, users: users, ids: ids, "seed \(seed), step \(step)") }
        }
        try check(bench.store, users: users, ids: ids, "seed \(seed), at the end")
        #expect(try bench.store.check() == [])
    }

    private func check(_ store: any Store, users: Int, ids: [String], _ comment: Comment) throws {
        try store.lookAtDocuments { reader in
            var expected: [StoredDocument] = []
            for id in ids where !id.hasPrefix("_design/") {
                let parts = try (1...users).compactMap { try reader.document(id, in: .database(database($0))) }
                    .sorted { $0.sequence > $1.sequence }.prefix(Self.limit)
                guard let newest = parts.first else { continue }
                let tree = parts.dropFirst().reduce(into: newest.tree) { $0.merge($1.tree) }
                let winner = try #require(tree.winner?.revision)
                let body = try parts.lazy.compactMap {
                    try reader.body(of: winner, of: id, in: .database($0.database))
                }.first
                expected.append(
                    StoredDocument(
                        id: id, database: newest.database, sequence: newest.sequence, tree: tree, body: body))
            }
            expected.sort { $0.sequence < $1.sequence }
            let all = try reader.changes(
                in: .locations, since: .zero, isDescending: false, withBodies: true, limit: 1_000)
            #expect(all == expected, comment)
            let isLiving = { (document: StoredDocument) in document.tree.winner?.isDeleted == false }
            let listed = try reader.documents(in: .locations, DocumentRange(withBodies: true, limit: 9))
            #expect(listed == expected.filter(isLiving).sorted { $0.id < $1.id }, comment)
            let counted = DocumentCounts(
                living: expected.count(where: isLiving), deleted: expected.count { !isLiving($0) },
                bytes: expected.reduce(0) { $0 + Int64($1.body?.json.count ?? 0) })
            let counts = try reader.counts(in: .locations)
            #expect(counts == counted, comment)
            let pending = try reader.pendingChanges(in: .locations, since: .zero)
            #expect(pending == expected.count, comment)
        }
    }

    /// Counted in steps of SQLite's machine, not in time.
    @Test func `a write costs no more where a thousand others have the id than where a hundred have`() throws {
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(sql: DocumentSchema.steps.joined())
            var sequence: Int64 = 0
            func steps(ofWriting id: String, users: ClosedRange<Int>) throws -> Int {
                let before = stepsTaken(in: database)
                for user in users {
                    let tables = DocumentTables(in: database) { Sequence(sequence) }
                    _ = try tables.apply(.test(id, "{\"u\":\(user)}"), to: self.database(user), revisionLimit: 9) { _ in
                        sequence += 1
                        return Sequence(sequence)
                    }
                    _ = try tables.changes(
                        in: .locations, since: Sequence(sequence - 1), isDescending: false, withBodies: true, limit: 9)
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
