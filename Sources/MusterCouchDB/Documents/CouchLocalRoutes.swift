import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// Routes of `_local` documents, where replicators keep their checkpoints.
struct CouchLocalRoutes: CouchRoutes {
    let edits: CouchEditWriter

    func register(in routes: inout CouchRouteTable) {
        let path = "/{db}/_local/{document}"
        routes.add(.get, path, "Get a local document, such as a checkpoint.") { call in
            try await Self.show(call, try call.documentID())
        }
        routes.add(
            .put, path, "Store a local document.", body: ["application/json"], statuses: [201]
        ) { call in try await put(call, try call.documentID()) }
        routes.add(.delete, path, "Remove a local document.") { call in
            try await delete(call, try call.documentID())
        }
        routes.add(
            .copy, path, "Copy a local document to the id in Destination.", statuses: [201]
        ) { try await copy($0, try $0.documentID()) }
        for method in [HTTPRequest.Method.get, .put, .delete] {
            routes.add(
                method, path + "/{attachment...}", "Local documents have no attachments.", statuses: []
            ) {
                _ = try $0.readable()
                throw CouchError.localFiles
            }
        }
        let list = "/{db}/_local_docs"
        routes.add(.get, list, "List the local documents by id.") { call in
            try await Self.listLocals(call, body: .object([]))
        }
        routes.add(.post, list, "List the local documents by id.", body: ["application/json"]) {
            _ = try $0.readable()
            return try await Self.listLocals($0, body: try await $0.tree(limit: CouchLimits.bulkBytes))
        }
        routes.add(
            .post, list + "/queries", "Several lists of local documents.",
            body: ["application/json"]
        ) { call in
            let locals = try call.readableLocals()
            let queries = try await call.listings()
            return try await call.send(CouchLists(queries.map { CouchList($0, of: LocalRows(in: locals)) }))
        }
    }

    private static func listLocals(_ call: CouchCall, body: JSONValue) async throws -> Response {
        let rows = LocalRows(in: try call.readableLocals())
        return try await call.send(CouchList(CouchListing(call.query, body: body), of: rows))
    }

    static func show(_ call: CouchCall, _ id: String) async throws -> Response {
        let readable = try call.readableLocals()
        let name = try LocalEdit.name(of: id)
        guard let locals = readable,
            let local = try await call.coordinator.readDocuments({
                try $0.local(locals.name(name), in: locals.database)
            })
        else { throw CouchError.missing }
        return .json { $0.local(local, name) }
    }

    func put(_ call: CouchCall, _ id: String) async throws -> Response {
        let locals = try call.readableLocals()
        // A wrong id is refused before the body is read.
        _ = try LocalEdit.name(of: id)
        let body = try await call.json(limit: CouchLimits.documentBytes)
        var edit = try LocalEdit(
            body.withUnsafeReadableBytes { try CouchDocument(parsing: $0, isLocal: true) }, id)
        edit.said = edit.said ?? call.query.text("rev")
        return try await edits.respond(writing: edit, in: locals, for: call)
    }

    /// Copies a local document to another document, local or not.
    func copy(_ call: CouchCall, _ id: String) async throws -> Response {
        let access = try call.access()
        let database = try call.writable(by: access)
        let name = try LocalEdit.name(of: id)
        let (target, onto) = try call.destination()
        guard let locals = access.locals(of: database) else { throw CouchError.forbidden }
        let source = try await call.coordinator.readDocuments { try $0.local(locals.name(name), in: locals.database) }
        guard let source else { throw CouchError.missing }
        return try await edits.copy(
            DocumentBody(json: source.json), to: target, over: onto, in: database, for: call)
    }

    func delete(_ call: CouchCall, _ id: String) async throws -> Response {
        let locals = try call.readableLocals()
        let edit = LocalEdit(
            name: try LocalEdit.name(of: id), json: [], said: call.query.text("rev"), isDeleted: true)
        return try await edits.respond(writing: edit, in: locals, for: call, .ok)
    }
}

extension JSONWriter {
    /// Writes a local document.
    ///
    /// - Parameter name: the id that the client uses, without `_local/`.
    mutating func local(_ local: LocalDocument, _ name: String) {
        beginObject()
        member("_id", DocumentID.localPrefix + name)
        member("_rev", "0-\(local.revision)")
        members(of: local.json)
        endObject()
    }
}
