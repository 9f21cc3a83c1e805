import Hummingbird
import MusterCore
import MusterDocuments
import MusterStore
import MusterWire
import NIOCore

extension CouchEndpoint {
    func addLocals(to routes: inout RouteTable) {
        let path = "/{db}/_local/{document}"
        add(.get, path, "A document that is never replicated, such as a checkpoint.", to: &routes) { call in
            try await Self.showLocal(call, try call.documentID())
        }
        add(
            .put, path, "Put a document that is never replicated.", body: ["application/json"], statuses: [201],
            to: &routes
        ) { call in try await putLocal(call, try call.documentID()) }
        add(.delete, path, "Remove a document that is never replicated.", to: &routes) { call in
            try await deleteLocal(call, try call.documentID())
        }
        add(.get, "/{db}/_local_docs", "The documents that are never replicated.", to: &routes) { call in
            let place = try call.readable()
            let includesDocuments = try call.query.flag("include_docs")
            let limit = try call.query.count("limit") ?? Int.max
            return try await call.send(
                CouchLocalList(in: place.number, includesDocuments: includesDocuments, limit: limit))
        }
    }

    static func showLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.readable()
        let name = try localName(id)
        guard let database = place.number else { throw CouchFault.missing }
        let local = try await call.ledger.readDocuments { try $0.local(name, in: database) }
        guard let local else { throw CouchFault.missing }
        return .json { $0.local(local) }
    }

    func putLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.writable()
        let name = try Self.localName(id)
        guard let database = place.number else { throw CouchFault.forbidden }
        let body = try await call.json(limit: CouchLimits.documentBytes)
        let document = try body.withUnsafeReadableBytes { try CouchDocument(parsing: $0) }
        guard document.attachments.isEmpty else { throw CouchFault.badRequest("_local documents have no attachments.") }
        let said = document.revisionText ?? call.query.text("rev")
        let revision = try await ledger.keep { transaction, _ in
            let documents = transaction.documents
            let before = try documents.local(name, in: database)
            try Self.require(said, before)
            let revision = (before?.revision ?? 0) + 1
            try documents.put(LocalDocument(id: name, revision: revision, json: document.json), in: database)
            return revision
        }
        return call.ok(.created) { writer in
            writer.member("id", DocumentID.localPrefix + name)
            writer.member("rev", "0-\(revision)")
        }
    }

    func deleteLocal(_ call: CouchCall, _ id: String) async throws -> Response {
        let place = try call.writable()
        let name = try Self.localName(id)
        guard let database = place.number else { throw CouchFault.forbidden }
        let said = call.query.text("rev")
        try await ledger.keep { transaction, _ in
            guard let before = try transaction.documents.local(name, in: database) else { throw CouchFault.missing }
            try Self.require(said, before)
            try transaction.documents.removeLocal(name, from: database)
        }
        return call.ok { writer in
            writer.member("id", DocumentID.localPrefix + name)
            writer.member("rev", "0-0")
        }
    }

    /// Makes sure that whoever changes a document knows what it was.
    private static func require(_ said: String?, _ before: LocalDocument?) throws(CouchFault) {
        guard said == before.map({ "0-\($0.revision)" }) || (before == nil && said == "0-0") else { throw .conflict }
    }

    private static func localName(_ id: String) throws(CouchDocumentFault) -> String {
        let name = String(id.dropFirst(DocumentID.localPrefix.count))
        guard !name.isEmpty, name.utf8.count <= DocumentEdit.idLimitBytes else {
            throw .illegalID("Document id must not be empty")
        }
        return name
    }
}

extension JSONWriter {
    /// Writes a document that is never replicated.
    fileprivate mutating func local(_ local: LocalDocument) {
        beginObject()
        member("_id", DocumentID.localPrefix + local.id)
        member("_rev", "0-\(local.revision)")
        members(of: local.json)
        endObject()
    }
}

/// The answer to `_local_docs`.
struct CouchLocalList: PagedAnswer {
    private let database: DatabaseNumber?
    private let includesDocuments: Bool
    private var left: Int
    private var last: String?
    private var isBegun = false
    private var writer = JSONWriter()
    private(set) var isComplete = false

    /// - Parameter database: nil for what has none.
    init(in database: DatabaseNumber?, includesDocuments: Bool, limit: Int) {
        self.database = database
        self.includesDocuments = includesDocuments
        left = limit
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if !isBegun {
            isBegun = true
            writer.beginObject()
            writer.key("total_rows")
            writer.null()
            writer.key("offset")
            writer.null()
            writer.key("rows")
            writer.beginArray()
        }
        let limit = min(left, 100)
        let locals = try database.map { try reader.locals(in: $0, after: last, limit: limit) } ?? []
        for local in locals { write(local) }
        last = locals.last?.id ?? last
        left -= locals.count
        isComplete = locals.count < limit || left == 0
        if isComplete {
            writer.endArray()
            writer.endObject()
        }
        return writer.takeBytes()
    }

    private mutating func write(_ local: LocalDocument) {
        let id = DocumentID.localPrefix + local.id
        writer.beginObject()
        writer.member("id", id)
        writer.member("key", id)
        writer.key("value")
        writer.beginObject()
        writer.member("rev", "0-\(local.revision)")
        writer.endObject()
        if includesDocuments {
            writer.key("doc")
            writer.local(local)
        }
        writer.endObject()
    }
}
