import HTTPTypes
import MusterCore
import MusterDocuments
import MusterReplication
import MusterStore
import MusterWire
import Testing

@testable import MusterCouchDB
@testable import MusterServer

/// What an admin set going ends with the admin's right to it.
@Suite struct EndedRightsTests {
    /// An office with a second admin, ada, with a key of hers.
    private func office() async throws -> (Office, key: String) {
        let office = try await Office()
        let ada = try await office.coordinator.edit { _, draft in
            let user = User(number: try draft.transaction.nextUserNumber(), name: "ada", role: .admin, team: nil)
            draft.edits = [.putUser(user)]
            return user.number
        }
        return (office, try await office.identity.makeKey(label: "", for: ada).secret)
    }

    @Test(arguments: [true, false])
    func `rules and targets are switched off with their maker's right, until an admin takes them over`(
        _ isRemoval: Bool
    ) async throws {
        let (office, key) = try await office()
        let ada = "Bearer \(key)"
        try await office.open { desk in
            let target = #"{"name":"hook","kind":"log"}"#
            #expect(try await desk.send(.post, "/targets", target, authorization: ada).status == 201)
            let rule = #"{"name":"out","pattern":{"source":["mine"]},"targets":[{"target":"hook"}]}"#
            #expect(try await desk.send(.post, "/rules", rule, authorization: ada).status == 201)
            let other = #"{"name":"admins","pattern":{"source":["mine"]},"targets":[{"target":"hook"}]}"#
            #expect(try await desk.send(.post, "/rules", as: "admin", other).status == 201)
            let reply =
                isRemoval
                ? try await desk.send(.delete, "/users/ada", as: "admin")
                : try await desk.send(.patch, "/users/ada", as: "admin", #"{"role":"member"}"#)
            #expect(reply.status < 300)
            for (path, isOn) in [("/rules/out", false), ("/targets/hook", false), ("/rules/admins", true)] {
                let shown = try await desk.send(.get, path, as: "admin").json
                #expect(shown["enabled"]?.boolean == isOn, "\(path)")
            }
            let on = #"{"enabled":true}"#
            #expect(try await desk.send(.patch, "/rules/out", as: "admin", on).json["madeBy"]?.string == "admin")
            #expect(try await desk.send(.patch, "/targets/hook", as: "admin", on).json["enabled"]?.boolean == true)
        }
        let rules = office.coordinator.directory.rules.all.map(\.isEnabled)
        #expect(rules == [true, true])
    }

    @Test func `a running replication stops once the user who ordered it is no longer an admin`() async throws {
        let (office, _) = try await office()
        let ada = try office.user("ada").number
        let feeds = LogFeeds(coordinator: office.coordinator)
        #expect(try await office.coordinator.makeDatabase(named: "notes", by: nil))
        let place = try #require(office.coordinator.directory.database(named: "notes"))
        let home = try await StoredDatabaseHome(place, by: ada, isOrdered: true, office.coordinator, feeds)
        let edit = DocumentEdit(id: "a", body: DocumentBody(json: Array("{}".utf8)), isDeleted: false, place: .on(nil))
        #expect(try await home.write([edit]).count == 1)
        try await office.coordinator.edit { directory, draft in
            guard var user = directory.users[ada] else { return }
            user.role = .member
            draft.edits = [.putUser(user)]
        }
        await #expect(throws: ReplicationError.self) { _ = try await home.write([edit]) }
        await #expect(throws: ReplicationError.self) { _ = try await home.readDocuments { $0.lastSequence } }
        try await office.coordinator.close()
    }

    @Test func `a document of _replicator belongs to its author, and ends with the author's right`() async throws {
        let (office, key) = try await office()
        let replicator = try office.replicator
        try await office.open { desk in
            let ada = "Bearer \(key)"
            #expect(try await desk.send(.put, "//notes", as: "admin").status == 201)
            // It says that it is somebody else's.
            let order = #"{"source":"notes","target":"copy","create_target":true,"continuous":true,"owner":"admin"}"#
            #expect(try await desk.send(.put, "//_replicator/on", order, authorization: ada).status == 201)
            let stored = try await desk.send(.get, "//_replicator/on", as: "admin")
            #expect(stored.json["owner"]?.string == "ada", "\(stored.text)")
            let following = Task { try await replicator.follow() }
            while replicator.jobs.isEmpty { await Task.yield() }
            following.cancel()
            #expect(replicator.jobs.map(\.user) == [try office.user("ada").number])
            #expect(try await desk.send(.patch, "/users/ada", as: "admin", #"{"role":"leader"}"#).status == 200)
            await replicator.endUnfounded()
            #expect(replicator.jobs.isEmpty)
            let ended = try await desk.send(.get, "//_replicator/on", as: "admin").json
            #expect(ended["_replication_state"]?.string == "failed")
            #expect(ended["_replication_state_reason"]?.string?.contains("no longer an admin") == true)
        }
    }

    @Test func `passwords of replications are stored sealed, each for its peer alone`() async throws {
        let office = try await Office()
        let seal = try office.replicator.seal
        try await office.open { desk in
            let order = """
                {"_id":"pull","source":"https://ana:first%20secret@peer.example/notes",
                 "target":{"url":"http://peer.example:5984/copy",
                           "auth":{"basic":{"username":"bob","password":"second"}},
                           "headers":{"X":"y"}},"more":12345678901234567890}
                """
            let bulk = #"{"docs":[\#(order)]}"#
            #expect(try await desk.send(.post, "//_replicator/_bulk_docs", as: "admin", bulk).status == 201)
            let stored = try await desk.send(.get, "//_replicator/pull", as: "admin")
            #expect(!stored.text.contains("secret") && !stored.text.contains("second"))
            #expect(stored.text.contains("12345678901234567890"))
            let read = try ReplicationOrder(stored.json, openedBy: seal)
            guard case .remote(let source) = read.source, case .remote(let target) = read.target else {
                Issue.record("they are elsewhere")
                return
            }
            #expect(source.credentials == .basic(name: "ana", password: "first secret"))
            #expect(target.credentials == .basic(name: "bob", password: "second"))
            // It may be put again as it is.
            #expect(try await desk.send(.put, "//_replicator/pull", as: "admin", stored.text).status == 201)
            let again = try await desk.send(.get, "//_replicator/pull", as: "admin").json
            #expect(try ReplicationOrder(again, openedBy: seal).source == read.source)
            // A copy that leads elsewhere does not open.
            let stolen = stored.text.replacing("https://peer.example/notes", with: "https://thief.example/notes")
            let value = try JSONValue(parsing: Array(stolen.utf8))
            #expect(throws: CouchError.self) { try ReplicationOrder(value, openedBy: seal) }
        }
    }
}

extension Office {
    /// The replicator of the server's CouchDB endpoint.
    fileprivate var replicator: Replicator {
        get throws { try #require(endpoints.services.compactMap { $0 as? Replicator }.first) }
    }
}
