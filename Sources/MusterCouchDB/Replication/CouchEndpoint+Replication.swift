import HTTPTypes
import Hummingbird
import MusterCore
import MusterReplication
import MusterServer
import MusterWire

/// `_replicate` and the snapshot. A replication makes the server send requests to other servers, so only admins may
/// order one.
extension CouchEndpoint {
    func addReplication(to routes: inout RouteTable) {
        let json = ["application/json"]
        add(
            .post, "/_replicate", "Replicate one database to another.", body: json, statuses: [200, 202],
            to: &routes
        ) { try await replicate($0) }
        add(
            .get, "/{db}/_snapshot",
            "Get all documents as lines of JSON, for a first replication; `since` continues after a mark.",
            to: &routes
        ) { try await snapshot($0) }
    }

    /// Writes documents for the sender. An order is stored as the sender's, and its secrets are sealed.
    func write(_ edits: [DocumentEdit], to place: ResolvedDatabase, for call: CouchCall) async throws -> [EditOutcome] {
        var edits = edits
        if place.name == DatabaseName.replicator, let principal = call.principal {
            edits = try replicator.seal.edits(edits, by: principal.name)
        }
        return try await coordinator.write(edits, to: place, by: call.author)
    }

    /// Checks that the sender is an admin.
    static func requireAdmin(_ call: CouchCall) throws {
        guard try call.access(in: call.coordinator.directory).mayMakeDatabases else {
            throw CouchError.unauthorized("You are not a server admin.")
        }
    }

    private func replicate(_ call: CouchCall) async throws -> Response {
        try Self.requireAdmin(call)
        guard let principal = call.principal else { throw IdentityError.missing }
        let body = try await call.tree(limit: CouchLimits.settingBytes)
        if body["cancel"]?.boolean == true {
            var id = body["replication_id"]?.string ?? body["_local_id"]?.string
            if id == nil { id = try ReplicationOrder(body, openedBy: replicator.seal).id }
            guard let id, replicator.cancel(id) else {
                throw CouchError(.notFound, "not_found", "There is no such replication.")
            }
            return call.ok { $0.member("_local_id", id) }
        }
        let order = try ReplicationOrder(body, openedBy: replicator.seal)
        if order.options.isContinuous {
            try replicator.begin(order, by: principal.user)
            let id = order.id
            return call.ok(.accepted) { $0.member("_local_id", id) }
        }
        do {
            let startedAt = coordinator.now()
            let (progress, kept) = try await replicator.carryOut(order, by: principal.user)
            // Without checkpoints, this run is the whole history.
            let run = ReplicationLog.Session(
                id: order.id, startedAt: startedAt, endedAt: coordinator.now(), start: order.options.since ?? .start,
                recorded: progress.sequence ?? .start, counts: progress.counts)
            let log = kept ?? ReplicationLog(history: [run])
            return call.ok { writer in
                if !order.options.keepsLogs { writer.member("use_checkpoints", false) }
                if progress.counts.checked == 0, progress.counts.read == 0 { writer.member("no_changes", true) }
                writer.member("session_id", log.history.first?.id ?? "")
                writer.key("source_last_seq")
                writer.raw((progress.sequence ?? .start).json)
                writer.member("replication_id_version", 3)
                writer.key("history")
                writer.raw(log.historyText)
            }
        } catch let fault as ReplicationError {
            throw Self.couchError(for: fault)
        }
    }

    /// Translates an error of a replication.
    private static func couchError(for fault: ReplicationError) -> CouchError {
        switch fault {
        case .noDatabase(let name): CouchError(.notFound, "db_not_found", "could not open \(name)")
        case .unauthorized: CouchError(.unauthorized, "unauthorized", fault.description)
        case .forbidden: CouchError(.forbidden, "forbidden", fault.description)
        case .unsupported: CouchError(.badRequest, "bad_request", fault.description)
        default: CouchError(.internalServerError, "replication_failed", fault.description)
        }
    }
}
