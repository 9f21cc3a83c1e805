import Crypto
import Foundation
import GRDB
import MusterCore
import MusterKit
import MusterReplication
import Testing

@Suite struct LocalStoreTests {
    struct Note: Codable, Hashable, Sendable {
        var text: String
        var created_at: Int64 = 0
    }

    @Test func `a saved document is there after the file is opened again`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try LocalStore(path: path)
        let saved = try await store.save(Note(text: "one"), id: "a")
        try store.close()
        let again = try LocalStore(path: path)
        let note = try #require(try await again.document("a", as: Note.self))
        #expect(note.value == Note(text: "one"))
        #expect(note.revision == saved.revision)
        #expect(!note.hasConflicts)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try again.close()
    }

    @Test(arguments: [true, false])
    func `reading or writing a closed store is an error`(isInMemory: Bool) async throws {
        let path = isInMemory ? nil : temporaryPath()
        defer { if let path { try? FileManager.default.removeItem(atPath: path) } }
        let store = try LocalStore(path: path)
        try await store.save(Note(text: "one"), id: "a")
        try store.close()
        await #expect(throws: LocalStoreError.self) { try await store.document("a", as: Note.self) }
        await #expect(throws: LocalStoreError.self) { try await store.count() }
        await #expect(throws: LocalStoreError.self) { try await store.save(Note(text: "two"), id: "b") }
    }

    @Test func `a file of version 1 is opened with nothing lost, and takes more`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try LocalStore(path: path)
        let saved = try await store.save(Note(text: "one"), id: "a")
        try store.close()
        let file = try DatabaseQueue(path: path)
        // What version 1 had in the place of what came since.
        try await file.write { database in
            try database.execute(
                sql: """
                    DROP TABLE removed_databases;
                    DROP INDEX locations_by_id;
                    DROP INDEX locations_by_sequence;
                    DROP INDEX qualified_locations;
                    DROP TABLE union_ids;
                    ALTER TABLE documents DROP COLUMN is_qualified;
                    ALTER TABLE document_counts DROP COLUMN kept_bytes;
                    ALTER TABLE databases DROP COLUMN is_partitioned;
                    ALTER TABLE document_indexes DROP COLUMN is_partitioned;
                    DROP TABLE datasets;
                    DROP TABLE dataset_records;
                    DROP TABLE sightings;
                    CREATE INDEX locations_by_id ON documents (id, sequence) WHERE database < 0;
                    CREATE INDEX locations_by_sequence ON documents (sequence) WHERE database < 0;
                    DROP TABLE local_documents;
                    CREATE TABLE local_documents (
                        database INTEGER NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, json BLOB NOT NULL,
                        PRIMARY KEY (database, id)) WITHOUT ROWID;
                    INSERT INTO local_documents (database, id, revision, json) VALUES (1, 'kept', 3, '{"a":1}');
                    PRAGMA user_version = 1;
                    """)
        }
        try file.close()
        let again = try LocalStore(path: path)
        let note = try #require(try await again.document("a", as: Note.self))
        #expect(note.value == Note(text: "one") && note.revision == saved.revision)
        try await again.save(Note(text: "two"), id: "a", on: saved.revision)
        #expect(try await again.document("a", as: Note.self)?.value.text == "two")
        try again.close()
        let locals = try DatabaseQueue(path: path)
        let kept = try await locals.read { database in
            try String.fetchOne(database, sql: "SELECT json FROM local_documents WHERE id = 'kept' AND revision = 3")
        }
        #expect(kept == "{\"a\":1}")
        try locals.close()
    }

    @Test(arguments: [false, true])
    func `a document with conflicts is sorted by its winner's time`(isSealed: Bool) async throws {
        let store = try LocalStore(path: nil, key: isSealed ? SymmetricKey(size: .bits256) : nil)
        func revision(_ hash: String, _ createdAt: Int64, isDeleted: Bool = false, on base: [String] = [])
            -> ReplicatedRevision
        {
            ReplicatedRevision(
                id: "a", path: ([hash] + base).compactMap { Revision($0) }, isDeleted: isDeleted,
                json: Array("{\"created_at\":\(createdAt),\"text\":\"\(hash)\"}".utf8))
        }
        func newest() async throws -> [Note] { try await store.documents(.newest(9), as: Note.self).map(\.value) }
        _ = try await store.write([revision("1-a", 10), revision("1-c", 30), revision("1-b", 20)]) { _ in
            preconditionFailure("there are no files")
        }
        #expect(try await newest() == [Note(text: "1-c", created_at: 30)])
        let losers = ["1-a", "1-b"].compactMap { Revision($0) }
        let leaves = try await store.read([DocumentRevisions(id: "a", revisions: losers)])
        #expect(leaves.map(\.revision.text) == ["1-a", "1-b"])
        _ = try await store.write([revision("2-c", 30, isDeleted: true, on: ["1-c"]), revision("1-0", 5)]) { _ in
            preconditionFailure("there are no files")
        }
        #expect(try await newest() == [Note(text: "1-b", created_at: 20)])
    }

    @Test func `an edit on an outdated revision is a conflict`() async throws {
        let store = try LocalStore(path: nil)
        let first = try await store.save(Note(text: "one"), id: "a")
        let second = try await store.save(Note(text: "two"), id: "a", on: first.revision)
        await #expect(throws: LocalStoreError.conflict(id: "a")) {
            try await store.save(Note(text: "three"), id: "a", on: first.revision)
        }
        await #expect(throws: LocalStoreError.conflict(id: "a")) {
            try await store.save(Note(text: "three"), id: "a")
        }
        try await store.remove("a", on: second.revision)
        #expect(try await store.document("a", as: Note.self) == nil)
        let anew = try await store.save(Note(text: "four"), id: "a")
        #expect(anew.revision.generation == 4)
    }

    @Test func `two devices that make the same edit make the same revision, sealed or not`() async throws {
        let plain = try LocalStore(path: nil)
        let sealed = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
        let left = try await plain.save(Note(text: "same"), id: "a")
        let right = try await sealed.save(Note(text: "same"), id: "a")
        #expect(left.revision == right.revision)
    }

    @Test func `documents are queried by their time of creation`() async throws {
        let store = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
        for index in 0..<50 {
            try await store.save(Note(text: "\(index)", created_at: Int64(index * 10)), id: "n\(index)")
        }
        let newest = try await store.documents(.newest(3), as: Note.self)
        #expect(newest.map(\.value.text) == ["49", "48", "47"])
        var query = LocalStore.Query()
        query.newestFirst = false
        query.after = Instant(milliseconds: 100)
        query.limit = 2
        #expect(try await store.documents(query, as: Note.self).map(\.value.text) == ["11", "12"])
        let last = try #require(newest.first)
        try await store.remove(last.id, on: last.revision)
        #expect(try await store.documents(.newest(1), as: Note.self).map(\.value.text) == ["48"])
    }

    @Test func `a sealed file holds no plain text of documents`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let key = SymmetricKey(size: .bits256)
        let store = try LocalStore(path: path, key: key)
        try await store.save(Note(text: "a secret hiding place"), id: "a")
        try store.close()
        for file in [path, path + "-wal"] {
            guard let bytes = FileManager.default.contents(atPath: file) else { continue }
            #expect(bytes.range(of: Data("hiding".utf8)) == nil)
        }
        #expect(throws: LocalStoreError.wrongKey) { try LocalStore(path: path) }
        #expect(throws: LocalStoreError.wrongKey) { try LocalStore(path: path, key: SymmetricKey(size: .bits256)) }
        let again = try LocalStore(path: path, key: key)
        #expect(try await again.document("a", as: Note.self)?.value.text == "a secret hiding place")
        try again.close()
    }

    @Test func `an observation delivers its value now and after each change`() async throws {
        let store = try LocalStore(path: nil)
        var told = store.observe(.newest(10), as: Note.self).makeAsyncIterator()
        #expect(try await told.next()?.count == 0)
        try await store.save(Note(text: "one"), id: "a")
        var count = 0
        while count == 0 { count = try await told.next()?.count ?? -1 }
        #expect(count == 1)
    }

    @Test func `only objects with plain names and legal ids become documents`() async throws {
        let store = try LocalStore(path: nil)
        await #expect(throws: LocalStoreError.noObject) { try await store.save([1, 2], id: "a") }
        await #expect(throws: LocalStoreError.noObject) { try await store.save(["_id": "x"], id: "a") }
        await #expect(throws: LocalStoreError.illegalID("_x")) { try await store.save(["a": 1], id: "_x") }
    }

    @Test func `two stores that were edited apart agree, conflicts and deletions included`() async throws {
        for seed in UInt64(1)...6 {
            var dice = Dice(seed: seed)
            let left = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
            let right = try LocalStore(path: nil)
            for _ in 0..<3 {
                for _ in 0..<25 {
                    try await edit(Bool.random(using: &dice) ? left : right, &dice)
                }
                try await Replication(from: left, to: right).run()
                try await Replication(from: right, to: left).run()
            }
            for index in 0..<8 {
                let one = try await left.document("n\(index)", as: Note.self)
                let other = try await right.document("n\(index)", as: Note.self)
                #expect(one?.revision == other?.revision, "seed \(seed)")
                #expect(one?.value == other?.value, "seed \(seed)")
                #expect(one?.hasConflicts == other?.hasConflicts, "seed \(seed)")
            }
        }
    }

    private func edit(_ store: LocalStore, _ dice: inout Dice) async throws {
        let id = "n\(Int.random(in: 0..<8, using: &dice))"
        let before = try await store.document(id, as: Note.self)
        let note = Note(text: "\(UInt32.random(in: 0...UInt32.max, using: &dice))")
        if let before, Int.random(in: 0..<4, using: &dice) == 0 {
            try await store.remove(id, on: before.revision)
        } else {
            try await store.save(note, id: id, on: before?.revision)
        }
    }
}
