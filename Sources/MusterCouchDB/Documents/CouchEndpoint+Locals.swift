import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Routes of `_local` documents, where replicators keep their checkpoints.
extension CouchEndpoint {
    func addLocals(to routes: inout RouteTable) {
        let path = "/{db}/_local/{document}"
        add(.get, path, "Get a local document, such as a checkpoint.", to: &routes) { call in
            try await Self.showLocal(call, try call.documentID())
        }
        add(
            .put, path, "Store a local document.", body: ["application/json"], statuses: [201],
            to: &routes
        ) { call in try await putLocal(call, try call.documentID()) }
        add(.delete, path, "Remove a local document.", to: &routes) { call in
            try await deleteLocal(call, try call.documentID())
        }
        add(
            .copy, path, "Copy a local document to the id in Destination.", statuses: [201],
            to: &routes
        ) { try await copyLocal($0, try $0.documentID()) }
        for method in [HTTPRequest.Method.get, .put, .delete] {
            add(
                method, path + "/{attachment...}", "Local documents have no attachments.", statuses: [],
                to: &routes
            ) {
                _ = try $0.readable()
                throw CouchError.localFiles
            }
        }
        let list = "/{db}/_local_docs"
        add(.get, list, "List the local documents by id.", to: &routes) { call in
            try await Self.listLocals(call, body: .object([]))
        }
        add(.post, list, "List the local documents by id.", body: ["application/json"], to: &routes) {
            _ = try $0.readable()
            return try await Self.listLocals($0, body: try await $0.tree(limit: CouchLimits.bulkBytes))
        }
        add(
            .post, list + "/queries", "Several lists of local documents.",
            body: ["application/json"], to: &routes
        ) { call in
            let place = try call.readable()
            let queries = try await call.listings()
            let locals = try call.locals(of: place)
            return try await call.send(CouchLists(queries.map { CouchList($0, of: LocalRows(in: locals)) }))
        }
    }

    private static func listLocals(_ call: CouchCall, body: JSONValue) async throws -> Response {
        let place = try call.readable()
        let rows = LocalRows(in: try call.locals(of: place))
        return try await call.send(CouchList(CouchListing(call.query, body: body), of: rows))
    }

    static func showLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.readable()
        let name = try localName(id)
        guard let locals = try call.locals(of: place),
            let local = try await call.coordinator.readDocuments({
                try $0.local(locals.name(name), in: locals.database)
            })
        else { throw CouchError.missing }
        return .json { $0.local(local, name) }
    }

    func putLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.readable()
        let name = try Self.localName(id)
        let body = try await call.json(limit: CouchLimits.documentBytes)
        let document = try body.withUnsafeReadableBytes { try CouchDocument(parsing: $0, isLocal: true) }
        let said = document.revisionText ?? call.query.text("rev")
        let edit = LocalEdit(name: name, json: document.json, said: said, isDeleted: document.isDeleted)
        return try await carryOut(edit, in: place, call)
    }

    /// Stores or removes a local document, and returns the response with the result.
    func carryOut(_ edit: LocalEdit, in place: ResolvedDatabase, _ call: CouchCall) async throws -> Response {
        guard let locals = try call.locals(of: place) else { throw CouchError.forbidden }
        let revision = try await coordinator.storeState { transaction, _ in
            try edit.carryOut(in: locals, transaction.documents)
        }
        return call.ok(.created) { writer in
            writer.member("id", DocumentID.localPrefix + edit.name)
            writer.member("rev", "0-\(revision)")
        }
    }

    /// Copies a local document to another document, local or not.
    func copyLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.writable()
        let name = try Self.localName(id)
        let (target, onto) = try call.destination()
        guard let locals = try call.locals(of: place) else { throw CouchError.forbidden }
        let source = try await coordinator.readDocuments { try $0.local(locals.name(name), in: locals.database) }
        guard let source else { throw CouchError.missing }
        return try await copy(DocumentBody(json: source.json), to: target, over: onto, in: place, call)
    }

    func deleteLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.readable()
        let name = try Self.localName(id)
        guard let locals = try call.locals(of: place) else { throw CouchError.forbidden }
        let edit = LocalEdit(name: name, json: [], said: call.query.text("rev"), isDeleted: true)
        _ = try await coordinator.storeState { transaction, _ in try edit.carryOut(in: locals, transaction.documents) }
        return call.ok { writer in
            writer.member("id", DocumentID.localPrefix + name)
            writer.member("rev", "0-0")
        }
    }

    /// Stores and removes local documents in one transaction.
    ///
    /// - Returns: for each edit the number of the new revision, or why the edit was refused.
    func write(
        _ edits: [LocalEdit], in place: ResolvedDatabase, _ call: CouchCall
    ) async throws -> [Result<Int64, CouchError>] {
        if edits.isEmpty { return [] }
        guard let locals = try call.locals(of: place) else { throw CouchError.forbidden }
        return try await coordinator.storeState { transaction, _ in
            try edits.map { edit in
                do {
                    return .success(try edit.carryOut(in: locals, transaction.documents))
                } catch let fault as CouchError {
                    return .failure(fault)
                }
            }
        }
    }

    static func localName(_ id: String) throws(CouchDocumentError) -> String {
        let name = String(id.dropFirst(DocumentID.localPrefix.count))
        guard !name.isEmpty else { throw .illegalID("Document id must not be empty") }
        guard name.utf8.count <= DocumentEdit.idLimitBytes else { throw .illegalID("Document id is too long") }
        return name
    }
}

/// An edit of a local document (`_local/…`), which is never replicated.
struct LocalEdit: Sendable {
    /// The id without `_local/`.
    var name: String
    /// The new content.
    var json: [UInt8]
    /// The text of the revision that the edit replaces; nil if the client names none.
    var said: String?
    /// Whether the edit removes the document.
    var isDeleted: Bool

    init(name: String, json: [UInt8], said: String?, isDeleted: Bool) {
        self.name = name
        self.json = json
        self.said = said
        self.isDeleted = isDeleted
    }

    /// Makes the edit of a document that a client sent. Its attachments are dropped, as CouchDB drops them.
    ///
    /// - Throws: `CouchDocumentError` for an id that no document may have.
    init(_ document: CouchDocument, _ id: String) throws(CouchDocumentError) {
        name = try CouchEndpoint.localName(id)
        json = document.json
        said = document.revisionText
        isDeleted = document.isDeleted
    }

    /// Stores or removes the document.
    ///
    /// - Returns: the number of the new revision; 0 for a removed document.
    /// - Throws: `CouchError.missing` if the document to remove does not exist, `.conflict` if the client names another
    ///   revision than the stored one.
    func carryOut(in locals: LocalDocumentKey, _ documents: any DocumentWriter) throws -> Int64 {
        let place = locals.name(name)
        let before = try documents.local(place, in: locals.database)
        if isDeleted, before == nil { throw CouchError.missing }
        guard said == before.map({ "0-\($0.revision)" }) || (before == nil && said == "0-0") else {
            throw CouchError.conflict
        }
        if isDeleted {
            try documents.removeLocal(place, from: locals.database)
            return 0
        }
        let revision = (before?.revision ?? 0) + 1
        try documents.put(LocalDocument(id: place, revision: revision, json: json), in: locals.database)
        return revision
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
