import Crypto
import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// Routes that read, store and remove attachments.
struct CouchAttachmentRoutes: CouchRoutes {
    let edits: CouchEditWriter

    func register(in routes: inout CouchRouteTable) {
        for path in ["/{db}/{document}/{attachment...}", "/{db}/_design/{document}/{attachment...}"] {
            routes.add(.get, path, "Get an attachment.") { try await Self.attachment($0) }
            routes.add(.head, path, "Check that an attachment exists.") { try await Self.attachment($0) }
            routes.add(
                .put, path, "Store an attachment.", body: ["application/octet-stream"], statuses: [201]
            ) { try await putAttachment($0) }
            routes.add(.delete, path, "Remove an attachment.") { try await removeAttachment($0) }
        }
    }

    /// The names after a document's id that CouchDB would compute with JavaScript.
    private static let computed: Set<String> = [
        "_view", "_show", "_list", "_update", "_rewrite", "_search", "_nouveau", "_info", "_search_info",
        "_search_disk_size", "_nouveau_info",
    ]

    private static func attachmentName(_ call: CouchCall) throws(CouchError) -> String {
        let name = try call.rest()
        if let first = name.split(separator: "/").first, computed.contains(String(first)) {
            throw .notImplemented("Views, shows, lists, updates and rewrites")
        }
        guard name.utf8.first != UInt8(ascii: "_") else {
            throw .badRequest("Attachment name '\(name)' starts with prohibited character '_'")
        }
        return name
    }

    // MARK: Reading

    private static func attachment(_ call: CouchCall) async throws -> Response {
        let database = try call.readable()
        let id = try call.documentID()
        try DocumentID.checkForm(of: id)
        let name = try attachmentName(call)
        guard let scope = database.scope else { throw CouchError.missing }
        let wanted = try DocumentReadOptions(call.query)
        let found = try await call.coordinator.readDocuments { try wanted.find(id, in: scope, $0) }
        guard let file = found.body.attachments.first(where: { $0.name == name }) else { throw CouchError.noAttachment }
        let digest = Base64.encode(file.md5)
        var headers: HTTPFields = [
            .contentType: CouchAttachment.mediaType(file.contentType), .eTag: "\"\(digest)\"", .acceptRanges: "bytes",
            .cacheControl: "must-revalidate",
            // No browser may run an attachment as a page of this server, whatever its media type.
            .contentSecurityPolicy: "sandbox",
        ]
        if call.request.headers[.ifNoneMatch]?.contains("\"\(digest)\"") == true {
            return Response(status: .notModified, headers: headers)
        }
        let range = try ByteRange.parse(call.request.headers[.range], of: file.length)
        // The digest covers all bytes, so a response with a range has none.
        if range == nil { headers[.init("Content-MD5")!] = digest }
        if let range { headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)" }
        let sent = range ?? 0..<file.length
        let status: HTTPResponse.Status = range == nil ? .ok : .partialContent
        let coordinator = call.coordinator
        return Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: Int(sent.upperBound - sent.lowerBound)) { writer in
                try await writer.send(file, sent, from: coordinator)
                try await writer.finish(nil)
            })
    }

    // MARK: Storing

    private func putAttachment(_ call: CouchCall) async throws -> Response {
        let database = try call.writable()
        let id = try call.documentID()
        try DocumentAdmission.checkID(id, in: database)
        try call.requireRight(toPut: id, in: database)
        let name = try Self.attachmentName(call)
        let parent = try call.revision()
        let type = call.request.headers[.contentType] ?? "application/octet-stream"
        guard CouchAttachment.isMediaType(type) else { throw CouchError.badRequest("Invalid Content-Type") }
        // This comes before the bytes are received, so that a client with a wrong revision does not send them in vain.
        var body = try await Self.body(of: id, at: parent, in: database, for: call)
        let file = try await Self.storeBody(of: call, as: name)
        let attachment = file.attachment(name, type, position: (parent?.generation ?? 0) + 1)
        body.attachments.removeAll { $0.name == name }
        guard body.attachments.count < CouchDocument.attachmentLimit else {
            throw CouchError.badRequest("A document has at most \(CouchDocument.attachmentLimit) attachments.")
        }
        // CouchDB puts a new attachment first in the list, which its digest covers.
        body.attachments.insert(attachment, at: 0)
        let edit = DocumentEdit(id: id, body: body, isDeleted: false, place: .on(parent))
        return try await edits.respond(writing: edit, to: database, for: call, .created)
    }

    /// Stores the body of the request.
    private static func storeBody(of call: CouchCall, as name: String) async throws -> StoredFile {
        let told = call.request.headers[.contentLength].flatMap { Int64($0) }
        if let told, told > CouchLimits.attachmentBytes {
            throw CouchError.tooLarge(limitBytes: CouchLimits.attachmentBytes)
        }
        let encoding = call.request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard ["identity", "gzip"].contains(encoding) else { throw CouchError.unknownEncoding }
        if encoding == "gzip" {
            var packed = CouchAttachment(name: name)
            packed.isPacked = true
            let bytes = try await call.request.body.collect(upTo: CouchLimits.attachmentBytes)
            return try await AttachmentUpload.store(Array(bytes.readableBytesView), as: packed, call.coordinator)
        }
        var intake = AttachmentUpload(call.coordinator)
        do {
            for try await buffer in call.request.body { try await intake.append(buffer.readableBytesView) }
            guard told == nil || told == intake.length else {
                throw CouchError.badRequest("The body is shorter than its Content-Length.")
            }
            let file = try await intake.finish()
            if let digest = call.request.headers[.init("Content-MD5")!], Base64.decode(digest) != file.md5 {
                throw CouchError(.badRequest, "content_md5_mismatch", "Possible message corruption.")
            }
            return file
        } catch {
            await intake.abandon()
            throw error
        }
    }

    private func removeAttachment(_ call: CouchCall) async throws -> Response {
        let database = try call.writable()
        let id = try call.documentID()
        try DocumentAdmission.checkID(id, in: database)
        try call.requireRight(toPut: id, in: database)
        let name = try Self.attachmentName(call)
        guard let parent = try call.revision() else { throw CouchError.conflict }
        var body = try await Self.body(of: id, at: parent, in: database, for: call)
        guard body.attachments.contains(where: { $0.name == name }) else { throw CouchError.noAttachment }
        body.attachments.removeAll { $0.name == name }
        let edit = DocumentEdit(id: id, body: body, isDeleted: false, place: .on(parent))
        return try await edits.respond(writing: edit, to: database, for: call, .ok)
    }

    /// Returns the content of the edited leaf; empty content if the edit creates the document.
    ///
    /// - Throws: `CouchError.missing` if there is no such document, `.conflict` if `parent` is not a leaf, the document
    ///   is deleted, or the edit names no revision of an existing document.
    private static func body(
        of id: String, at parent: Revision?, in database: ResolvedDatabase, for call: CouchCall
    ) async throws -> DocumentBody {
        guard let scope = database.scope else { throw CouchError.missing }
        return try await call.coordinator.readDocuments { reader in
            let document = try reader.document(id, in: scope)
            guard let parent else {
                guard document?.tree.winner.map(\.isDeleted) ?? true else { throw CouchError.conflict }
                return .empty
            }
            guard let document else { throw CouchError.missing }
            guard document.tree.winner?.isDeleted == false, document.tree.isLeaf(parent) else {
                throw CouchError.conflict
            }
            return try reader.body(of: parent, document, scope)
        }
    }
}

/// A range of an attachment's bytes, from a `Range` field (RFC 9110, section 14.2).
enum ByteRange {
    /// Returns the one range of bytes that the field requests; nil if the client gets all bytes, because the field is
    /// absent, malformed or lists several ranges.
    ///
    /// - Throws: `CouchError` with status 416 if the range is outside the attachment.
    static func parse(_ field: String?, of length: Int64) throws(CouchError) -> Range<Int64>? {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (Int64(parts[0]), Int64(parts[1]))
        if let first {
            guard first >= 0, first < length else { throw unsatisfiable(length) }
            let end = min(last ?? length - 1, length - 1)
            return end >= first ? first..<end + 1 : nil
        }
        guard parts[0].isEmpty, let last, last >= 0 else { return nil }
        guard last > 0, length > 0 else { throw unsatisfiable(length) }
        return max(0, length - last)..<length
    }

    private static func unsatisfiable(_ length: Int64) -> CouchError {
        var error = CouchError(
            .rangeNotSatisfiable, "requested_range_not_satisfiable", "Requested range not satisfiable")
        error.headers[.contentRange] = "bytes */\(length)"
        return error
    }
}
