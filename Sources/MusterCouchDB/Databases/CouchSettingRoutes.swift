import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Routes for a database's `_security`, `_revs_limit` and `_compact` (compaction).
struct CouchSettingRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(.get, "/{db}/_security", "Show who may read and administer a database.") { call in
            let database = try call.readable()
            var security = "{}"
            if case .made(let stored) = database.kind { security = stored.security ?? "{}" }
            return .json { $0.raw(security) }
        }
        routes.add(.put, "/{db}/_security", "Set who may read and administer a database.", body: json) {
            try await putSecurity($0)
        }
        routes.add(.get, "/{db}/_revs_limit", "Show how many ancestors of a leaf are kept.") { call in
            let limit = try call.readable().revisionLimit
            return .json { $0.value(limit) }
        }
        routes.add(
            .put, "/{db}/_revs_limit", "Set how many ancestors of a leaf are kept.", body: json
        ) { try await limitRevisions($0) }
        routes.add(
            .post, "/{db}/_compact", "Remove the bodies of revisions that are not leaves.", body: json, statuses: [202]
        ) { try await compactDatabase($0) }
        for path in ["/{db}/_view_cleanup", "/{db}/_compact/{document}"] {
            routes.add(.post, path, "Does nothing: there are no views.", statuses: [202]) { call in
                _ = try call.administered()
                _ = try await call.json(limit: CouchLimits.settingBytes)
                return call.ok(.accepted)
            }
        }
    }

    private func putSecurity(_ call: CouchCall) async throws -> Response {
        let database = try call.administered()
        let body = try await call.json(limit: CouchLimits.settingBytes)
        // Some clients write null for an empty list, and others cannot read it.
        let tree = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }.withoutNulls
        guard tree.members != nil, tree.hasParties else {
            throw CouchError.badRequest("admins and members must have lists of names and roles")
        }
        try await changeDatabase(database, for: call) { $0.security = String(decoding: tree.bytes, as: UTF8.self) }
        return call.ok()
    }

    private func limitRevisions(_ call: CouchCall) async throws -> Response {
        let database = try call.administered()
        let body = try await call.json(limit: CouchLimits.settingBytes)
        let tree = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }
        guard let limit = tree.integer, (1...1_000_000).contains(limit) else {
            throw CouchError.badRequest("The limit must be a positive whole number, at most 1000000.")
        }
        try await changeDatabase(database, for: call) { $0.revisionLimit = Int(limit) }
        return call.ok()
    }

    /// Changes the record of a database that a user created.
    private func changeDatabase(
        _ database: ResolvedDatabase, for call: CouchCall, _ body: @escaping @Sendable (inout StoredDatabase) -> Void
    ) async throws {
        try await call.coordinator.edit(by: call.author) { directory, draft in
            guard case .made(var stored)? = directory.database(named: database.name)?.kind else {
                throw CouchError.forbidden("This setting of this database cannot be changed.")
            }
            body(&stored)
            draft.edits.append(.putDatabase(stored))
        }
    }

    private func compactDatabase(_ call: CouchCall) async throws -> Response {
        let database = try call.administered()
        _ = try await call.json(limit: CouchLimits.settingBytes)
        guard let number = database.number else { throw CouchError.forbidden("This database may only be read.") }
        try await call.coordinator.edit(by: call.author) { _, draft in
            draft.addAction(.databaseCompacted, label: database.name)
        }
        // Compacts in slices, so that other writes do not wait long.
        while try await call.coordinator.storeState({ transaction, _ in
            try transaction.documents.compact(number, limit: 500)
        }) {}
        return call.ok(.accepted)
    }
}

extension JSONValue {
    /// The value without the members that are null.
    fileprivate var withoutNulls: JSONValue {
        guard let members else { return self }
        return .object(members.filter { $0.value != .null }.map { Member($0.key, $0.value.withoutNulls) })
    }

    /// Whether `admins` and `members`, if present, are objects with lists of names and roles.
    fileprivate var hasParties: Bool {
        ["admins", "members"].compactMap { self[$0] }.allSatisfy { party in
            party.members != nil
                && ["names", "roles"].compactMap { party[$0] }.allSatisfy { list in
                    list.elements?.allSatisfy { $0.string != nil } ?? false
                }
        }
    }
}
