import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// The locations of all users as one database.
@Suite struct LocationUnionTests {
    private let ann = DatabaseNumber.locations(of: UserNumber(1))
    private let ben = DatabaseNumber.locations(of: UserNumber(2))

    @Test(arguments: StoreKind.allCases)
    func `the union has every user's locations and nothing else, in one order`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try store.edit(.test("b", "{\"u\":1}"), in: ann)
        try store.edit(.test("place"), in: DatabaseNumber(1))
        let gone = try #require(store.edit(.test("a"), in: ben)[0].revision)
        try store.edit(.test("c", "{\"u\":2}"), in: ben)
        #expect(try store.touched(in: .locations) == ["b", "a", "c"])
        try store.edit(.test("a", on: gone, isDeleted: true), in: ben)
        try bench.crash()
        #expect(try bench.store.touched(in: .locations) == ["b", "c", "a"])
        #expect(try bench.store.touched(in: .locations, isDescending: true) == ["a", "c", "b"])
        #expect(try bench.store.document("c", in: .locations)?.text == "{\"u\":2}")
        #expect(try bench.store.document("place", in: .locations) == nil)
        #expect(try bench.store.counts(in: .locations) == DocumentCounts(living: 2, deleted: 1, bytes: 16))
        let listed = try bench.store.lookAtDocuments { try $0.documents(in: .locations, DocumentRange(limit: 9)) }
        #expect(listed.map(\.id) == ["b", "c"])
        #expect(try bench.store.lookAtDocuments { try $0.count(idPrefix: "a", in: .locations) } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `one id of two users is two documents, the later one qualified by its owner`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try store.edit(.replicated("x", ["1-a"], "{\"u\":1}"), in: ann)
        try store.edit(.replicated("y", ["1-a"]), in: ann)
        try store.edit(.replicated("x", ["2-c", "1-b"], "{\"u\":2}"), in: ben)
        let bens = "user-0000000002:x"
        let (hers, his) = (
            try #require(try store.document("x", in: .locations)),
            try #require(try store.document(bens, in: .locations))
        )
        #expect((hers.winner, hers.text, hers.database, hers.sequence.rawValue) == ("1-a", "{\"u\":1}", ann, 1))
        #expect((his.winner, his.text, his.database, his.sequence.rawValue) == ("2-c", "{\"u\":2}", ben, 3))
        #expect(hers.tree.conflicts.isEmpty && his.tree.conflicts.isEmpty)
        #expect(try store.touched(in: .locations) == ["x", "y", bens])
        #expect(try store.counts(in: .locations) == DocumentCounts(living: 3, bytes: 16))
        for (id, revision, text) in [("x", "1-a", "{\"u\":1}"), (bens, "2-c", "{\"u\":2}")] {
            let revision = try #require(Revision(revision))
            #expect(try store.lookAtDocuments { try $0.body(of: revision, of: id, in: .locations) } == .test(text))
        }
        let revisions = ["1-a", "2-c", "3-d"].compactMap { Revision($0) }
        let missing = try store.lookAtDocuments { reader in
            try reader.missing(
                ["x", bens].map { WantedRevisions(id: $0, revisions: revisions) }, in: .locations)
        }
        #expect(missing.map { $0.missing.map(\.text) } == [["2-c", "3-d"], ["1-a", "3-d"]])
        #expect(missing.map { $0.possibleAncestors.map(\.text) } == [["1-a"], ["2-c"]])
        // Nobody reads a document under a number that is not its owner's, nor one under two ids.
        for id in ["user-0000000001:x", "user-0000000001:y", "user-0000000003:x", "user-0000000002:y"] {
            #expect(try store.document(id, in: .locations) == nil, "\(id)")
        }
        // When he goes, hers is where it was.
        try store.write(at: .test(1)) { try $0.documents.remove(ben) }
        #expect(try store.document("x", in: .locations) == hers)
        #expect(try store.touched(in: .locations) == ["x", "y"])
    }

    @Test(arguments: StoreKind.allCases)
    func `an id belongs to its owner after a purge, until the log is forgotten`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.edit(.test("x"), .test("y"), in: ann)
        try bench.store.edit(.test("x"), in: ben)
        try bench.store.write(at: .test(1)) { transaction in
            for id in ["x", "y"] { try transaction.documents.remove(document: id, from: ann) }
        }
        try bench.crash()
        try bench.store.edit(.test("y"), in: ben)
        try bench.store.edit(.test("y", "{\"v\":2}"), in: ann)
        #expect(try bench.store.touched(in: .locations) == ["user-0000000002:x", "user-0000000002:y", "y"])
        #expect(try bench.store.document("y", in: .locations)?.database == ann)
        while try bench.store.forget(before: .test(50), limit: 2) > 0 {}
        #expect(try bench.store.touched(in: .locations) == [])
        try bench.store.edit(.test("x"), .test("y"), in: ben)
        #expect(try bench.store.touched(in: .locations) == ["x", "y"])
        #expect(try bench.store.check() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `an id that looks qualified is qualified itself, and hides no other`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let forged = "user-0000000002:x"
        try bench.store.edit(.test(forged, "{\"forged\":true}"), in: ann)
        try bench.store.edit(.test("x", "{\"u\":1}"), in: ann)
        try bench.store.edit(.test("x", "{\"u\":2}"), in: ben)
        try bench.store.edit(.test(forged, "{\"forged\":false}"), in: ben)
        #expect(
            try bench.store.touched(in: .locations)
                == ["user-0000000001:" + forged, "x", forged, "user-0000000002:" + forged])
        #expect(try bench.store.document(forged, in: .locations)?.text == "{\"u\":2}")
        #expect(try bench.store.document("user-0000000001:" + forged, in: .locations)?.text == "{\"forged\":true}")
        #expect(try bench.store.document("user-0000000001:x", in: .locations) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `ids that name a device go to its owner from the user who wrote them first`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        func give(_ ids: (String, String), to owner: DatabaseNumber, from other: DatabaseNumber) throws {
            try bench.store.write(at: .test(0)) { transaction in
                try transaction.documents.setQualified(true, idsFrom: ids.0, below: ids.1, in: other)
                try transaction.documents.setQualified(false, idsFrom: ids.0, below: ids.1, in: owner)
            }
        }
        try bench.store.edit(.test("p-1"), .test("p-2"), .test("q"), in: ann)
        try bench.store.edit(.test("p-1"), .test("q"), in: ben)
        try give(("p-", "p."), to: ben, from: ann)
        try bench.crash()
        let names = ["user-0000000001:p-1", "user-0000000001:p-2", "q", "p-1", "user-0000000002:q"]
        #expect(try bench.store.touched(in: .locations) == names)
        #expect(try bench.store.document("p-1", in: .locations)?.database == ben)
        // What another's document has is not given twice.
        try give(("q", "r"), to: ben, from: ben)
        #expect(try bench.store.touched(in: .locations) == names)
        #expect(try bench.store.lookAtDocuments { try $0.count(idPrefix: "p-", in: .locations) } == 1)
        #expect(try bench.store.check() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed user takes the locations along`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let user = User(number: UserNumber(1), name: "ann", role: .member, team: nil)
        try bench.store.write(at: .test(0)) { try $0.put(user) }
        try bench.store.edit(.test("a"), in: ann)
        try bench.store.edit(.test("b"), in: ben)
        try bench.store.write(at: .test(1)) { try $0.remove(UserNumber(1)) }
        try bench.crash()
        #expect(try bench.store.touched(in: .locations) == ["b"])
        #expect(try bench.store.touched(in: .database(ann)) == [])
        #expect(try bench.store.log().compactMap { $0.change.documentID } == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func `location documents go with the log that retention forgets`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        for id in ["a", "b", "c"] { try store.edit(.test(id), in: ann) }
        try store.edit(.test("place"), in: DatabaseNumber(1))
        try store.write(at: .test(100)) { _ = try $0.edit(.test("d"), in: ann) }
        while try store.forget(before: .test(50), limit: 2) > 0 {}
        #expect(try store.touched(in: .locations) == ["d"])
        #expect(try store.counts(in: .locations).living == 1)
        #expect(try store.document("place", in: .database(DatabaseNumber(1))) != nil)
        let pending = try store.lookAtDocuments { try $0.pendingChanges(in: .locations, since: .zero) }
        #expect(pending == 1)
    }

    /// Whatever happens, the union is every user's documents, each by itself under an id that it keeps, and every count
    /// is what one gets by counting.
    @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt64])
    func `the union is everyone's documents, each under an id that it keeps`(kind: StoreKind, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(kind)
        let databases = (1...3).map { DatabaseNumber.locations(of: UserNumber($0)) } + [DatabaseNumber(1)]
        let ids = ["1", "2", "user-0000000002", "user-0000000002:1", "user-0000000002;1", "user-1", "z"]
        // Whose an id is in the union: of whoever had it first, for ever.
        var owners: [String: DatabaseNumber] = [:]
        for step in 0..<400 {
            let database = databases.randomElement(using: &generator) ?? databases[0]
            let id = ids.randomElement(using: &generator) ?? "1"
            if Int.random(in: 0..<12, using: &generator) == 0 {
                try bench.store.write(at: .test(0)) { try $0.documents.remove(document: id, from: database) }
            } else {
                let generation = Int.random(in: 1...3, using: &generator)
                let path = (1...generation).reversed().map { "\($0)-\($0)\(Int.random(in: 0..<3, using: &generator))" }
                let isDeleted = Int.random(in: 0..<4, using: &generator) == 0
                try bench.store.edit(
                    .replicated(id, path, "{\"s\":\(step)}", isDeleted: isDeleted), in: database)
                if database.user != nil, owners[id] == nil, QualifiedID(id) == nil { owners[id] = database }
            }
        }
        for scope in databases.map({ DatabaseScope.database($0) }) + [.locations] {
            try checkCounts(of: bench.store, in: scope)
        }
        try bench.store.lookAtDocuments { reader in
            var expected: [StoredDocument] = []
            for database in databases.dropLast() {
                for var document in try ids.compactMap({ try reader.document($0, in: .database(database)) }) {
                    if owners[document.id] != database { document.id = QualifiedID(document.id, in: database).text }
                    let found = try reader.document(document.id, in: .locations)
                    #expect(found == document, "seed \(seed)")
                    expected.append(document)
                }
            }
            let all = try reader.changes(
                in: .locations, since: .zero, isDescending: false, withBodies: true, limit: 1_000)
            #expect(all == expected.sorted { $0.sequence < $1.sequence }, "seed \(seed)")
            let living = expected.filter { $0.tree.winner?.isDeleted == false }.map(\.id).sorted()
            for _ in 0..<200 {
                var range = DocumentRange(limit: Int.random(in: 1...9, using: &generator))
                range.isDescending = Bool.random(using: &generator)
                let edges = living + ids + ["user-", "user-00000000020", "user-0000000003", ""]
                if Bool.random(using: &generator) { range.lower = edges.randomElement(using: &generator) }
                if Bool.random(using: &generator) { range.upper = edges.randomElement(using: &generator) }
                range.includesLower = Bool.random(using: &generator)
                range.includesUpper = Bool.random(using: &generator)
                let listed = try reader.documents(in: .locations, range).map(\.id)
                let wanted = living.filter { id in
                    let isAbove = range.lower.map { id > $0 || (id == $0 && range.includesLower) } ?? true
                    return isAbove && range.upper.map { id < $0 || (id == $0 && range.includesUpper) } ?? true
                }
                let ordered = range.isDescending ? wanted.reversed() : wanted
                #expect(listed == Array(ordered.prefix(range.limit)), "seed \(seed): \(range)")
            }
        }
        #expect(try bench.store.check() == [])
    }

    private func checkCounts(of store: any Store, in scope: DatabaseScope) throws {
        try store.lookAtDocuments { reader in
            let all = try reader.changes(in: scope, since: .zero, isDescending: false, withBodies: true, limit: 1_000)
            let living = all.filter { $0.tree.winner?.isDeleted == false }
            let counted = DocumentCounts(
                living: living.count, deleted: all.count - living.count,
                bytes: all.reduce(0) { $0 + Int64($1.body?.json.count ?? 0) })
            var counts = try reader.counts(in: scope)
            // `UsageTests` holds what older revisions keep against the stored bodies.
            counts.keptBytes = 0
            #expect(counts == counted)
            for since in stride(from: Int64(0), through: reader.lastSequence.rawValue, by: 7) {
                let pending = try reader.pendingChanges(in: scope, since: LogSequence(since))
                #expect(pending == all.count { $0.sequence.rawValue > since })
            }
            let descending = try reader.changes(
                in: scope, since: reader.lastSequence, isDescending: true, withBodies: true, limit: 1_000)
            #expect(descending == all.reversed())
            let listed = try reader.documents(in: scope, DocumentRange(withBodies: true, limit: 1_000))
            #expect(listed == living.sorted { $0.id < $1.id })
        }
    }
}

extension Change {
    /// The id of the document that this tells of.
    fileprivate var documentID: String? { if case .document(let touch) = self { touch.id } else { nil } }
}
