import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterStore
import MusterWire

/// The routes `_bulk_docs` and `_bulk_get`.
struct CouchBulkRoutes: CouchRoutes {
    let edits: CouchEditWriter

    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(
            .post, "/{db}/_bulk_docs", "Store many documents; the replicated ones in one transaction.", body: json,
            statuses: [201]
        ) { try await putMany($0) }
        routes.add(.post, "/{db}/_bulk_get", "Get many documents by id and revision.", body: json) { call in
            let database = try call.readable()
            guard let scope = database.scope else {
                throw CouchError.forbidden("Get the documents of users one by one.")
            }
            let body = try await call.json(limit: CouchLimits.bulkBytes)
            let wanted = try body.withUnsafeReadableBytes {
                try CouchWanted.list(parsing: $0, limit: CouchLimits.names)
            }
            let view = try DocumentReadOptions(call.query).ofSeveral
            // As in CouchDB, a client that accepts JSON gets JSON, even if it prefers multipart.
            if !call.accepts("application/json"), !call.accepts("*/*") {
                for type in ["multipart/mixed", "multipart/related"] where call.accepts(type) {
                    return try await call.send(CouchBulkParts(wanted, view: view, in: scope), as: type)
                }
            }
            return try await call.send(CouchBulkGet(wanted, view: view, in: scope))
        }
    }

    /// Stores the documents of a `_bulk_docs`. An error in one document is reported in its row, and the others are
    /// stored all the same.
    private func putMany(_ call: CouchCall) async throws -> Response {
        let access = try call.access()
        let database = try call.writable(by: access)
        let isAdministered = access.mayAdminister(database)
        let body = try await call.json(limit: CouchLimits.bulkBytes)
        let bulk = try body.withUnsafeReadableBytes { try CouchBulk(parsing: $0, limit: CouchLimits.documents) }
        // A client that sets it relies on it. Here, as in every CouchDB since version 2, one document may conflict
        // while others are stored.
        guard !bulk.isAllOrNothing else { throw CouchError.allOrNothing }
        var rows: [CouchBulkRow] = []
        rows.reserveCapacity(bulk.documents.count)
        for document in bulk.documents {
            rows.append(
                try await CouchBulkRow(
                    document, in: database, areNewEdits: bulk.areNewEdits, isAdministered: isAdministered,
                    call.coordinator))
        }
        var outcomes = try await edits.write(rows.compactMap(\.edit), to: database, for: call)[...]
        var locals = try await Self.write(rows.compactMap(\.local), in: database, for: call)[...]
        return .json(.created) { writer in
            writer.beginArray()
            for row in rows {
                switch row {
                case .refused(let refusal): writer.row(of: refusal)
                case .local(let edit):
                    if let outcome = locals.popFirst() {
                        writer.row(of: edit, outcome, areNewEdits: bulk.areNewEdits)
                    }
                case .edit(let edit):
                    if let outcome = outcomes.popFirst() {
                        writer.row(of: edit.id, outcome, areNewEdits: bulk.areNewEdits)
                    }
                }
            }
            writer.endArray()
        }
    }

    /// Stores and removes local documents in one transaction.
    ///
    /// - Returns: for each edit the number of the new revision, or why the edit was refused.
    private static func write(
        _ edits: [LocalEdit], in database: ResolvedDatabase, for call: CouchCall
    ) async throws -> [Result<Int64, CouchError>] {
        if edits.isEmpty { return [] }
        guard let locals = try call.access().locals(of: database) else { throw CouchError.forbidden }
        return try await call.coordinator.storeState { transaction, _ in
            try edits.map { edit in
                do {
                    return .success(try edit.apply(in: locals, transaction.documents))
                } catch let error as CouchError {
                    return .failure(error)
                }
            }
        }
    }
}

/// The JSON response to `_bulk_get`.
struct CouchBulkGet: PagedAnswer {
    private let wanted: [CouchWanted]
    private let view: DocumentReadOptions
    private let scope: DatabaseScope
    private var position = 0
    private var size = PageSize()
    private var writer = JSONWriter()
    private(set) var isComplete = false

    init(_ wanted: [CouchWanted], view: DocumentReadOptions, in scope: DatabaseScope) {
        self.wanted = wanted
        self.view = view
        self.scope = scope
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if position == 0 {
            writer.beginObject()
            writer.key("results")
            writer.beginArray()
        }
        let page = wanted[position..<min(position + size.count, wanted.count)]
        var opened: OpenedDocument?
        for item in page { try write(item, &opened, reader) }
        position += page.count
        isComplete = position == wanted.count
        if isComplete {
            writer.endArray()
            writer.endObject()
        }
        let bytes = writer.takeBytes()
        size.adjust(page.count, bytes: bytes.count)
        return bytes
    }

    /// Writes the result of one requested document.
    ///
    /// - Parameter opened: the document of the previous entry, which the next one often names again.
    private mutating func write(
        _ item: CouchWanted, _ opened: inout OpenedDocument?, _ reader: any DocumentReader
    ) throws {
        writer.beginObject()
        writer.member("id", item.id)
        writer.key("docs")
        writer.beginArray()
        let view = view.narrowed(to: item)
        do {
            for result in try item.find(view, in: scope, &opened, reader) {
                switch result {
                case .missing(let revision): writeError(of: item.id, revision, .missing)
                case .found(let found):
                    writer.beginObject()
                    writer.key("ok")
                    if view.attachments {
                        writer.raw(try found.text(view, reader))
                    } else {
                        try writer.document(found.rendering(view) { _ in true })
                    }
                    writer.endObject()
                }
            }
        } catch let error as CouchError {
            writeError(of: item.id, item.revision, error)
        } catch let error as CouchDocumentError {
            writeError(of: item.id, item.revision, CouchError(mapping: error) ?? .missing)
        }
        writer.endArray()
        writer.endObject()
    }

    private mutating func writeError(of id: String, _ revision: String?, _ error: CouchError) {
        writer.beginObject()
        writer.key("error")
        writer.refusal(of: id, revision, error)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes why a requested document is not returned.
    mutating func refusal(of id: String, _ revision: String?, _ error: CouchError) {
        beginObject()
        member("id", id)
        member("rev", revision ?? "undefined")
        couchError(error)
        endObject()
    }
}

extension DocumentReadOptions {
    /// The view without the attachments that the client has already.
    func narrowed(to wanted: CouchWanted) -> DocumentReadOptions {
        guard !wanted.attachmentsSince.isEmpty else { return self }
        var view = self
        view.attachments = true
        view.attachmentsSince = wanted.attachmentsSince
        return view
    }
}

extension CouchWanted {
    /// Returns the requested revisions: the named one, or else all leaves.
    ///
    /// - Parameter opened: the document of the previous entry, from the same snapshot. It is replaced by this one.
    func find(
        _ view: DocumentReadOptions, in scope: DatabaseScope, _ opened: inout OpenedDocument?,
        _ reader: any DocumentReader
    ) throws -> [CouchOpenRevisions.Result] {
        let named = try revision.map { text in
            guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text) }
            return [revision]
        }
        // A client that wants all leaves of a document requests one after the other.
        let last = opened.flatMap { $0.id.utf8.elementsEqual(id.utf8) ? $0 : nil }
        let document = try last ?? OpenedDocument(id, in: scope, reader)
        opened = document
        return try CouchOpenRevisions(revisions: named, latest: view.latest).find(in: document, reader)
    }
}
