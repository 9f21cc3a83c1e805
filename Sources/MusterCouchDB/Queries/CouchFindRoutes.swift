import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// The route `_find`: queries by selectors (Mango).
struct CouchFindRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        routes.add(.post, "/{db}/_find", "Find documents by a selector.", body: ["application/json"]) { call in
            try await Self.find(call)
        }
    }

    /// Answers `_find`.
    ///
    /// - Parameter partition: the partition in the path; nil if the path names none.
    static func find(_ call: CouchCall, in partition: String? = nil) async throws -> Response {
        let database = try call.readable()
        let request = try Self.request(await call.tree(limit: CouchLimits.documentBytes), in: database, partition)
        let scope = try Self.scope(of: database)
        let start = ContinuousClock.now
        let answer = try await call.coordinator.readDocuments { reader in
            let plan = try QueryPlan(request, of: database, reader)
            return try QueryRun.run(request, by: plan, in: scope, reader)
        }
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        return try .json { writer in
            writer.beginObject()
            writer.key("docs")
            writer.beginArray()
            for document in answer.documents { try writer.found(document) }
            writer.endArray()
            // The last page has a bookmark too. The page after it is empty for now.
            writer.member("bookmark", (answer.bookmark ?? answer.end)?.text ?? request.bookmark ?? "nil")
            writer.member("warning", answer.warning)
            if request.wantsStatistics { writer.statistics(answer, of: request, milliseconds: milliseconds) }
            writer.endObject()
        }
    }

    /// Parses a query.
    ///
    /// - Parameter partition: the partition in the path; nil if the path names none.
    static func request(
        _ body: JSONValue, in database: ResolvedDatabase, _ partition: String?
    ) throws -> FindRequest {
        var request = try FindRequest(body)
        if let partition {
            guard request.partition ?? partition == partition else { throw CouchError.otherPartition }
            request.partition = partition
        }
        guard request.partition == nil || database.isPartitioned else {
            throw MangoError("bad_request", "partition specified on non-partitioned db")
        }
        return request
    }

    private static func scope(of database: ResolvedDatabase) throws(CouchError) -> DatabaseScope {
        guard let scope = database.scope else { throw .notQueried }
        return scope
    }
}

extension QueryPlan {
    /// Chooses the index of a database by which a query runs.
    init(_ request: FindRequest, of database: ResolvedDatabase, _ reader: any DocumentReader) throws {
        let isMade = if case .made = database.kind { true } else { false }
        try self.init(request, indexes: reader.indexes(of: database), sortsWithoutIndex: !isMade)
    }
}

extension CouchError {
    /// Users are not stored documents.
    fileprivate static let notQueried = CouchError(
        .notImplemented, "not_implemented", "Users cannot be searched by selectors.")

    /// Makes the error of an invalid query.
    init(mapping error: MangoError) {
        self.init(HTTPResponse.Status(code: error.status), error.word, error.reason)
    }
}

extension JSONWriter {
    /// Writes a found document. A whole document is written as it is stored, so that the client can send it back.
    fileprivate mutating func found(_ found: FoundDocument) throws {
        if let fields = found.fields { return value(fields) }
        guard let stored = found.stored, let winner = stored.tree.winner, let body = stored.body else { return null() }
        var rendering = CouchRendering(id: stored.id, revision: winner.revision, isDeleted: false, body: body)
        rendering.conflicts = found.conflicts
        try document(rendering)
    }

    fileprivate mutating func statistics(_ answer: QueryAnswer, of request: FindRequest, milliseconds: Double) {
        key("execution_stats")
        beginObject()
        key("total_keys_examined")
        value(answer.keysExamined)
        key("total_docs_examined")
        value(request.wantsQuorum ? 0 : answer.documentsExamined)
        key("total_quorum_docs_examined")
        value(request.wantsQuorum ? answer.documentsExamined : 0)
        key("results_returned")
        value(answer.documents.count)
        key("execution_time_ms")
        value(milliseconds)
        endObject()
    }
}
