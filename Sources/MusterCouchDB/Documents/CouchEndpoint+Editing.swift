import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterReplication
import MusterServer
import MusterWire
import NIOCore

/// Routes that write, copy and delete one document.
extension CouchEndpoint {
    func addEditing(to routes: inout RouteTable) {
        let types = ["application/json", "multipart/related"]
        add(
            .post, "/{db}", "Store a document under a new id.", body: types, statuses: [201], to: &routes
        ) { call in
            let place = try call.writable()
            var incoming = try await Self.incoming(call)
            if incoming.document.id == nil { incoming.document.id = Self.freshID() }
            return try await storeDocument(incoming, in: place, call)
        }
        for path in ["/{db}/{document}", "/{db}/_design/{document}"] {
            add(.put, path, "Store a document.", body: types, statuses: [201], to: &routes) { call in
                try await CouchError.telling(call) { try await putDocument(call) }
            }
            add(.delete, path, "Delete a document.", to: &routes) { try await deleteDocument($0) }
            add(.copy, path, "Copy a document to the id in Destination.", statuses: [201], to: &routes) {
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
        if id.hasPrefix(DocumentID.localPrefix) { return try await putLocal(call, id) }
        try DocumentID.check(id)
        if case .users = try call.readable().kind { return try await putUser(call, id) }
        let place = try call.writable()
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
        return try await storeDocument(incoming, in: place, call)
    }

    private func storeDocument(
        _ incoming: UploadedDocument, in place: ResolvedDatabase, _ call: CouchCall
    ) async throws -> Response {
        let areNewEdits = try call.query.flag("new_edits", otherwise: true)
        try call.requireRight(toPut: incoming.document.id ?? "", in: place)
        let edit = try await incoming.edit(in: place, areNewEdits: areNewEdits, coordinator)
        return try await carryOut(edit, in: place, call, edit.isDeleted ? .ok : .created)
    }

    private func deleteDocument(_ call: CouchCall) async throws -> Response {
        let id = try call.documentID()
        if id.hasPrefix(DocumentID.localPrefix) { return try await deleteLocal(call, id) }
        try DocumentID.check(id)
        if case .users = try call.readable().kind { return try await deleteUser(call, id) }
        let place = try call.writable()
        try call.requireRight(toPut: id, in: place)
        let edit = DocumentEdit(id: id, body: .empty, isDeleted: true, place: .on(try call.revision()))
        try await requireLiving(id, in: place, isNamed: edit.place != .on(nil))
        return try await carryOut(edit, in: place, call, .ok)
    }

    /// Checks that the document exists and is not deleted, and that the client names a revision.
    private func requireLiving(_ id: String, in place: ResolvedDatabase, isNamed: Bool) async throws {
        guard let scope = place.scope else { return }
        let winner = try await coordinator.readDocuments { try $0.document(id, in: scope)?.tree.winner }
        guard let winner else { throw CouchError.missing }
        guard !winner.isDeleted else { throw CouchError.deleted }
        guard isNamed else { throw CouchError.conflict }
    }

    private func copyDocument(_ call: CouchCall) async throws -> Response {
        let place = try call.writable()
        guard let scope = place.scope else { throw CouchError.forbidden }
        let (target, onto) = try call.destination()
        let source = try call.documentID()
        if source.hasPrefix(DocumentID.localPrefix) { return try await copyLocal(call, source) }
        let wanted = try DocumentReadOptions(call.query)
        let found = try await coordinator.readDocuments { try Self.find(wanted, of: source, in: scope, $0) }
        return try await copy(found.body, to: target, over: onto, in: place, call)
    }

    /// Stores the content of a document under another id, which may be that of a local document.
    ///
    /// - Parameter said: the text of the revision that the copy replaces; nil if the client names none.
    func copy(
        _ body: DocumentBody, to target: String, over said: String?, in place: ResolvedDatabase, _ call: CouchCall
    ) async throws -> Response {
        if target.hasPrefix(DocumentID.localPrefix) {
            guard body.attachments.isEmpty else { throw CouchError.localFiles }
            let edit = LocalEdit(name: try Self.localName(target), json: body.json, said: said, isDeleted: false)
            return try await carryOut(edit, in: place, call)
        }
        try DocumentAdmission.checkID(target, in: place)
        try call.requireRight(toPut: target, in: place)
        let revision = try said.map { text throws(CouchDocumentError) in
            guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text) }
            return revision
        }
        let edit = DocumentEdit(id: target, body: body, isDeleted: false, place: .on(revision))
        return try await carryOut(edit, in: place, call, .created)
    }

    /// Carries out one edit, and returns the response with its result.
    func carryOut(
        _ edit: DocumentEdit, in place: ResolvedDatabase, _ call: CouchCall, _ status: HTTPResponse.Status
    ) async throws -> Response {
        let outcome = try await write([edit], to: place, for: call)[0]
        let revision = try outcome.revision()
        var response = call.ok(status) { writer in
            writer.member("id", edit.id)
            writer.key("rev")
            writer.value(revision)
        }
        response.headers[.eTag] = "\"\(revision.text)\""
        if status == .created {
            response.headers[.location] =
                call.absoluteAddress(
                    of: "/\(PercentEncoding.encode(place.name))/\(PeerAddress.path(ofDocument: edit.id))")
        }
        return response
    }
}

extension EditOutcome {
    /// Returns the revision that is stored now.
    ///
    /// - Throws: `CouchError` if the edit failed.
    func revision() throws(CouchError) -> Revision {
        switch self {
        case .stored(let revision, _), .known(let revision): return revision
        case .conflict: throw .conflict
        case .missingAttachment(let name): throw .missingStub(name)
        }
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
    func requireRight(toPut id: String, in place: ResolvedDatabase) throws {
        guard id.hasPrefix(DocumentID.designPrefix) else { return }
        guard try access(in: coordinator.directory).mayAdminister(place) else {
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
