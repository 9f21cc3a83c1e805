import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterWire

/// Mango: queries by selectors, and the indexes for them.
extension CouchEndpoint {
    func addFind(to routes: inout RouteTable) {
        let json = ["application/json"]
        add(.post, "/{db}/_find", "Find documents by a selector.", body: json, to: &routes) { call in
            try await find(call)
        }
        addExplain(to: &routes)
        add(.get, "/{db}/_index", "List the indexes of a database.", to: &routes) { try await listIndexes($0) }
        add(.post, "/{db}/_index", "Create an index.", body: json, to: &routes) { try await makeIndex($0) }
        add(.post, "/{db}/_index/_bulk_delete", "Remove all indexes of design documents.", body: json, to: &routes) {
            try await removeIndexes($0)
        }
        add(.delete, "/{db}/_index/{document}/json/{index}", "Remove an index.", to: &routes) { call in
            try await removeIndex(call, design: call.parameter("document"))
        }
        add(.delete, "/{db}/_index/_design/{document}/json/{index}", "Remove an index.", to: &routes) { call in
            try await removeIndex(call, design: call.parameter("document"))
        }
        for path in [
            "/{db}/_index/{document}", "/{db}/_index/{document}/{rest...}", "/{db}/_index/{document}/json",
            "/{db}/_index/_design/{document}", "/{db}/_index/_design/{document}/json",
        ] {
            for method in Self.documentMethods {
                // Without this route the router would take these paths for attachments.
                add(method, path, "An index has no other paths.", statuses: [], to: &routes) { call in
                    _ = try call.readable()
                    throw try Self.noIndex(at: call)
                }
            }
        }
    }

    /// Answers `_find`.
    ///
    /// - Parameter partition: the partition in the path; nil if the path names none.
    func find(_ call: CouchCall, in partition: String? = nil) async throws -> Response {
        let place = try call.readable()
        let request = try Self.request(await call.tree(limit: CouchLimits.documentBytes), in: place, partition)
        let scope = try Self.scope(of: place)
        let start = ContinuousClock.now
        let answer = try await coordinator.readDocuments { reader in
            let plan = try Self.plan(request, place, reader)
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
        _ body: JSONValue, in place: ResolvedDatabase, _ partition: String?
    ) throws -> FindRequest {
        var request = try FindRequest(body)
        if let partition {
            guard request.partition ?? partition == partition else { throw CouchError.otherPartition }
            request.partition = partition
        }
        guard request.partition == nil || place.isPartitioned else {
            throw MangoError("bad_request", "partition specified on non-partitioned db")
        }
        return request
    }

    private func listIndexes(_ call: CouchCall) async throws -> Response {
        let place = try call.readable()
        let limit = try Self.number("limit", atLeast: 1, of: call)
        let skip = try Self.number("skip", atLeast: 0, of: call)
        let made = try await coordinator.readDocuments { try Self.indexes(of: place, $0) }
        let indexes: [StoredIndex?] = [nil] + made
        return .json { writer in
            writer.beginObject()
            writer.key("total_rows")
            writer.value(indexes.count)
            writer.key("indexes")
            writer.beginArray()
            for index in indexes.dropFirst(skip ?? 0).prefix(limit ?? indexes.count) { writer.index(index) }
            writer.endArray()
            writer.endObject()
        }
    }

    private func makeIndex(_ call: CouchCall) async throws -> Response {
        let place = try call.administered()
        let definition = try IndexDefinition(
            await call.tree(limit: CouchLimits.documentBytes), isDatabasePartitioned: place.isPartitioned)
        try definition.requireNoPattern()
        let isNew = try await coordinator.makeIndex(definition, in: try Self.indexed(place), by: call.author)
        return .json { writer in
            writer.beginObject()
            writer.member("result", isNew ? "created" : "exists")
            writer.member("id", "_design/\(definition.design)")
            writer.member("name", definition.name)
            writer.endObject()
        }
    }

    private func removeIndex(_ call: CouchCall, design: String) async throws -> Response {
        let place = try call.administered()
        let name = try call.parameter("index")
        _ = try Self.indexed(place)
        let indexes = try await coordinator.readDocuments { try Self.indexes(of: place, $0) }
        let prefix = "_design/"
        let plain = design.hasPrefix(prefix) ? String(design.dropFirst(prefix.count)) : design
        let index = indexes.first { $0.definition.design == plain && $0.definition.name == name }
        guard let index else { throw CouchError.missing }
        try await coordinator.removeIndex(index.number, by: call.author)
        return call.ok()
    }

    private func removeIndexes(_ call: CouchCall) async throws -> Response {
        let place = try call.administered()
        let body = try await call.tree(limit: CouchLimits.settingBytes)
        guard let ids = body["docids"]?.elements, ids.allSatisfy({ $0.string != nil }) else {
            throw CouchError(
                .badRequest, "invalid_bulk_docs", "Bulk Delete requires an array of non-null docids.")
        }
        _ = try Self.indexed(place)
        let indexes = try await coordinator.readDocuments { try Self.indexes(of: place, $0) }
        var results: [(id: String, isRemoved: Bool)] = []
        for id in Set(ids.compactMap(\.string)).sorted() {
            let meant = indexes.filter { id == "_design/\($0.definition.design)" }
            for index in meant { try await coordinator.removeIndex(index.number, by: call.author) }
            results.append((id, !meant.isEmpty))
        }
        return .json { writer in
            writer.beginObject()
            writer.member("success", listing: results.filter(\.isRemoved)) { writer, result in
                writer.beginObject()
                writer.member("id", result.id)
                writer.member("ok", true)
                writer.endObject()
            }
            writer.member("fail", listing: results.filter { !$0.isRemoved }) { writer, result in
                writer.beginObject()
                writer.member("id", result.id)
                writer.member("error", "not_found")
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// Returns a whole number in the query of `GET _index`; nil if it is absent.
    private static func number(_ name: String, atLeast least: Int, of call: CouchCall) throws(CouchError) -> Int? {
        guard let text = call.query.text(name) else { return nil }
        guard let number = Int(text), number >= least else {
            throw CouchError(
                .badRequest, "invalid_list_index_params", "\(name) is a whole number of at least \(least).")
        }
        return number
    }

    // MARK: Paths and databases

    private static let documentMethods: [HTTPRequest.Method] = [
        .get, .head, .put, .post, .delete, .copy, .patch, .options, .trace, .connect,
    ]

    /// Returns CouchDB's error for a path below `_index`: 405 if the path has another method, and 404 otherwise.
    private static func noIndex(at call: CouchCall) throws(CouchError) -> CouchError {
        let parts = try [call.parameter("document")] + call.context.parameters.getCatchAll().map(String.init)
        if parts == ["_bulk_delete"] { return .methodNotAllowed([.post]) }
        let isIndex = parts.count == 3 || (parts.count == 4 && parts[0] == "_design")
        return isIndex && call.request.method != .delete ? .methodNotAllowed([.delete]) : .missing
    }

    private static func scope(of place: ResolvedDatabase) throws(CouchError) -> DatabaseScope {
        guard let scope = place.scope else { throw .notQueried }
        return scope
    }

    /// Returns the number of a database that can have indexes.
    private static func indexed(_ place: ResolvedDatabase) throws(CouchError) -> DatabaseNumber {
        guard let database = place.number else { throw .notIndexed }
        return database
    }

    static func indexes(of place: ResolvedDatabase, _ reader: any DocumentReader) throws -> [StoredIndex] {
        try place.number.map { try reader.indexes(in: $0) } ?? []
    }

    static func plan(
        _ request: FindRequest, _ place: ResolvedDatabase, _ reader: any DocumentReader
    ) throws -> QueryPlan {
        let isMade = if case .made = place.kind { true } else { false }
        return try QueryPlan(request, indexes: indexes(of: place, reader), sortsWithoutIndex: !isMade)
    }
}

extension CouchError {
    /// Users are not stored documents.
    fileprivate static let notQueried = CouchError(
        .notImplemented, "not_implemented", "Users cannot be searched by selectors.")
    /// The union and the users are read-only.
    fileprivate static let notIndexed = CouchError(
        .notImplemented, "not_implemented", "A read-only database has no indexes. It sorts without one.")

    /// Makes the error of an invalid query.
    init(telling fault: MangoError) {
        self.init(HTTPResponse.Status(code: fault.status), fault.word, fault.reason)
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

    /// Writes an index as `_index` lists it; nil for the built-in index by id.
    mutating func index(_ index: StoredIndex?) {
        beginObject()
        key("ddoc")
        if let index { value("_design/\(index.definition.design)") } else { null() }
        member("name", index?.definition.name ?? "_all_docs")
        member("type", index == nil ? "special" : "json")
        if let index { member("partitioned", index.definition.isPartitioned) }
        key("def")
        value(
            index?.definition.definition
                ?? .object([.init("fields", .array([.object([.init("_id", .string("asc"))])]))]))
        endObject()
    }
}
