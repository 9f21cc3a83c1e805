import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// Routes that write, copy and delete one document.
struct CouchEditingRoutes: CouchRoutes {
    let edits: CouchEditWriter
    let users: CouchUserDocuments
    let locals: CouchLocalRoutes

    func register(in routes: inout CouchRouteTable) {
        let types = ["application/json", "multipart/related"]
        routes.add(
            .post, "/{db}", "Store a document under a new id.", body: types, statuses: [201]
        ) { call in
            let database = try call.writable()
            var incoming = try await Self.incoming(call)
            if incoming.document.id == nil { incoming.document.id = DocumentID.random() }
            return try await storeDocument(incoming, in: database, call)
        }
        for path in ["/{db}/{document}", "/{db}/_design/{document}"] {
            routes.add(.put, path, "Store a document.", body: types, statuses: [201]) { call in
                try await CouchError.mappingErrors(of: call) { try await putDocument(call) }
            }
            routes.add(.delete, path, "Delete a document.") { try await deleteDocument($0) }
            routes.add(.copy, path, "Copy a document to the id in Destination.", statuses: [201]) {
                try await copyDocument($0)
            }
        }
    }

    /// Reads the document in the body.
    private static func incoming(_ call: CouchCall) async throws -> UploadedDocument {
        if call.request.mediaType?.hasPrefix("multipart/") == true { return try await UploadedDocument(related: call) }
        let body = try await call.json(limit: CouchLimits.bulkBytes)
        return UploadedDocument(document: try body.withUnsafeReadableBytes { try CouchDocument(parsing: $0) })
    }

    private func putDocument(_ call: CouchCall) async throws -> Response {
        let id = try call.documentID()
        if id.hasPrefix(DocumentID.localPrefix) { return try await locals.put(call, id) }
        try DocumentID.check(id)
        let access = try call.access()
        if case .users = try call.readable(by: access).kind { return try await users.put(call, id) }
        let database = try call.writable(by: access)
        var incoming = try await Self.incoming(call)
        guard incoming.document.id == nil || incoming.document.id == id else {
            throw CouchError.badRequest("Document ID must match the one in the URL.")
        }
        incoming.document.id = id
        if let said = try call.revision() {
            guard incoming.document.revisionText == nil || incoming.document.revisionText == said.text else {
                throw CouchError.badRequest("Document rev from request body and query string have different values")
            }
            incoming.document.revisionText = said.text
        }
        return try await storeDocument(incoming, in: database, call)
    }

    private func storeDocument(
        _ incoming: UploadedDocument, in database: ResolvedDatabase, _ call: CouchCall
    ) async throws -> Response {
        let areNewEdits = try call.query.flag("new_edits", otherwise: true)
        try call.requireRight(toPut: incoming.document.id ?? "", in: database)
        let edit = try await incoming.edit(in: database, areNewEdits: areNewEdits, call.coordinator)
        return try await edits.respond(writing: edit, to: database, for: call, edit.isDeleted ? .ok : .created)
    }

    private func deleteDocument(_ call: CouchCall) async throws -> Response {
        let id = try call.documentID()
        if id.hasPrefix(DocumentID.localPrefix) { return try await locals.delete(call, id) }
        try DocumentID.check(id)
        let access = try call.access()
        if case .users = try call.readable(by: access).kind { return try await users.delete(call, id) }
        let database = try call.writable(by: access)
        try call.requireRight(toPut: id, in: database)
        let edit = DocumentEdit(id: id, body: .empty, isDeleted: true, place: .on(try call.revision()))
        try await Self.requireLiving(id, in: database, for: call, isNamed: edit.place != .on(nil))
        return try await edits.respond(writing: edit, to: database, for: call, .ok)
    }

    /// Checks that the document exists and is not deleted, and that the client names a revision.
    private static func requireLiving(
        _ id: String, in database: ResolvedDatabase, for call: CouchCall, isNamed: Bool
    ) async throws {
        guard let scope = database.scope else { return }
        let winner = try await call.coordinator.readDocuments { try $0.document(id, in: scope)?.tree.winner }
        guard let winner else { throw CouchError.missing }
        guard !winner.isDeleted else { throw CouchError.deleted }
        guard isNamed else { throw CouchError.conflict }
    }

    private func copyDocument(_ call: CouchCall) async throws -> Response {
        let database = try call.writable()
        guard let scope = database.scope else { throw CouchError.forbidden }
        let (target, onto) = try call.destination()
        let source = try call.documentID()
        if source.hasPrefix(DocumentID.localPrefix) { return try await locals.copy(call, source) }
        let wanted = try DocumentReadOptions(call.query)
        let found = try await call.coordinator.readDocuments { try wanted.find(source, in: scope, $0) }
        return try await edits.copy(found.body, to: target, over: onto, in: database, for: call)
    }
}

extension CouchCall {
    /// Returns the revision in the query or in `If-Match`; nil if there is none.
    ///
    /// - Throws: `CouchError` if they differ, `CouchDocumentError.invalidRevision`.
    func revision() throws -> Revision? {
        let match = request.headers[.ifMatch].map { $0.filter { $0 != "\"" } }
        let said = query.text("rev")
        guard match == nil || said == nil || match == said else {
            throw CouchError.badRequest("Document rev and etag have different values")
        }
        guard let text = said ?? match else { return nil }
        guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text) }
        return revision
    }

    /// Checks that the sender may store a document of this id. Only admins of the database may store design documents.
    func requireRight(toPut id: String, in database: ResolvedDatabase) throws {
        guard id.hasPrefix(DocumentID.designPrefix) else { return }
        guard try access().mayAdminister(database) else {
            throw CouchError.forbidden("You are not a db or server admin.")
        }
    }

    /// Returns the id in the `Destination` field, and the revision that the copy replaces.
    func destination() throws -> (id: String, onto: String?) {
        guard let field = request.headers[.destination] else {
            throw CouchError.badRequest("Destination header is mandatory for COPY.")
        }
        let parts = field.split(separator: "?", maxSplits: 1)
        guard let first = parts.first, let id = PercentEncoding.decode(first), !id.contains("://") else {
            throw CouchError.badRequest("Destination must be a document id.")
        }
        return (id, parts.count == 2 ? CouchQuery(String(parts[1])).text("rev") : nil)
    }
}

extension HTTPField.Name {
    /// The target of a `COPY`, a field of WebDAV (RFC 4918).
    static let destination = HTTPField.Name("Destination")!
}
