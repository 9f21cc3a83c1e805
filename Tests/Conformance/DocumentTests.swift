import Foundation
import MusterCore
import MusterDocuments
import MusterStore
import Synchronization
import Testing

/// Documents of one database.
@Suite struct DocumentTests {
    private let places = DatabaseNumber(1)
    private let scope = DatabaseScope.database(DatabaseNumber(1))

    @Test(arguments: StoreKind.allCases)
    func `a document is made, edited, deleted and made again, and outlives a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let first = try #require(bench.store.edit(.test("a", "{\"v\":1}"), in: places)[0].revision)
        #expect(first.text == "1-7a7e4b29f3af401e69b6f86e4c26b727")
        #expect(try bench.store.edit(.test("a", "{}"), in: places) == [.conflict])
        let second = try #require(bench.store.edit(.test("a", "{\"v\":2}", on: first), in: places)[0].revision)
        #expect(try bench.store.edit(.test("a", "{\"v\":3}", on: first), in: places) == [.conflict])
        try bench.crash()
        #expect(try bench.store.document("a", in: scope)?.text == "{\"v\":2}")
        #expect(try bench.store.counts(in: scope) == DocumentCounts(living: 1, bytes: 7, keptBytes: 7))
        try bench.store.edit(.test("a", on: second, isDeleted: true), in: places)
        #expect(try bench.store.counts(in: scope) == DocumentCounts(deleted: 1, bytes: 2, keptBytes: 14))
        #expect(try bench.store.document("a", in: scope)?.tree.winner?.isDeleted == true)
        let again = try bench.store.edit(.test("a", "{\"v\":4}"), in: places)[0]
        #expect(again.revision?.generation == 4)
        try bench.crash()
        let document = try #require(try bench.store.document("a", in: scope))
        #expect(document.text == "{\"v\":4}")
        #expect(document.sequence == bench.store.lastSequence)
        #expect(document.tree.nodes.count == 4)
        #expect(try bench.store.lookAtDocuments { try $0.body(of: first, of: "a", in: scope) } == .test("{\"v\":1}"))
        #expect(try bench.store.document("b", in: scope) == nil)
        #expect(try bench.store.log().count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a conflict keeps both bodies, and the loser's when the winner is deleted`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try store.edit(
            .replicated("a", ["2-b", "1-a"], "{\"v\":\"b\"}"), .replicated("a", ["2-a", "1-a"], "{\"v\":\"a\"}"),
            .replicated("a", ["2-c", "1-a"], "{\"v\":\"c\"}"), in: places)
        let document = try #require(try store.document("a", in: scope))
        #expect(document.winner == "2-c")
        #expect(document.text == "{\"v\":\"c\"}")
        #expect(document.tree.conflicts.map(\.text) == ["2-b", "2-a"])
        let known = try #require(Revision("2-a"))
        #expect(try store.edit(.replicated("a", ["2-a", "1-a"], "{}"), in: places) == [.known(known)])
        try store.edit(.test("a", on: Revision("2-c"), isDeleted: true), in: places)
        try bench.crash()
        #expect(try bench.store.document("a", in: scope)?.text == "{\"v\":\"b\"}")
        for (revision, text) in [("2-a", "a"), ("2-b", "b"), ("2-c", "c")] {
            let revision = try #require(Revision(revision))
            let body = try bench.store.lookAtDocuments { try $0.body(of: revision, of: "a", in: scope) }
            #expect(body == .test("{\"v\":\"\(text)\"}"))
        }
        // What was edited goes with a compaction, leaves stay.
        _ = try bench.store.write(at: .test(1)) { try $0.documents.compact(places, limit: 10) }
        #expect(
            try bench.store.lookAtDocuments { reader in
                try ["2-a", "2-b", "2-c"].map { text in
                    try Revision(text).map { try reader.body(of: $0, of: "a", in: scope) != nil } ?? false
                }
            } == [true, true, false])
    }

    @Test(arguments: StoreKind.allCases)
    func `changes list each document once at its last sequence, both ways and in pages`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        var revisions: [String: Revision] = [:]
        for id in ["c", "a", "b", "ä"] { revisions[id] = try store.edit(.test(id), in: places)[0].revision }
        try store.edit(.test("x"), in: DatabaseNumber(2))
        try store.edit(.test("c", on: revisions["c"], isDeleted: true), in: places)
        #expect(try store.touched(in: scope) == ["a", "b", "ä", "c"])
        #expect(try store.touched(in: scope, isDescending: true) == ["c", "ä", "b", "a"])
        #expect(try store.touched(in: scope, since: 3) == ["ä", "c"])
        try store.lookAtDocuments { reader in
            let page = try reader.changes(
                in: scope, since: LogSequence(2), isDescending: false, withBodies: true, limit: 1)
            #expect(page.map(\.id) == ["b"])
            #expect(page[0].text == "{}")
            #expect(try reader.pendingChanges(in: scope, since: LogSequence(3)) == 2)
            #expect(try reader.pendingChanges(in: scope, since: reader.lastSequence) == 0)
            #expect(reader.lastSequence.rawValue == 6)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `living documents are listed in the byte order of their ids`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        // The last two are one text in Unicode's eyes, and two ids.
        for id in ["b", "B", "a", "z", "\u{E9}", "e\u{301}"] { try bench.store.edit(.test(id), in: places) }
        let gone = try #require(bench.store.edit(.test("aa"), in: places)[0].revision)
        try bench.store.edit(.test("aa", on: gone, isDeleted: true), in: places)
        func ids(_ range: DocumentRange) throws -> [[UInt8]] {
            try bench.store.lookAtDocuments { try $0.documents(in: scope, range) }.map { Array($0.id.utf8) }
        }
        let all = ["B", "a", "b", "e\u{301}", "z", "\u{E9}"].map { Array($0.utf8) }
        #expect(try ids(DocumentRange(limit: 10)) == all)
        #expect(try ids(DocumentRange(isDescending: true, limit: 10)) == all.reversed())
        #expect(try ids(DocumentRange(lower: "a", upper: "e\u{301}", limit: 10)) == Array(all[1...3]))
        #expect(
            try ids(
                DocumentRange(lower: "a", includesLower: false, upper: "z", includesUpper: false, limit: 10))
                == Array(all[2...3]))
        #expect(try ids(DocumentRange(lower: "b", limit: 2)) == Array(all[2...3]))
        #expect(try ids(DocumentRange(limit: 0)) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a transaction that throws leaves no trace, not of its documents either`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        struct Fault: Error {}
        #expect(throws: Fault.self) {
            try bench.store.write(at: .test(0)) { transaction in
                try transaction.edit(.test("a"), in: places)
                try transaction.documents.put(LocalDocument(id: "x", revision: 1, json: []), in: places)
                #expect(try transaction.documents.document("a", in: scope) != nil)
                #expect(try transaction.documents.counts(in: scope).living == 1)
                throw Fault()
            }
        }
        #expect(try bench.store.document("a", in: scope) == nil)
        #expect(try bench.store.counts(in: scope) == DocumentCounts())
        #expect(try bench.store.lookAtDocuments { try $0.local("x", in: places) } == nil)
        #expect(bench.store.lastSequence == .zero)
    }

    @Test(arguments: StoreKind.allCases)
    func `databases and documents that are never replicated come and go`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var database = StoredDatabase(number: DatabaseNumber(0), name: "lt_places", createdAt: .test(1))
        database.number = try bench.store.write(at: .test(1)) { transaction in
            let number = try transaction.documents.nextDatabaseNumber()
            database.number = number
            try transaction.documents.put(database)
            return number
        }
        database.revisionLimit = 7
        database.security = "{\"admins\":{}}"
        database.purges = 2
        let number = database.number
        try bench.store.write(at: .test(2)) { [database] transaction in
            try transaction.documents.put(database)
            try transaction.edit(.test("a"), in: number)
            for id in ["b", "a", "c"] {
                try transaction.documents.put(LocalDocument(id: id, revision: 1, json: [0x7B, 0x7D]), in: number)
            }
            try transaction.documents.put(LocalDocument(id: "a", revision: 2, json: [0x7B, 0x7D]), in: number)
            try transaction.documents.removeLocal("c", from: number)
        }
        try bench.crash()
        #expect(try bench.store.directory().databases == [database])
        #expect(try bench.store.lookAtDocuments { try $0.local("a", in: number) }?.revision == 2)
        func locals(_ range: DocumentRange) throws -> [String] {
            try bench.store.lookAtDocuments { try $0.locals(in: number, range).map(\.id) }
        }
        #expect(try locals(DocumentRange(limit: 9)) == ["a", "b"])
        #expect(try locals(DocumentRange(isDescending: true, limit: 9)) == ["b", "a"])
        #expect(try locals(DocumentRange(lower: "a", includesLower: false, limit: 9)) == ["b"])
        #expect(try locals(DocumentRange(lower: "a", upper: "b", includesUpper: false, limit: 9)) == ["a"])
        #expect(try locals(DocumentRange(upper: "b", limit: 1)) == ["a"])
        try bench.store.write(at: .test(3)) { transaction in
            try transaction.documents.remove(number)
            #expect(try transaction.documents.nextDatabaseNumber() > number)
        }
        try bench.crash()
        #expect(try bench.store.directory().databases == [])
        #expect(try bench.store.document("a", in: .database(number)) == nil)
        #expect(try bench.store.counts(in: .database(number)) == DocumentCounts())
        #expect(try bench.store.lookAtDocuments { try $0.locals(in: number, DocumentRange(limit: 9)) } == [])
        #expect(try bench.store.check() == [])
    }

    /// Otherwise a client that has read a new document does not find it among the changes up to the end of the log, and
    /// gets it again with the changes after that.
    @Test(arguments: StoreKind.allCases)
    func `a read during commits sees no document that is newer than the end of the log`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        let written = Mutex(0)
        // A thread of its own: the readers of all stores occupy every thread that Swift has.
        Thread.detachNewThread { [places] in
            for number in 1...400 {
                _ = try? store.edit(.test("d\(number)"), in: places)
                written.withLock { $0 = number }
            }
        }
        var newest = LogSequence.zero
        while written.withLock({ $0 < 400 }) {
            let (last, touched) = try store.lookAtDocuments { reader in
                let last = reader.lastSequence
                let newer = try reader.changes(
                    in: scope, since: newest, isDescending: false, withBodies: false, limit: 1_000)
                return (last, newer.map(\.sequence))
            }
            #expect(touched.allSatisfy { $0 <= last })
            newest = touched.last ?? newest
        }
        #expect(try store.counts(in: scope).living == 400)
    }
}
