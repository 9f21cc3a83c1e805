import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The route `_purge`, which removes revisions without a tombstone.
struct CouchPurgeRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(
            .post, "/{db}/_purge", "Remove revisions without a trace.", body: json, statuses: [201]
        ) { try await purgeRevisions($0) }
        routes.add(.get, "/{db}/_purged_infos_limit", "Show how many purges the database remembers.") { call in
            _ = try call.readable()
            return .json { $0.value(1_000) }
        }
        routes.add(.put, "/{db}/_purged_infos_limit", "Has no effect: purges are only counted.", body: json) {
            call in
            _ = try call.administered()
            return call.ok()
        }
    }

    private func purgeRevisions(_ call: CouchCall) async throws -> Response {
        let database = try call.administered()
        guard let number = database.number else { throw CouchError.forbidden("This database may only be read.") }
        let body = try await call.json(limit: CouchLimits.documentBytes)
        let asked = try body.withUnsafeReadableBytes {
            try CouchRevisions.list(parsing: $0, limit: CouchLimits.documents)
        }
        let (purged, count) =
            try await call.coordinator.edit(by: call.author) { directory, draft in
                draft.addAction(.documentsPurged, label: database.name)
                var purged: [CouchRevisions] = []
                for item in asked {
                    let gone = try draft.transaction.purge(Set(item.revisions), of: item.id, in: number)
                    purged.append(CouchRevisions(id: item.id, revisions: gone))
                }
                guard case .made(var record)? = directory.database(named: database.name)?.kind else {
                    return (purged, nil)
                }
                record.purges += 1
                draft.edits.append(.putDatabase(record))
                return (purged, record.purges)
            } as ([CouchRevisions], Int64?)
        return .json(.created) { writer in
            writer.beginObject()
            writer.key("purge_seq")
            if let count { writer.value("\(count)") } else { writer.null() }
            writer.key("purged")
            writer.beginObject()
            for item in purged {
                writer.key(item.id)
                writer.beginArray()
                for revision in item.revisions { writer.value(revision) }
                writer.endArray()
            }
            writer.endObject()
            writer.endObject()
        }
    }
}
