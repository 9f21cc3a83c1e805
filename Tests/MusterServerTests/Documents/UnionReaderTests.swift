import MusterCore
import MusterDocuments
import MusterGeometry
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// One road: positions are documents wherever documents are read, location documents are observations.
@Suite struct UnionReaderTests {
    private let scope = DatabaseScope.database(.locations(of: Town.ana))

    private func database(_ town: Town) throws -> ResolvedDatabase {
        try #require(town.coordinator.directory.database(named: "lt_locations_user_ana"))
    }

    private func document(_ town: Town, _ latitude: Double, at seconds: Double) -> DocumentBody {
        let time = town.clock.now.advanced(bySeconds: seconds).milliseconds
        let text = """
            {"type":"Feature","created_at":\(time),"geometry":{"type":"Point","coordinates":[14,\(latitude)]},\
            "properties":{"session_id":"s","accuracy":5,"timestamp":\(time)}}
            """
        return DocumentBody(json: Array(text.utf8))
    }

    private func changes(
        _ town: Town, since: MusterCore.LogSequence = .zero, in scope: DatabaseScope? = nil, limit: Int = 100
    ) async throws -> [StoredDocument] {
        try await town.coordinator.readDocuments { [scope = scope ?? self.scope] in
            try $0.changes(in: scope, since: since, isDescending: false, withBodies: true, limit: limit)
        }
    }

    @Test func `a position is a document of its user's database and of the union, the same whenever it is read`()
        async throws
    {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(46, at: 0), town.fix(45, at: 1)])
        let own = try await changes(town)
        #expect(
            own.map {
                LocationDocument.position(in: $0.body?.json ?? [], receivedAt: town.clock.now)?.coordinate.latitude
            } == [46, 45])
        let told = own.map { document in
            var document = document
            document.body = document.body?.addingOwner(named: "ana")
            return document
        }
        #expect(try await changes(town, in: .locations) == told)
        #expect(try await changes(town, since: own[0].sequence) == [own[1]])
        #expect(try await changes(town, limit: 1) == [own[0]])
        let (found, listed, counts, stranger) = try await town.coordinator.readDocuments { [scope] reader in
            (
                try reader.document(own[1].id, in: scope),
                try reader.documents(in: scope, DocumentRange(withBodies: true, limit: 10)),
                try reader.counts(in: scope),
                try reader.document(own[1].id, in: .database(.locations(of: UserNumber(77))))
            )
        }
        #expect(found == own[1])
        #expect(listed == own)
        #expect(counts.living == 2)
        #expect(stranger == nil)
        try await town.coordinator.close()
    }

    @Test func `an index by time has the positions too, page by page, up and down`() async throws {
        let town = try await Town()
        let tablet = try await town.coordinator.edit { _, draft in
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: "tablet", user: Town.ana)
            draft.edits = [.putDevice(device)]
            return device.number
        }
        let fixes = (0..<9).map { town.fix(46 + Double($0) / 100, at: Double($0)) }
        _ = try await town.coordinator.ingest(fixes)
        _ = try await town.coordinator.ingest(
            fixes.prefix(5).compactMap { fix -> Observation? in
                guard case .position(let position, _) = fix else { return nil }
                return .position(position, of: tablet)
            })
        let edits = (3..<6).map {
            DocumentEdit(id: "d\($0)", body: document(town, 45, at: Double($0)), isDeleted: false, place: .on(nil))
        }
        _ = try await town.coordinator.write(edits, to: database(town))
        let deleted = try #require(try await changes(town).first { $0.id.hasPrefix(PositionDocument.prefix) })
        let deletion = DocumentEdit(
            id: deleted.id, body: .empty, isDeleted: true, place: .on(deleted.tree.winner?.revision))
        _ = try await town.coordinator.write([deletion], to: database(town))
        let number = DatabaseNumber.locations(of: Town.ana)
        let definition = IndexDefinition(design: "t", name: "t", fields: [try FieldPath("created_at")])
        #expect(try await town.coordinator.makeIndex(definition, in: number, by: nil))
        let other = IndexDefinition(design: "u", name: "u", fields: [try FieldPath("type")])
        #expect(try await town.coordinator.makeIndex(other, in: number, by: nil))
        try await town.coordinator.readDocuments { [scope] reader in
            let indexes = try reader.indexes(in: number)
            #expect(indexes.map(\.isReady) == [true, false])
            let rule = IndexRule(definition)
            let expected = try reader.documents(in: scope, DocumentRange(withBodies: true, limit: 100))
                .map { document -> IndexEntry in
                    let value = JSONValue(documentWithID: document.id, revision: "1-a", body: document.body ?? .empty)
                    return IndexEntry(key: try #require(rule.key(of: value)), id: document.id)
                }.sorted { $0.isBefore($1) }
            #expect(expected.count == 9 + 5 + 3 - 1)
            let third = town.clock.now.advanced(bySeconds: 3).milliseconds
            let ranges = [
                KeyRange(), KeyRange(lower: CollationKey([.null]), upper: CollationKey([.string("")])),
                KeyRange(lower: CollationKey([.integer(third)])),
                KeyRange(upper: CollationKey([.integer(third)]).end), KeyRange(lower: CollationKey([.string("")])),
            ]
            for range in ranges {
                for isDescending in [false, true] {
                    var found: [IndexEntry] = []
                    while true {
                        let page = try reader.entries(
                            of: indexes[0], in: range, after: found.last, isDescending: isDescending, limit: 2)
                        found += page
                        if page.count < 2 { break }
                    }
                    let wanted = expected.filter { entry in
                        range.lower.map { entry.key >= $0 } ?? true && range.upper.map { entry.key < $0 } ?? true
                    }
                    #expect(found == (isDescending ? wanted.reversed() : wanted))
                }
            }
        }
        try await town.coordinator.close()
    }

    @Test func `documents of several devices come page by page by id, up and down`() async throws {
        let town = try await Town()
        let tablet = try await town.coordinator.edit { _, draft in
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: "tablet", user: Town.ana)
            draft.edits = [.putDevice(device)]
            return device.number
        }
        let fixes = (0..<7).map { town.fix(46 + Double($0) / 100, at: Double($0)) }
        _ = try await town.coordinator.ingest(fixes)
        _ = try await town.coordinator.ingest(
            fixes.compactMap { fix -> Observation? in
                guard case .position(let position, _) = fix else { return nil }
                return .position(position, of: tablet)
            })
        let edits = ["a", "z"].map { DocumentEdit(id: $0, body: .empty, isDeleted: false, place: .on(nil)) }
        _ = try await town.coordinator.write(edits, to: database(town))
        for isDescending in [false, true] {
            var found: [String] = []
            while true {
                let page = try await town.coordinator.readDocuments { [scope, last = found.last] in
                    var range = DocumentRange(isDescending: isDescending, limit: 3)
                    if let last { range.advance(past: last) }
                    return try $0.documents(in: scope, range).map(\.id)
                }
                if page.isEmpty { break }
                found += page
            }
            #expect(found.count == 16)
            #expect(found == (isDescending ? found.sorted(by: >) : found.sorted()))
            #expect(Set(found).count == 16)
        }
        try await town.coordinator.close()
    }

    @Test func `a location document crosses fences like any fix, once`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(46, at: 0)])
        town.clock.advance(bySeconds: 300)
        let edits = [
            DocumentEdit(id: "a", body: document(town, 45, at: 0), isDeleted: false, place: .on(nil)),
            DocumentEdit(id: "b", body: document(town, 45, at: 0), isDeleted: false, place: .on(nil)),
        ]
        let outcomes = try await town.coordinator.write(edits, to: database(town))
        #expect(outcomes.allSatisfy { if case .stored = $0 { true } else { false } })
        #expect(try town.crossings() == ["enter"])
        // One fix after a silence makes nobody safe.
        let safety = try await town.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana) }
        #expect(safety.state == .unknown && safety.source == .unlocated)
        // The position that a document brought is told by the document alone.
        let ids = try await changes(town).map(\.id)
        #expect(ids.count == 3)
        #expect(ids.suffix(2) == ["a", "b"])
        let again = try await town.coordinator.write(edits, to: database(town))
        #expect(again == [.conflict, .conflict])
        try await town.coordinator.close()
    }

    @Test func `a late document is history, and moves no one`() async throws {
        let town = try await Town()
        town.clock.advance(bySeconds: 200)
        _ = try await town.coordinator.ingest([town.fix(46, at: 100)])
        let edit = DocumentEdit(id: "old", body: document(town, 45, at: 50 - 200), isDeleted: false, place: .on(nil))
        _ = try await town.coordinator.write([edit], to: database(town))
        #expect(try town.crossings().isEmpty)
        try await town.coordinator.close()
    }

    @Test func `a replicated position restores a lost one, and changes nothing where it is stored`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(46, at: 0), town.fix(45, at: 1)])
        let replica = try await changes(town).map { document in
            let revision = try #require(document.tree.winner?.revision)
            return DocumentEdit(
                id: document.id, body: try #require(document.body), isDeleted: false, place: .at([revision]))
        }
        let before = town.store.lastSequence
        let outcomes = try await town.coordinator.write(replica, to: database(town))
        #expect(outcomes.allSatisfy { if case .known = $0 { true } else { false } })
        #expect(town.store.lastSequence == before)
        try await town.coordinator.close()

        let other = try await Town()
        let restored = try await other.coordinator.write(replica, to: database(other))
        #expect(restored.allSatisfy { if case .stored = $0 { true } else { false } })
        #expect(try await changes(other).map(\.id) == replica.map(\.id))
        #expect(try other.crossings() == ["enter"])
        try await other.coordinator.close()
    }

    @Test func `editing or deleting a position's document changes the document, not the history`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(46, at: 0), town.fix(45, at: 1)])
        let own = try await changes(town)
        let edits = try own.map { document in
            DocumentEdit(
                id: document.id, body: .empty, isDeleted: document == own[1],
                place: .on(try #require(document.tree.winner?.revision)))
        }
        let outcomes = try await town.coordinator.write(edits, to: database(town))
        #expect(
            outcomes.allSatisfy { if case .stored(let revision, _) = $0 { revision.generation == 2 } else { false } })
        let after = try await changes(town)
        #expect(after.map(\.id) == own.map(\.id))
        #expect(
            after.map { $0.tree.path(of: $0.tree.winner?.revision ?? Revision(generation: 1, hash: .text("x"))).count }
                == [2, 2])
        let counts = try await town.coordinator.readDocuments { [scope] in try $0.counts(in: scope) }
        #expect((counts.living, counts.deleted) == (1, 1))
        let stored = try town.store.positions(
            of: Town.phone, from: Instant(milliseconds: 0), to: Instant(seconds: 2_000_000_000), after: nil, limit: 10)
        #expect(stored.count == 2)
        try await town.coordinator.close()
    }

    @Test func `documents for someone who was removed are refused`() async throws {
        let town = try await Town()
        let database = try database(town)
        try await town.coordinator.edit { directory, draft in draft.edits = directory.removal(of: Town.ana) }
        let edit = DocumentEdit(id: "a", body: .empty, isDeleted: false, place: .on(nil))
        await #expect(throws: CoordinatorError.gone) { _ = try await town.coordinator.write([edit], to: database) }
        try await town.coordinator.close()
    }
}
