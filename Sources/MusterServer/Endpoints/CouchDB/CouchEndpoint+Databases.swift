import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

extension CouchEndpoint {
    func addDatabases(to routes: inout RouteTable) {
        add(.get, "/{db}", "What is known of a database.", to: &routes) { try await Self.describe($0) }
        add(.head, "/{db}", "Whether there is such a database.", to: &routes) { call in
            _ = try call.readable()
            return Response(status: .ok, headers: [.contentType: "application/json"])
        }
        add(.put, "/{db}", "Make a database.", statuses: [201], to: &routes) { try await make($0) }
        add(.delete, "/{db}", "Remove a database with all that is in it.", to: &routes) { try await remove($0) }
        add(
            .post, "/{db}/_ensure_full_commit", "Nothing needs to be done: what was answered is on the disk.",
            statuses: [201], to: &routes
        ) { call in
            _ = try call.readable()
            return call.ok(.created) { $0.member("instance_start_time", "0") }
        }
    }

    private static func describe(_ call: CouchCall) async throws -> Response {
        let place = try call.readable()
        guard let scope = place.scope else { return try describeUsers(call, place) }
        let (counts, last) = try await call.ledger.readDocuments { reader in
            (try reader.counts(in: scope), try reader.newest(in: scope))
        }
        return description(of: place, counts, last)
    }

    private static func describeUsers(_ call: CouchCall, _ place: DatabasePlace) throws -> Response {
        description(
            of: place, DocumentCounts(living: call.ledger.directory.users.count), call.ledger.lastSequence)
    }

    private static func description(
        of place: DatabasePlace, _ counts: DocumentCounts, _ last: MusterCore.Sequence
    ) -> Response {
        .json { writer in
            writer.beginObject()
            writer.member("db_name", place.name)
            writer.member("doc_count", counts.living)
            writer.member("doc_del_count", counts.deleted)
            writer.member("update_seq", last.rawValue)
            writer.member("purge_seq", place.purges)
            writer.member("instance_start_time", "0")
            writer.key("sizes")
            writer.beginObject()
            for name: StaticString in ["file", "external", "active"] { writer.member(name, counts.bytes) }
            writer.endObject()
            writer.member("compact_running", false)
            writer.member("disk_format_version", 8)
            writer.key("props")
            writer.beginObject()
            writer.endObject()
            writer.key("cluster")
            writer.beginObject()
            for name: StaticString in ["q", "n", "w", "r"] { writer.member(name, 1) }
            writer.endObject()
            writer.endObject()
        }
    }

    private func make(_ call: CouchCall) async throws -> Response {
        let name = try call.parameter("db")
        let access = try call.access(in: ledger.directory)
        // One's own is there already, which a client that makes sure of it wants to hear.
        if let place = ledger.directory.database(named: name), access.mayRead(place) { throw CouchFault.fileExists }
        guard access.mayMakeDatabases else { throw CouchFault.forbidden("You are not a server admin.") }
        guard DatabaseName.isValid(name) || name == DatabaseName.replicator, !ReservedPaths.contains(name),
            DatabaseName.user(ofLocations: name) == nil
        else { throw CouchFault.illegalName(name) }
        let now = configuration.now()
        try await ledger.edit { directory, draft in
            guard directory.database(named: name) == nil else { throw CouchFault.fileExists }
            let number = try draft.transaction.documents.nextDatabaseNumber()
            draft.edits.append(.putDatabase(StoredDatabase(number: number, name: name, createdAt: now)))
        }
        var response = call.ok(.created)
        response.headers[.location] = "/\(call.exchange.parameters["db"] ?? "")"
        return response
    }

    private func remove(_ call: CouchCall) async throws -> Response {
        let place = try call.readable()
        guard try call.access(in: ledger.directory).mayMakeDatabases else {
            throw CouchFault.forbidden("You are not a server admin.")
        }
        guard case .made = place.kind else {
            throw CouchFault.forbidden("This database is there as long as the server, or its user, is.")
        }
        try await ledger.edit { directory, draft in
            guard case .made(let database) = directory.database(named: place.name)?.kind else {
                throw CouchFault.noDatabase
            }
            draft.edits.append(.removeDatabase(database.number))
        }
        return call.ok()
    }
}

extension DatabasePlace {
    /// How many purges there were.
    var purges: Int64 { if case .made(let database) = kind { database.purges } else { 0 } }
}

extension DocumentReader {
    /// The number of the change that touched a document of the scope last; 0 where none did.
    func newest(in scope: DatabaseScope) throws -> MusterCore.Sequence {
        try changes(in: scope, since: lastSequence, isDescending: true, withBodies: false, limit: 1)
            .first?.sequence ?? .zero
    }
}
