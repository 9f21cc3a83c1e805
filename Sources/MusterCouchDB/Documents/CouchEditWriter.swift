import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterReplication
import MusterServer
import MusterStore
import MusterWire

/// Writes the edits that clients send, and makes the responses with their results.
struct CouchEditWriter: Sendable {
    /// Seals the secrets of orders in `_replicator`.
    let seal: ReplicationSeal

    /// Writes documents for the sender. An order is stored as the sender's, and its secrets are sealed.
    func write(
        _ edits: [DocumentEdit], to database: ResolvedDatabase, for call: CouchCall
    ) async throws -> [EditOutcome] {
        var edits = edits
        if database.name == DatabaseName.replicator, let principal = call.principal {
            edits = try seal.edits(edits, by: principal.name)
        }
        return try await call.coordinator.write(edits, to: database, by: call.author)
    }

    /// Writes one document, and returns the response with the result.
    func respond(
        writing edit: DocumentEdit, to database: ResolvedDatabase, for call: CouchCall, _ status: HTTPResponse.Status
    ) async throws -> Response {
        let outcome = try await write([edit], to: database, for: call)[0]
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
                    of: "/\(PercentEncoding.encode(database.name))/\(DatabaseAddress.path(ofDocument: edit.id))")
        }
        return response
    }

    /// Stores the content of a document under another id, which may be that of a local document.
    ///
    /// - Parameter said: the text of the revision that the copy replaces; nil if the client names none.
    func copy(
        _ body: DocumentBody, to target: String, over said: String?, in database: ResolvedDatabase, for call: CouchCall
    ) async throws -> Response {
        if target.hasPrefix(DocumentID.localPrefix) {
            guard body.attachments.isEmpty else { throw CouchError.localFiles }
            let edit = LocalEdit(name: try LocalEdit.name(of: target), json: body.json, said: said, isDeleted: false)
            return try await respond(writing: edit, in: try call.access().locals(of: database), for: call)
        }
        try DocumentAdmission.checkID(target, in: database)
        try call.requireRight(toPut: target, in: database)
        let revision = try said.map { text throws(CouchDocumentError) in
            guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text) }
            return revision
        }
        let edit = DocumentEdit(id: target, body: body, isDeleted: false, place: .on(revision))
        return try await respond(writing: edit, to: database, for: call, .created)
    }

    /// Stores or removes a local document, and returns the response with the result.
    ///
    /// - Parameter locals: where the sender's local documents are stored; nil if the database has none.
    func respond(
        writing edit: LocalEdit, in locals: LocalDocumentKey?, for call: CouchCall,
        _ status: HTTPResponse.Status = .created
    ) async throws -> Response {
        guard let locals else { throw CouchError.forbidden }
        let revision = try await call.coordinator.storeState { transaction, _ in
            try edit.apply(in: locals, transaction.documents)
        }
        return call.ok(status) { writer in
            writer.member("id", DocumentID.localPrefix + edit.name)
            writer.member("rev", "0-\(revision)")
        }
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
