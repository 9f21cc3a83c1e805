import MusterCore
import MusterDocuments
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// Whose a document is, in the union of all users' locations.
@Suite struct UnionOwnersTests {
    @Test(arguments: [
        ("{}", #"{"muster_owner":"ana"}"#),
        (#"{"a":1}"#, #"{"a":1,"muster_owner":"ana"}"#),
        (#"{"muster_owner":"ben"}"#, #"{"muster_owner":"ana"}"#),
        (#"{"b":[1],"muster_owner":{"x":[1e999]},"c":"é"}"#, #"{"b":[1],"c":"é","muster_owner":"ana"}"#),
        (#"{"muster\u005fowner":"ben","a":1}"#, #"{"a":1,"muster_owner":"ana"}"#),
        (#"{"\u006d\u0075ster_owner":"ben"}"#, #"{"muster_owner":"ana"}"#),
        (#"{"a":{"muster_owner":"ben"}}"#, #"{"a":{"muster_owner":"ben"},"muster_owner":"ana"}"#),
        (#"{"a":"muster_owner","\\u006d":1}"#, #"{"a":"muster_owner","\\u006d":1,"muster_owner":"ana"}"#),
        (#"{"Muster_owner":1,"muster_owner ":2}"#, #"{"Muster_owner":1,"muster_owner ":2,"muster_owner":"ana"}"#),
    ])
    func `the owner is written once, whatever member the document has`(body: String, told: String) {
        let attachments = [
            Attachment(
                name: "f", contentType: "image/png", md5: [], key: [], length: 1, revisionPosition: 1)
        ]
        let document = DocumentBody(json: Array(body.utf8), attachments: attachments)
        let found = document.addingOwner(named: "ana")
        #expect(String(decoding: found.json, as: UTF8.self) == told)
        #expect(found.attachments == attachments)
    }

    @Test func `an owner's name is written as a JSON string, and a missing owner as null`() {
        #expect(
            String(decoding: DocumentBody.empty.addingOwner(named: "a\"b").json, as: UTF8.self)
                == #"{"muster_owner":"a\"b"}"#)
        #expect(
            String(decoding: DocumentBody.empty.addingOwner(named: nil).json, as: UTF8.self)
                == #"{"muster_owner":null}"#)
    }

    private func database(_ name: String, _ town: Town) throws -> ResolvedDatabase {
        try #require(town.coordinator.directory.database(named: "lt_locations_user_\(name)"))
    }

    private func write(_ id: String, _ json: String, by name: String, in town: Town) async throws {
        let edit = DocumentEdit(id: id, body: DocumentBody(json: Array(json.utf8)), isDeleted: false, place: .on(nil))
        let outcomes = try await town.coordinator.write([edit], to: database(name, town), by: nil)
        #expect(outcomes.allSatisfy { if case .stored = $0 { true } else { false } }, "\(outcomes)")
    }

    /// The union by id: what each document says, as the change feed, the list and each by itself tell it.
    private func union(of town: Town) async throws -> [String: String] {
        try await town.coordinator.readDocuments { reader in
            let listed = try reader.documents(in: .locations, DocumentRange(withBodies: true, limit: 1_000))
            let changes = try reader.changes(
                in: .locations, since: .zero, isDescending: false, withBodies: true, limit: 1_000)
            #expect(listed == changes.sorted { $0.id < $1.id })
            #expect(Set(listed.map(\.id)).count == listed.count)
            let counts = try reader.counts(in: .locations)
            #expect(counts.living == listed.count)
            var said: [String: String] = [:]
            for document in listed {
                let found = try reader.document(document.id, in: .locations)
                #expect(found == document)
                let winner = try #require(document.tree.winner?.revision)
                let body = try reader.body(of: winner, of: document.id, in: .locations)
                #expect(body == document.body)
                said[document.id] = document.body.map { String(decoding: $0.json, as: UTF8.self) }
            }
            return said
        }
    }

    /// Ana's phone has reported, and Ben is another user.
    private func townOfTwo() async throws -> (town: Town, position: String, ben: UserNumber) {
        let town = try await Town()
        let ben = try await town.coordinator.edit { _, draft in
            let user = User(number: try draft.transaction.nextUserNumber(), name: "ben", role: .member, team: nil)
            draft.edits = [.putUser(user)]
            return user.number
        }
        _ = try await town.coordinator.ingest([town.fix(46, at: 0)])
        let ids = try await union(of: town).keys
        return (town, try #require(ids.first), ben)
    }

    private func qualified(_ id: String, _ user: UserNumber) -> String {
        QualifiedID(id, in: .locations(of: user)).text
    }

    @Test func `a user cannot take the id of another's position, before or after it is stored`() async throws {
        let (town, first, ben) = try await townOfTwo()
        _ = try await town.coordinator.ingest([town.fix(45, at: 1)])
        let second = try #require(try await union(of: town).keys.first { $0 != first })
        let other = try await Town()
        try await other.coordinator.edit { _, draft in
            let user = User(number: try draft.transaction.nextUserNumber(), name: "ben", role: .member, team: nil)
            draft.edits = [.putUser(user)]
        }
        // Before and after: the other town is the same one, a moment earlier.
        try await write(second, #"{"mine":true}"#, by: "ben", in: other)
        _ = try await other.coordinator.ingest([town.fix(46, at: 0), town.fix(45, at: 1)])
        try await write(second, #"{"mine":true}"#, by: "ben", in: town)
        for town in [town, other] {
            let union = try await union(of: town)
            #expect(Set(union.keys) == [first, second, qualified(second, ben)])
            #expect(union[second]?.hasSuffix(#","muster_owner":"ana"}"#) == true)
            #expect(union[qualified(second, ben)] == #"{"mine":true,"muster_owner":"ben"}"#)
            // Its owner changes it, and that is what the union has under its id.
            let document = try await town.coordinator.readDocuments {
                try $0.document(second, in: .database(.locations(of: Town.ana)))
            }
            let edit = DocumentEdit(
                id: second, body: .empty, isDeleted: false, place: .on(document?.tree.winner?.revision))
            _ = try await town.coordinator.write([edit], to: database("ana", town), by: nil)
            let changed = try await self.union(of: town)
            #expect(changed[second] == #"{"muster_owner":"ana"}"#)
            #expect(changed.count == 3)
            try await town.coordinator.close()
        }
    }

    @Test func `a device that is given away takes the ids of its positions along`() async throws {
        let (town, position, ben) = try await townOfTwo()
        let document = try await town.coordinator.readDocuments { try $0.document(position, in: .locations) }
        let edit = DocumentEdit(
            id: position, body: .empty, isDeleted: false, place: .on(document?.tree.winner?.revision))
        _ = try await town.coordinator.write([edit], to: database("ana", town), by: nil)
        #expect(try await union(of: town) == [position: #"{"muster_owner":"ana"}"#])
        try await town.coordinator.edit { directory, draft in
            var device = try #require(directory.devices[Town.phone])
            device.user = ben
            draft.edits = [.putDevice(device)]
        }
        let given = try await union(of: town)
        #expect(given[qualified(position, Town.ana)] == #"{"muster_owner":"ana"}"#)
        #expect(given[position]?.hasSuffix(#","muster_owner":"ben"}"#) == true)
        #expect(given.count == 2)
        try await town.coordinator.close()
    }
}
