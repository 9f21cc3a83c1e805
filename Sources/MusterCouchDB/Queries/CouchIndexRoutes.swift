import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterWire

/// The routes below `_index`: the indexes for queries by selectors.
struct CouchIndexRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(.get, "/{db}/_index", "List the indexes of a database.") { try await listIndexes($0) }
        routes.add(.post, "/{db}/_index", "Create an index.", body: json) { try await makeIndex($0) }
        routes.add(.post, "/{db}/_index/_bulk_delete", "Remove all indexes of design documents.", body: json) {
            try await removeIndexes($0)
        }
        routes.add(.delete, "/{db}/_index/{document}/json/{index}", "Remove an index.") { call in
            try await removeIndex(call, design: call.parameter("document"))
        }
        routes.add(.delete, "/{db}/_index/_design/{document}/json/{index}", "Remove an index.") { call in
            try await removeIndex(call, design: call.parameter("document"))
        }
        for path in [
            "/{db}/_index/{document}", "/{db}/_index/{document}/{rest...}", "/{db}/_index/{document}/json",
            "/{db}/_index/_design/{document}", "/{db}/_index/_design/{document}/json",
        ] {
            for method in Self.documentMethods {
                // Without this route the router would take these paths for attachments.
                routes.add(method, path, "An index has no other paths.", statuses: []) { call in
                    _ = try call.readable()
                    throw try Self.noIndex(at: call)
                }
            }
        }
    }

    private func listIndexes(_ call: CouchCall) async throws -> Response {
        let database = try call.readable()
        let limit = try Self.number("limit", atLeast: 1, of: call)
        let skip = try Self.number("skip", atLeast: 0, of: call)
        let made = try await call.coordinator.readDocuments { try $0.indexes(of: database) }
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
        let database = try call.administered()
        let definition = try IndexDefinition(
            await call.tree(limit: CouchLimits.documentBytes), isDatabasePartitioned: database.isPartitioned)
        try definition.requireNoPattern()
        let isNew = try await call.coordinator.makeIndex(definition, in: try Self.indexed(database), by: call.author)
        return .json { writer in
            writer.beginObject()
            writer.member("result", isNew ? "created" : "exists")
            writer.member("id", DocumentID.designPrefix + definition.design)
            writer.member("name", definition.name)
            writer.endObject()
        }
    }

    private func removeIndex(_ call: CouchCall, design: String) async throws -> Response {
        let database = try call.administered()
        let name = try call.parameter("index")
        _ = try Self.indexed(database)
        let indexes = try await call.coordinator.readDocuments { try $0.indexes(of: database) }
        let prefix = DocumentID.designPrefix
        let plain = design.hasPrefix(prefix) ? String(design.dropFirst(prefix.count)) : design
        let index = indexes.first { $0.definition.design == plain && $0.definition.name == name }
        guard let index else { throw CouchError.missing }
        try await call.coordinator.removeIndex(index.number, by: call.author)
        return call.ok()
    }

    private func removeIndexes(_ call: CouchCall) async throws -> Response {
        let database = try call.administered()
        let body = try await call.tree(limit: CouchLimits.settingBytes)
        guard let ids = body["docids"]?.elements, ids.allSatisfy({ $0.string != nil }) else {
            throw CouchError(
                .badRequest, "invalid_bulk_docs", "Bulk Delete requires an array of non-null docids.")
        }
        _ = try Self.indexed(database)
        let indexes = try await call.coordinator.readDocuments { try $0.indexes(of: database) }
        var results: [(id: String, isRemoved: Bool)] = []
        for id in Set(ids.compactMap(\.string)).sorted() {
            let meant = indexes.filter { id == DocumentID.designPrefix + $0.definition.design }
            for index in meant { try await call.coordinator.removeIndex(index.number, by: call.author) }
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

    /// Returns the number of a database that can have indexes.
    private static func indexed(_ database: ResolvedDatabase) throws(CouchError) -> DatabaseNumber {
        guard let number = database.number else { throw .notIndexed }
        return number
    }
}

extension DocumentReader {
    /// Returns the indexes of a database; none for a read-only one.
    func indexes(of database: ResolvedDatabase) throws -> [StoredIndex] {
        try database.number.map { try indexes(in: $0) } ?? []
    }
}

extension CouchError {
    /// The union and the users are read-only.
    fileprivate static let notIndexed = CouchError(
        .notImplemented, "not_implemented", "A read-only database has no indexes. It sorts without one.")
}

extension JSONWriter {
    /// Writes an index as `_index` lists it; nil for the built-in index by id.
    mutating func index(_ index: StoredIndex?) {
        beginObject()
        key("ddoc")
        if let index { value(DocumentID.designPrefix + index.definition.design) } else { null() }
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
