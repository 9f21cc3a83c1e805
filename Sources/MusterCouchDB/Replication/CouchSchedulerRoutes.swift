import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterWire

/// The routes that show running replications and the results of orders in documents. They do not show the credentials
/// for the peers.
struct CouchSchedulerRoutes: CouchRoutes {
    let replicator: Replicator

    func register(in routes: inout CouchRouteTable) {
        routes.add(.get, "/_active_tasks", "List the running replications.") { call in
            try call.requireAdmin()
            let jobs = replicator.jobs
            return .json { writer in
                writer.beginArray()
                for job in jobs { writer.task(job) }
                writer.endArray()
            }
        }
        routes.add(.get, "/_scheduler/jobs", "List the running replications with their history.") { call in
            try call.requireAdmin()
            let page = try SchedulerPage(call.query)
            let jobs = replicator.jobs
            return .json { writer in
                writer.beginObject()
                writer.member("total_rows", jobs.count)
                writer.member("offset", page.skip)
                writer.member("jobs", listing: jobs.dropFirst(page.skip).prefix(page.limit)) { $0.job($1) }
                writer.endObject()
            }
        }
        routes.add(.get, "/_scheduler/jobs/{job}", "Show a running replication.") { call in
            try call.requireAdmin()
            let id = try call.parameter("job")
            guard let job = replicator.jobs.first(where: { $0.order.id == id }) else { throw CouchError.missing }
            return .json { $0.job(job) }
        }
        for path in ["/_scheduler/docs", "/_scheduler/docs/{replicator}"] {
            routes.add(.get, path, "List the states of the replications that documents order.") { call in
                try await scheduled(call)
            }
        }
        routes.add(
            .get, "/_scheduler/docs/{replicator}/{document}", "Show the state of a document's replication."
        ) { try await scheduledDocument($0) }
    }

    private func scheduled(_ call: CouchCall) async throws -> Response {
        try call.requireAdmin()
        try Self.requireReplicator(call)
        let page = try SchedulerPage(call.query)
        let jobs = replicator.jobsByDocument
        let database = call.coordinator.directory.database(named: DatabaseName.replicator)?.number
        let (total, rows) = try await call.coordinator.readDocuments { reader in
            var total = 0
            var rows: [ScheduledReplication] = []
            guard let database else { return (total, rows) }
            try reader.eachReplication(in: database, openedBy: replicator.seal) { document in
                let row = ScheduledReplication(document, jobs[document.name])
                guard page.states.isEmpty || page.states.contains(row.state.rawValue) else { return }
                if total >= page.skip, rows.count < page.limit { rows.append(row) }
                total += 1
            }
            return (total, rows)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("total_rows", total)
            writer.member("offset", page.skip)
            writer.member("docs", listing: rows) { $0.scheduled($1) }
            writer.endObject()
        }
    }

    private func scheduledDocument(_ call: CouchCall) async throws -> Response {
        try call.requireAdmin()
        try Self.requireReplicator(call)
        let id = try call.parameter("document")
        let jobs = replicator.jobsByDocument
        guard let database = call.coordinator.directory.database(named: DatabaseName.replicator)?.number else {
            throw CouchError.missing
        }
        let row = try await call.coordinator.readDocuments { reader in
            try reader.document(id, in: .database(database)).flatMap {
                ReplicationDocument($0, openedBy: replicator.seal)
            }
            .map { ScheduledReplication($0, jobs[$0.name]) }
        }
        guard let row else { throw CouchError.missing }
        return .json { $0.scheduled(row) }
    }

    /// Checks that the path names `_replicator`, the only database whose documents order replications.
    private static func requireReplicator(_ call: CouchCall) throws {
        guard call.context.parameters["replicator"] != nil else { return }
        guard try call.parameter("replicator") == DatabaseName.replicator else { throw CouchError.missing }
    }
}

/// The rows that a client requests.
private struct SchedulerPage: Sendable {
    let skip: Int
    let limit: Int
    /// The states of the requested rows; empty for all states.
    let states: Set<String>

    /// The most rows in a response.
    static let rowLimit = 1_000

    init(_ query: CouchQuery) throws(CouchError) {
        skip = try query.count("skip") ?? 0
        limit = min(try query.count("limit") ?? Self.rowLimit, Self.rowLimit)
        states = Set((query.text("states") ?? "").split(separator: ",").map(String.init))
    }
}

/// A document of `_replicator` with the job that runs its order.
private struct ScheduledReplication: Sendable {
    let document: ReplicationDocument
    let job: ReplicationJob?

    init(_ document: ReplicationDocument, _ job: ReplicationJob?) {
        self.document = document
        self.job = job
    }

    var state: ScheduledState { document.ending ?? job?.state ?? .pending }
}

extension Replicator {
    /// The running jobs by the version of the document that ordered them.
    fileprivate var jobsByDocument: [ReplicationJob.DocumentName: ReplicationJob] {
        Dictionary(jobs.compactMap { job in job.document.map { ($0, job) } }) { first, _ in first }
    }
}

extension JSONWriter {
    /// Writes a job for `_active_tasks`.
    fileprivate mutating func task(_ job: ReplicationJob) {
        beginObject()
        member("type", "replication")
        member("replication_id", job.order.id)
        nullable("database", job.document == nil ? nil : DatabaseName.replicator)
        nullable("doc_id", job.document?.id)
        sides(of: job.order)
        member("continuous", job.order.options.isContinuous)
        counts(of: job.progress)
        member("started_on", job.startedAt.milliseconds / 1000)
        member("updated_on", job.reportedAt.milliseconds / 1000)
        member("node", CouchNodeRoutes.name)
        endObject()
    }

    /// Writes a job for `_scheduler/jobs`.
    fileprivate mutating func job(_ job: ReplicationJob) {
        beginObject()
        nullable("database", job.document == nil ? nil : DatabaseName.replicator)
        nullable("doc_id", job.document?.id)
        member("id", job.order.id)
        sides(of: job.order)
        key("user")
        null()
        member("node", CouchNodeRoutes.name)
        member("start_time", job.startedAt.secondsText)
        key("info")
        information(of: job)
        key("history")
        beginArray()
        if case .waiting(_, let error) = job.progress.state {
            event("crashed", at: job.reportedAt, reason: error.description)
        }
        event("started", at: job.startedAt)
        event("added", at: job.startedAt)
        endArray()
        endObject()
    }

    private mutating func event(_ type: String, at moment: Instant, reason: String? = nil) {
        beginObject()
        member("timestamp", moment.secondsText)
        member("type", type)
        member("reason", reason)
        endObject()
    }

    /// Writes a document's row for `_scheduler/docs`.
    fileprivate mutating func scheduled(_ row: ScheduledReplication) {
        let order = try? row.document.order.get()
        beginObject()
        member("database", DatabaseName.replicator)
        member("doc_id", row.document.name.id)
        // A replication that has ended has no job.
        nullable("id", row.document.ending == nil ? order?.id : nil)
        if let order {
            sides(of: order)
        } else {
            nullable("source", nil)
            nullable("target", nil)
        }
        member("state", row.state.rawValue)
        member("error_count", row.job?.failures ?? (row.state == .failed ? 1 : 0))
        nullable("start_time", row.job?.startedAt.secondsText ?? row.document.statistics?["start_time"]?.string)
        nullable("last_updated", row.document.endedAt ?? row.job?.reportedAt.secondsText)
        key("info")
        if let reason = row.document.reason {
            error(reason)
        } else if let statistics = row.document.statistics {
            value(statistics)
        } else if let job = row.job {
            information(of: job)
        } else {
            null()
        }
        nullable("source_proxy", nil)
        nullable("target_proxy", nil)
        member("node", CouchNodeRoutes.name)
        endObject()
    }

    private mutating func sides(of order: ReplicationOrder) {
        member("source", order.source.description)
        member("target", order.target.description)
    }

    private mutating func information(of job: ReplicationJob) {
        if case .waiting(_, let cause) = job.progress.state { return error(cause.description) }
        beginObject()
        counts(of: job.progress)
        endObject()
    }

    private mutating func error(_ text: String) {
        beginObject()
        member("error", text)
        endObject()
    }

    private mutating func nullable(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { value(text) } else { null() }
    }
}
