import GRDB
import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// Many edits of one document in one transaction.
@Suite struct DocumentBatchTests {
    private let places = DatabaseNumber(1)
    private let scope = DatabaseScope.database(DatabaseNumber(1))

    /// Edits of three documents, mixed: made here and elsewhere, deletions, repetitions, conflicts, a missing file.
    private func edits(_ random: inout some RandomNumberGenerator) -> [DocumentEdit] {
        var made: [String: [String]] = [:]
        return (0..<60).map { number in
            let id = ["a", "b", "e\u{301}", "\u{e9}"].randomElement(using: &random) ?? "a"
            let known = made[id, default: []]
            let isDeleted = Int.random(in: 0..<4, using: &random) == 0
            let files = Int.random(in: 0..<12, using: &random) == 0 ? [Attachment.test("missing")] : []
            let text = "{\"v\":\(number)}"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let parent = known.randomElement(using: &random).flatMap { Revision($0) }
                return .test(id, text, files, on: parent, isDeleted: isDeleted)
            default:
                var name = ""
                var path: [String] = []
                for generation in 1...Int.random(in: 1...5, using: &random) {
                    name += ["a", "b"].randomElement(using: &random) ?? "a"
                    path.insert("\(generation)-\(name)", at: 0)
                }
                made[id, default: []].append(path[0])
                return .replicated(id, path, text, isDeleted: isDeleted, files)
            }
        }
    }

    /// Everything that can be read of a store's documents.
    private func contents(_ store: any Store) throws -> [String] {
        try store.lookAtDocuments { reader in
            let counts = try reader.counts(in: scope)
            let pending = try reader.pendingChanges(in: scope, since: .zero)
            var lines = ["\(counts) \(pending) \(reader.lastSequence)"]
            for document in try reader.changes(
                in: scope, since: .zero, isDescending: false, withBodies: true, limit: 1_000)
            {
                lines.append("\(document)")
                for node in document.tree.nodes {
                    lines.append("\(try reader.body(of: node.revision, of: document.id, in: scope)?.json ?? [])")
                }
            }
            return lines
        }
    }

    @Test(arguments: 0..<20)
    func `edits at once do what they do one by one, with the same outcomes and the same changes`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (one, other) = (try Bench(.sqlite), try Bench(.memory))
        for _ in 0..<4 {
            let edits = edits(&random)
            let expected = try one.store.write(at: .test(0)) { transaction in
                try edits.map { try transaction.edit($0, in: places) }
            }
            let outcomes = try other.store.write(at: .test(0)) { try $0.editAtOnce(edits, in: places) }
            #expect(outcomes == expected)
            #expect(try contents(other.store) == contents(one.store))
            #expect(try other.store.log().map(\.change) == one.store.log().map(\.change))
        }
        // What was edited goes with a compaction, whoever wrote it; leaves stay.
        for bench in [one, other] {
            _ = try bench.store.write(at: .test(1)) { try $0.documents.compact(places, limit: 1_000) }
        }
        #expect(try contents(other.store) == contents(one.store))
    }

    @Test func `a revision beyond the limit within a batch is not kept`() throws {
        let bench = try Bench(.memory)
        let path = (1...6).reversed().map { "\($0)-a" }
        let edits = (0..<6).reversed().map { DocumentEdit.replicated("a", Array(path[$0...]), "{\"v\":\($0)}") }
        let outcomes = try bench.store.write(at: .test(0)) {
            try $0.editAtOnce(edits, in: places, revisionLimit: 2)
        }
        #expect(outcomes.map(\.revision) == path.reversed().map { Revision($0) })
        let document = try #require(try bench.store.document("a", in: scope))
        #expect(document.tree.nodes.map(\.revision.text) == ["5-a", "6-a"])
        #expect(document.text == "{\"v\":0}")
        for gone in path[2...] {
            let revision = try #require(Revision(gone))
            #expect(try bench.store.lookAtDocuments { try $0.body(of: revision, of: "a", in: scope) } == nil)
        }
    }

    /// Counted in rows that are written and statements that are run, not in time.
    @Test func `a thousand conflicts in one batch read and write their document once`() throws {
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(sql: DocumentSchema.steps.joined())
            var sequence: Int64 = 0
            for round in 0..<2 {
                let edits = (0..<1_000).map { DocumentEdit.replicated("a", ["2-\(round)x\($0)", "1-a"]) }
                let written = database.totalChangesCount
                let tables = DocumentTables(in: database) { LogSequence(sequence) }
                var batch = DocumentBatch(of: edits, in: places, revisionLimit: 9, to: tables)
                for edit in edits {
                    _ = try batch.apply(edit) { _ in
                        sequence += 1
                        return LogSequence(sequence)
                    }
                }
                try batch.finish()
                try tables.finish()
                // What each says, the document, and what is counted.
                let rows = database.totalChangesCount - written
                #expect((1_000...1_010).contains(rows), "\(rows) rows")
                #expect(try tables.document("a", in: scope)?.tree.leaves.count == 1_000 * (round + 1))
            }
        }
    }
}

extension StoreTransaction {
    /// Carries out edits, each document's at once, and appends what tells of them.
    fileprivate func editAtOnce(
        _ edits: [DocumentEdit], in database: DatabaseNumber, revisionLimit: Int = 1_000
    ) throws -> [EditOutcome] {
        var batch = DocumentBatch(of: edits, in: database, revisionLimit: revisionLimit, to: documents)
        let outcomes = try edits.map { edit in
            try batch.apply(edit) { winner in
                try append(
                    .document(
                        DocumentTouch(
                            database: database, id: edit.id, winner: winner.revision, isDeleted: winner.isDeleted)))
            }
        }
        try batch.finish()
        return outcomes
    }
}
