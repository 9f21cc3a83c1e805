import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// Routes that create, describe and remove databases.
struct CouchDatabaseRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        routes.add(.get, "/{db}", "Describe a database.") { try await Self.describeDatabase($0) }
        routes.add(.head, "/{db}", "Check that a database exists.") { call in
            _ = try call.readable()
            return Response(status: .ok, headers: [.contentType: "application/json"])
        }
        routes.add(.get, "/_dbs_info", "Describe the databases that you may read.") {
            try await Self.describeDatabases($0, nil)
        }
        routes.add(
            .post, "/_dbs_info", "Describe several databases.", body: ["application/json"]
        ) { call in
            let keys = try await call.tree(limit: CouchLimits.settingBytes)["keys"]?.elements
            guard let keys, keys.allSatisfy({ $0.string != nil }), keys.count <= CouchLimits.named else {
                throw CouchError.badRequest("`keys` must be an array of at most \(CouchLimits.named) names")
            }
            return try await Self.describeDatabases(call, keys.compactMap(\.string))
        }
        routes.add(.put, "/{db}", "Create a database.", statuses: [201]) { try await createDatabase($0) }
        routes.add(.delete, "/{db}", "Remove a database with its documents.") { try await removeDatabase($0) }
        routes.add(
            .post, "/{db}/_ensure_full_commit", "Does nothing: acknowledged writes are on the disk.",
            statuses: [201]
        ) { call in
            _ = try call.readable()
            _ = try await call.json(limit: CouchLimits.settingBytes)
            return call.ok(.created) { $0.member("instance_start_time", "0") }
        }
    }

    private static func describeDatabase(_ call: CouchCall) async throws -> Response {
        let database = try call.readable()
        let (users, last) = (call.coordinator.directory.users.count, call.coordinator.lastSequence)
        let description = try await call.coordinator.readDocuments { reader in
            try DatabaseDescription(database, reader, users: users, last: last)
        }
        return .json { $0.description(description) }
    }

    /// Describes the databases of these names, or all that the principal may read.
    private static func describeDatabases(_ call: CouchCall, _ keys: [String]?) async throws -> Response {
        let access = try call.access()
        let directory = access.directory
        let names = try keys ?? Array(directory.databaseNames(readableBy: access, call.query))
        let places = names.prefix(CouchLimits.described).map { name in
            (name, directory.database(named: name).flatMap { access.mayRead($0) ? $0 : nil })
        }
        let (users, last) = (directory.users.count, call.coordinator.lastSequence)
        let descriptions = try await call.coordinator.readDocuments { reader in
            try places.map { ($0, try $1.map { try DatabaseDescription($0, reader, users: users, last: last) }) }
        }
        return .json { writer in
            writer.beginArray()
            for (name, description) in descriptions {
                writer.beginObject()
                writer.member("key", name)
                if let description {
                    writer.key("info")
                    writer.description(description)
                } else {
                    // The entry is the same for a database that does not exist and for one that the principal may not
                    // read.
                    writer.member("error", "not_found")
                }
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private func createDatabase(_ call: CouchCall) async throws -> Response {
        let name = try call.parameter("db")
        let access = try call.access()
        // A client creates its own database to make sure that it exists, and expects this error if it does.
        if let database = access.directory.database(named: name), access.mayRead(database) {
            throw CouchError.fileExists
        }
        guard access.mayAdministerDatabases else { throw CouchError.forbidden("You are not a server admin.") }
        if let user = DatabaseName.user(ofLocations: name) {
            throw CouchError.badName(name, "It is reserved for the locations of user \(user), who does not exist.")
        }
        guard DatabaseName.isValid(name) || name == DatabaseName.replicator, !ReservedPaths.contains(name)
        else { throw CouchError.illegalName(name) }
        let isPartitioned = try call.query.flag("partitioned")
        let isMade = try await call.coordinator.makeDatabase(
            named: name, isPartitioned: isPartitioned, by: call.author)
        guard isMade else { throw CouchError.fileExists }
        var response = call.ok(.created)
        response.headers[.location] = call.absoluteAddress(of: "/\(call.context.parameters["db"] ?? "")")
        return response
    }

    private func removeDatabase(_ call: CouchCall) async throws -> Response {
        let access = try call.access()
        let database = try call.readable(by: access)
        guard access.mayAdministerDatabases else {
            throw CouchError.forbidden("You are not a server admin.")
        }
        // A client that builds a document's path from an empty id must not remove the database.
        guard call.query.text("rev") == nil, call.request.headers[.ifMatch] == nil else {
            throw CouchError.badRequest(
                "You tried to DELETE a database with a revision. Did you mean to DELETE a document instead?")
        }
        guard case .made = database.kind else {
            throw CouchError.forbidden("The server provides this database, which cannot be removed.")
        }
        try await call.coordinator.edit(by: call.author) { directory, draft in
            guard case .made(let stored) = directory.database(named: database.name)?.kind else {
                throw CouchError.noDatabase
            }
            draft.edits.append(.removeDatabase(stored.number))
        }
        return call.ok()
    }
}

/// The properties of a database that its description contains.
private struct DatabaseDescription: Sendable {
    let database: ResolvedDatabase
    let counts: DocumentCounts
    let last: MusterCore.LogSequence

    /// - Parameters:
    ///  - users: the number of users, whose documents are not stored.
    ///  - last: the number of the newest change in the log.
    init(_ database: ResolvedDatabase, _ reader: any DocumentReader, users: Int, last: MusterCore.LogSequence) throws {
        self.database = database
        if let scope = database.scope {
            counts = try reader.counts(in: scope)
            self.last = try reader.newest(in: scope)
        } else {
            counts = DocumentCounts(living: users)
            self.last = last
        }
    }
}

extension JSONWriter {
    fileprivate mutating func description(_ description: DatabaseDescription) {
        beginObject()
        member("db_name", description.database.name)
        member("doc_count", description.counts.living)
        member("doc_del_count", description.counts.deleted)
        member("update_seq", "\(description.last.rawValue)")
        member("purge_seq", "\(description.database.purges)")
        member("instance_start_time", "0")
        key("sizes")
        beginObject()
        for name: StaticString in ["file", "external", "active"] { member(name, description.counts.bytes) }
        endObject()
        member("compact_running", false)
        member("disk_format_version", 8)
        key("props")
        beginObject()
        if description.database.isPartitioned { member("partitioned", true) }
        endObject()
        key("cluster")
        beginObject()
        for name: StaticString in ["q", "n", "w", "r"] { member(name, 1) }
        endObject()
        endObject()
    }
}

extension ResolvedDatabase {
    /// The number of purges so far.
    var purges: Int64 { if case .made(let database) = kind { database.purges } else { 0 } }
}

extension DocumentReader {
    /// Returns the number of the last change of a document in the scope; 0 if there is none.
    func newest(in scope: DatabaseScope) throws -> MusterCore.LogSequence {
        try changes(in: scope, since: lastSequence, isDescending: true, withBodies: false, limit: 1)
            .first?.sequence ?? .zero
    }
}
