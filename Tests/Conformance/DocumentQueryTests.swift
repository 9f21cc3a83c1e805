import MusterCore
import MusterDocuments
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

/// Queries through indexes, held against looks at every document.
@Suite struct DocumentQueryTests {
    private let places = DatabaseNumber(1)
    private let scope = DatabaseScope.database(DatabaseNumber(1))

    private static let values = [
        "null", "true", "-3", "0", "1", "1.5", "2", "7", #""""#, #""a""#, #""b""#, #""ä""#, "[]", "[1]", "{}",
        #"{"x":1}"#,
    ]
    private static let indexes = [
        #"{"index":{"fields":["a"]},"ddoc":"one"}"#, #"{"index":{"fields":["a","b"]},"ddoc":"two"}"#,
        #"{"index":{"fields":[{"b":"desc"},{"c.d":"desc"}]},"ddoc":"three"}"#,
        #"{"index":{"fields":["c"],"partial_filter_selector":{"a":{"$gt":0}}},"ddoc":"part"}"#,
    ]

    @Test(arguments: StoreKind.allCases)
    func `an index finds what a full scan finds`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var random = SeededGenerator(seed: 7)
        // Half of the indexes are there before the documents, and half are made over them.
        try declare(Self.indexes[0], Self.indexes[2], in: bench.store)
        var revisions: [String: Revision] = [:]
        for round in 0..<300 {
            let id = "d\(Int.random(in: 0..<120, using: &random))"
            let isDeleted = revisions[id] != nil && round.isMultiple(of: 7)
            let edit = DocumentEdit.test(id, Self.document(&random), on: revisions[id], isDeleted: isDeleted)
            revisions[id] = isDeleted ? nil : try bench.store.edit(edit, in: places)[0].revision
            if isDeleted { try bench.store.edit(edit, in: places) }
        }
        try declare(Self.indexes[1], Self.indexes[3], in: bench.store)
        try bench.crash()
        var plans: [QueryPlan] = []
        for _ in 0..<SoakSeeds.rounds(200, inSoak: 400) {
            let request = try FindRequest(JSONValue(parsing: Array(Self.query(&random).utf8)))
            plans.append(try check(request, in: bench.store))
        }
        #expect(plans.count { $0.index != nil } > 50, "queries that went through an index")
        let covered = plans.count { $0.isCovering }
        #expect(covered > SoakSeeds.rounds(8, inSoak: 20), "queries that an index answered without documents")
    }

    @Test(arguments: StoreKind.allCases)
    func `an index goes with its database, and the same is made once`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try declare(Self.indexes[0], Self.indexes[0], in: bench.store)
        try bench.store.edit(.test("a", #"{"a":1}"#), in: places)
        #expect(try indexes(bench.store).map(\.definition.design) == ["one"])
        try bench.store.write(at: .test(0)) { try $0.documents.remove(places) }
        #expect(try indexes(bench.store).isEmpty)
        try declare(Self.indexes[0], in: bench.store)
        let index = try #require(try indexes(bench.store).first)
        #expect(try entries(of: index, bench.store).isEmpty)
        try bench.store.write(at: .test(0)) { try $0.documents.removeIndex(index.number) }
        #expect(try indexes(bench.store).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a large index is gone at once, and erased whatever breaks in between`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let count = DocumentTables.erasedAtOnce * 3
        try declare(Self.indexes[0], Self.indexes[1], in: bench.store)
        try bench.store.write(at: .test(0)) { transaction in
            for number in 0..<count {
                try transaction.edit(.test("d\(number)", "{\"a\":\(number),\"b\":1}"), in: places)
            }
        }
        let removed = try indexes(bench.store)[0]
        try bench.store.write(at: .test(1)) { try $0.documents.removeIndex(removed.number) }
        // One of the same name is another index.
        try declare(Self.indexes[0], in: bench.store)
        var slices = 0
        repeat {
            try bench.crash()
            #expect(try indexes(bench.store).count == 2)
            let again = try #require(try indexes(bench.store).first)
            #expect(again.definition == removed.definition && again.number != removed.number)
            #expect(try entries(of: again, bench.store).count == count)
            slices += 1
        } while try bench.store.eraseDocuments(limit: 100)
        #expect(slices > 2, "it was erased in one piece")
        #expect(try entries(of: removed, bench.store).isEmpty)
        #expect(try bench.store.check() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `an index over many documents is filled piece by piece, and asked when it is whole`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for number in 0..<25 { try bench.store.edit(.test("d\(number)", "{\"a\":\(number)}"), in: places) }
        try bench.store.write(at: .test(0)) { transaction in
            _ = try transaction.documents.put(try definition(Self.indexes[0]), in: places)
        }
        #expect(try indexes(bench.store)[0].isReady == false)
        for isMore in [true, true, false] {
            #expect(try bench.store.write(at: .test(0)) { try $0.documents.fillIndexes(limit: 10) } == isMore)
            try bench.store.edit(.test("late\(isMore)", "{\"a\":-1}"), in: places)
            try bench.crash()
        }
        let index = try #require(try indexes(bench.store).first)
        #expect(index.isReady)
        #expect(try entries(of: index, bench.store).count == 27)
    }

    // MARK: Steps

    private func definition(_ text: String) throws -> IndexDefinition {
        try IndexDefinition(JSONValue(parsing: Array(text.utf8)))
    }

    private func declare(_ texts: String..., in store: any Store) throws {
        try store.write(at: .test(0)) { transaction in
            for text in texts { _ = try transaction.documents.put(try definition(text), in: places) }
            while try transaction.documents.fillIndexes(limit: 50) {}
        }
    }

    private func indexes(_ store: any Store) throws -> [StoredIndex] {
        try store.lookAtDocuments { try $0.indexes(in: places) }
    }

    private func entries(of index: StoredIndex, _ store: any Store) throws -> [IndexEntry] {
        try store.lookAtDocuments {
            try $0.entries(of: index, in: KeyRange(), after: nil, isDescending: false, limit: 10_000)
        }
    }

    private static func document(_ random: inout SeededGenerator) -> String {
        let members = ["a", "b", "c"].compactMap { key -> String? in
            let value = values.randomElement(using: &random) ?? "0"
            if Int.random(in: 0..<4, using: &random) == 0 { return nil }
            return key == "c" && Bool.random(using: &random) ? #""c":{"d":\#(value)}"# : #""\#(key)":\#(value)"#
        }
        return "{\(members.joined(separator: ","))}"
    }

    private static func condition(_ random: inout SeededGenerator) -> String {
        let operators = ["$eq", "$gt", "$gte", "$lt", "$lte", "$ne"]
        let field = ["a", "b", "c", "c.d", "_id"].randomElement(using: &random) ?? "a"
        let value = field == "_id" ? #""d5""# : values.randomElement(using: &random) ?? "0"
        let comparison = #"{"\#(operators.randomElement(using: &random) ?? "$eq")":\#(value)}"#
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return #"{"\#(field)":{"$exists":\#(Bool.random(using: &random))}}"#
        case 1: return #"{"\#(field)":{"$not":\#(comparison)}}"#
        case 2: return #"{"\#(field)":{"$in":[\#(value),1]}}"#
        case 3: return #"{"\#(field)":{"$nin":[\#(value),1]}}"#
        case 4: return #"{"$or":[{"\#(field)":\#(comparison)},{"a":1}]}"#
        case 5: return #"{"$not":{"$and":[{"\#(field)":\#(comparison)},{"b":{"$gt":0}}]}}"#
        case 6: return #"{"\#(field)":{"$elemMatch":\#(comparison)}}"#
        case 7: return #"{"\#(field)":{"$or":[]}}"#
        case 8: return #"{"\#(field)":{"$type":"date"}}"#
        default: return #"{"\#(field)":\#(comparison)}"#
        }
    }

    private static func query(_ random: inout SeededGenerator) -> String {
        let conditions = (0..<Int.random(in: 1...3, using: &random)).map { _ in condition(&random) }
        let sort = [
            "", "", #","sort":["a"]"#, #","sort":[{"b":"desc"},{"c.d":"desc"}]"#, #","sort":[{"_id":"desc"}]"#,
            #","sort":["a","b"],"use_index":"two""#, #","use_index":["part"]"#,
        ].randomElement(using: &random)
        let fields = ["", #","fields":["_id"]"#, #","fields":["_id","a"]"#, #","fields":["b","_id","a"]"#]
            .randomElement(using: &random)
        return #"{"selector":{"$and":[\#(conditions.joined(separator: ","))]},"limit":7\#(sort ?? "")\#(fields ?? "")}"#
    }

    private func value(_ stored: StoredDocument) -> JSONValue {
        JSONValue(documentWithID: stored.id, revision: stored.winner ?? "", body: stored.body ?? .empty)
    }

    /// Reads a query page by page, and holds all pages against a look at every document.
    private func check(_ request: FindRequest, in store: any Store) throws -> QueryPlan {
        try store.lookAtDocuments { reader in
            let plan = try QueryPlan(request, indexes: reader.indexes(in: places))
            var request = request
            var ids: [String] = []
            repeat {
                let answer = try QueryRun.run(request, by: plan, in: scope, reader)
                #expect(answer.documents.count <= request.limit)
                for found in answer.documents {
                    let id = try #require(found.fields?["_id"]?.string ?? found.stored?.id)
                    ids.append(id)
                    guard let fields = found.fields else { continue }
                    let whole = value(try #require(try reader.document(id, in: scope)))
                    #expect(fields == request.projection.of(whole), "\(request.selectorValue)")
                }
                request.bookmark = answer.bookmark?.text
            } while request.bookmark != nil
            let all = try reader.documents(in: scope, DocumentRange(withBodies: true, limit: 1_000)).map(value)
            // A partial index is used where it is named, and then has only its own.
            let partial = try plan.index?.definition.partialSelector.map { try Selector(parsing: $0) }
            let sort = request.sort?.fields ?? []
            let wanted = all.filter { document in
                request.selector.matches(document) && partial?.matches(document) ?? true
                    && sort.allSatisfy { $0.value(in: document) != nil }
            }
            #expect(
                ids.sorted() == wanted.map { $0["_id"]?.string ?? "" }.sorted(), "\(request.selectorValue)")
            let keys = try ids.map { id in
                let document = value(try #require(try reader.document(id, in: scope)))
                return CollationKey(sort.compactMap { $0.value(in: document) })
            }
            let ascending = request.sort?.isDescending == true ? keys.reversed() : keys
            #expect(zip(ascending, ascending.dropFirst()).allSatisfy { !($1 < $0) }, "\(request.selectorValue)")
            return plan
        }
    }
}
