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
    func `one id of two users is one document with the revisions of both, once`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try store.edit(.replicated("x", ["1-a"], "{\"u\":1}"), in: ann)
        try store.edit(.replicated("y", ["1-a"]), in: ann)
        try store.edit(.replicated("x", ["2-c", "1-b"], "{\"u\":2}"), in: ben)
        let document = try #require(try store.document("x", in: .locations))
        #expect(document.winner == "2-c")
        #expect(document.tree.conflicts.map(\.text) == ["1-a"])
        #expect(document.text == "{\"u\":2}")
        #expect(document.sequence.rawValue == 3)
        #expect(try store.touched(in: .locations) == ["y", "x"])
        #expect(try store.counts(in: .locations) == DocumentCounts(living: 2, bytes: 9))
        for (revision, text) in [("1-a", "{\"u\":1}"), ("2-c", "{\"u\":2}")] {
            let revision = try #require(Revision(revision))
            #expect(try store.lookAtDocuments { try $0.body(of: revision, of: "x", in: .locations) } == .test(text))
        }
        let wanted = WantedRevisions(id: "x", revisions: ["1-a", "2-c", "3-d"].compactMap { Revision($0) })
        let missing = try store.lookAtDocuments { try $0.missing([wanted], in: .locations) }
        #expect(missing[0].missing.map(\.text) == ["3-d"])
        #expect(missing[0].possibleAncestors.map(\.text) == ["2-c", "1-a"])
        // When he goes, her word is what is left.
        try store.write(at: .test(1)) { try $0.documents.remove(ben) }
        #expect(try store.document("x", in: .locations)?.text == "{\"u\":1}")
        #expect(try store.counts(in: .locations) == DocumentCounts(living: 2, bytes: 9))
        #expect(try store.touched(in: .locations) == ["x", "y"])
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
    func `what the log forgets of locations goes with it`(kind: StoreKind) throws {
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

    /// Whatever happens, the union is what a replication of every user's database into one would make of them, and
    /// every count is what one gets by counting.
    @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt64])
    func `the union is what replication would make of it`(kind: StoreKind, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(kind)
        let databases = (1...3).map { DatabaseNumber.locations(of: UserNumber($0)) } + [DatabaseNumber(1)]
        for step in 0..<400 {
            let database = databases.randomElement(using: &generator) ?? databases[0]
            let id = "\(Int.random(in: 0..<6, using: &generator))"
            if Int.random(in: 0..<12, using: &generator) == 0 {
                try bench.store.write(at: .test(0)) { try $0.documents.remove(document: id, from: database) }
            } else {
                let generation = Int.random(in: 1...3, using: &generator)
                let path = (1...generation).reversed().map { "\($0)-\($0)\(Int.random(in: 0..<3, using: &generator))" }
                let isDeleted = Int.random(in: 0..<4, using: &generator) == 0
                try bench.store.edit(
                    .replicated(id, path, "{\"s\":\(step)}", isDeleted: isDeleted), in: database)
            }
        }
        for scope in databases.map({ DatabaseScope.database($0) }) + [.locations] {
            try checkCounts(of: bench.store, in: scope)
        }
        try bench.store.lookAtDocuments { reader in
            for id in 0..<6 {
                let parts = try databases.dropLast().compactMap { try reader.document("\(id)", in: .database($0)) }
                let whole = try reader.document("\(id)", in: .locations)
                #expect(whole?.sequence == parts.map(\.sequence).max())
                var tree = RevisionTree()
                for part in parts.shuffled(using: &generator) { tree.merge(part.tree) }
                #expect((whole?.tree ?? RevisionTree()).nodes.map(\.revision) == tree.nodes.map(\.revision))
                #expect((whole != nil) == (whole?.body != nil))
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
            let counts = try reader.counts(in: scope)
            #expect(counts == counted)
            for since in stride(from: Int64(0), through: reader.lastSequence.rawValue, by: 7) {
                let pending = try reader.pendingChanges(in: scope, since: Sequence(since))
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
