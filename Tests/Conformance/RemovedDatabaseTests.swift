import GRDB
import MusterCore
import MusterDocuments
import MusterStore
import MusterWire
import Testing

/// Databases with more documents than are erased in the transaction that removes them.
@Suite struct RemovedDatabaseTests {
    private static let count = DocumentTables.erasedAtOnce * 2 + 100
    private let ann = DatabaseNumber.locations(of: UserNumber(1))
    private let ben = DatabaseNumber.locations(of: UserNumber(2))

    private func fill(_ database: DatabaseNumber, of store: any Store) throws {
        try store.write(at: .test(0)) { transaction in
            for number in 0..<Self.count {
                let body = "{\"n\":\(number),\"text\":\"of database \(database.rawValue)\"}"
                try transaction.edit(.test("d\(number)", body), in: database)
            }
            for number in 0..<3 {
                try transaction.documents.put(
                    LocalDocument(id: "l\(number)", revision: 1, json: Array("{}".utf8)), in: database)
            }
        }
    }

    /// That nobody sees any of it.
    private func checkGone(_ database: DatabaseNumber, from store: any Store) throws {
        try store.lookAtDocuments { reader in
            let scope = DatabaseScope.database(database)
            let changes = try reader.changes(
                in: scope, since: .zero, isDescending: false, withBodies: true, limit: 9)
            let listed = try reader.documents(in: scope, DocumentRange(limit: 9))
            let last = try reader.document("d\(Self.count - 1)", in: scope)
            #expect(changes.isEmpty && listed.isEmpty && last == nil)
            let counts = try reader.counts(in: scope)
            let pending = try reader.pendingChanges(in: scope, since: .zero)
            #expect(counts == DocumentCounts() && pending == 0)
            let local = try reader.local("l0", in: database)
            let locals = try reader.locals(in: database, DocumentRange(limit: 9))
            #expect(local == nil && locals.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a large location database is gone at once, and erased whatever breaks in between`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.edit(.test("d7", "{\"by\":\"ben\"}"), .test("x"), in: ben)
        try fill(ann, of: bench.store)
        #expect(try bench.store.document("user-0000000001:d7", in: .locations)?.database == ann)
        try bench.store.write(at: .test(1)) { try $0.documents.remove(ann) }
        var slices = 0
        repeat {
            try bench.crash()
            try checkGone(ann, from: bench.store)
            #expect(try bench.store.touched(in: .locations) == ["d7", "x"])
            #expect(try bench.store.document("d7", in: .locations)?.text == "{\"by\":\"ben\"}")
            let listed = try bench.store.lookAtDocuments { try $0.documents(in: .locations, DocumentRange(limit: 9)) }
            #expect(listed.map(\.id) == ["d7", "x"])
            slices += 1
        } while try bench.store.settle(limit: 8_000)
        #expect(slices > 2, "it was erased in one piece")
        try bench.crash()
        #expect(try bench.store.counts(in: .locations) == DocumentCounts(living: 2, bytes: 14))
        #expect(try bench.store.lookAtDocuments { try $0.pendingChanges(in: .locations, since: .zero) } == 2)
        #expect(try bench.store.check() == [])
        try checkErased(ann, from: bench)
    }

    @Test(arguments: StoreKind.allCases)
    func `a large database goes with its indexes, and others keep theirs`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let databases = [DatabaseNumber(1), DatabaseNumber(2)]
        let definition = IndexDefinition(design: "by", name: "text", fields: [try FieldPath("text")])
        for database in databases {
            try bench.store.write(at: .test(0)) { transaction in
                try transaction.documents.put(
                    StoredDatabase(number: database, name: "n\(database.rawValue)", createdAt: .test(0)))
                _ = try transaction.documents.put(definition, in: database)
            }
            try fill(database, of: bench.store)
        }
        try bench.store.write(at: .test(1)) { try $0.documents.remove(databases[0]) }
        #expect(try bench.store.directory().databases.map(\.number) == [databases[1]])
        try checkGone(databases[0], from: bench.store)
        while try bench.store.settle(limit: 8_000) { try bench.crash() }
        try bench.store.lookAtDocuments { reader in
            let gone = try reader.indexes(in: databases[0])
            let kept = try reader.indexes(in: databases[1])
            #expect(gone.isEmpty && kept.map(\.definition) == [definition])
            let entries = try reader.entries(
                of: kept[0], in: KeyRange(), after: nil, isDescending: false, limit: 10_000)
            #expect(entries.count == Self.count)
        }
        #expect(try bench.store.counts(in: .database(databases[1])).living == Self.count)
        try checkErased(databases[0], from: bench)
    }

    /// That no row of it is left.
    private func checkErased(_ database: DatabaseNumber, from bench: Bench) throws {
        guard bench.kind != .memory else { return }
        let copy = bench.directory + "/copy"
        try bench.store.backup(to: copy)
        try DatabaseQueue(path: copy).read { file in
            for table in ["documents", "local_documents", "document_indexes", "document_counts", "document_blocks"] {
                let sql = "SELECT count(*) FROM \(table) WHERE database = ?"
                let count = try Int.fetchOne(file, sql: sql, arguments: [database.rawValue])
                #expect(count == 0, "\(table)")
            }
            let orphans = "SELECT count(*) FROM index_entries WHERE document NOT IN (SELECT number FROM documents)"
            let left = try Int.fetchOne(file, sql: "SELECT (\(orphans)) + (SELECT count(*) FROM removed_databases)")
            #expect(left == 0)
        }
    }
}
