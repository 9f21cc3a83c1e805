import HTTPTypes
import Hummingbird
import MusterReplication
import MusterServer
import MusterWire

/// The route `_replicate`. A replication makes the server send requests to other servers, so only admins may order one.
struct CouchReplicationRoutes: CouchRoutes {
    let replicator: Replicator

    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(
            .post, "/_replicate", "Replicate one database to another.", body: json, statuses: [200, 202]
        ) { try await replicate($0) }
    }

    private func replicate(_ call: CouchCall) async throws -> Response {
        try call.requireAdmin()
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
            let startedAt = call.coordinator.now()
            let (progress, kept) = try await replicator.runOrder(order, by: principal.user)
            // Without checkpoints, this run is the whole history.
            let run = ReplicationLog.Session(
                id: order.id, startedAt: startedAt, endedAt: call.coordinator.now(),
                start: order.options.since ?? .start,
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
        } catch let error as ReplicationError {
            throw Self.couchError(for: error)
        }
    }

    /// Translates an error of a replication.
    private static func couchError(for error: ReplicationError) -> CouchError {
        switch error {
        case .noDatabase(let name): CouchError(.notFound, "db_not_found", "could not open \(name)")
        case .unauthorized: CouchError(.unauthorized, "unauthorized", error.description)
        case .forbidden: CouchError(.forbidden, "forbidden", error.description)
        case .unsupported: CouchError(.badRequest, "bad_request", error.description)
        default: CouchError(.internalServerError, "replication_failed", error.description)
        }
    }
}
