import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// A multipart response: texts and the bytes of attachments in turn. The server reads the attachments as it sends them.
struct CouchMultipart: Sendable {
    fileprivate enum Piece: Sendable {
        case text([UInt8])
        case file(Attachment)
    }

    fileprivate var pieces: [Piece] = []

    mutating func add(_ text: [UInt8]) { pieces.append(.text(text)) }

    /// Appends a document with the attachments that the client wants (`multipart/related`), without the outermost
    /// header. The client must want at least one: if such a part has no attachment, CouchDB's replicator waits for one
    /// until its timeout.
    mutating func add(_ found: FoundRevision, _ wanted: DocumentReadOptions, _ parts: MultipartWriter) throws {
        var rendering = found.rendering(wanted) { _ in true }
        let files = found.body.attachments.filter { found.isWanted($0, wanted) }
        rendering.form = { files.contains($0) ? .following : .stub }
        var writer = JSONWriter()
        try writer.document(rendering)
        add(parts.head("application/json", isFirst: true))
        add(writer.bytes)
        for file in files {
            add(parts.head(ofFile: file.name, file.contentType, length: file.length))
            pieces.append(.file(file))
        }
        add(parts.end)
    }

    /// Appends the result of one requested revision as a part, with its attachments.
    mutating func add(_ result: CouchOpenRevisions.Result, _ wanted: DocumentReadOptions, _ parts: MultipartWriter)
        throws
    {
        var writer = JSONWriter()
        switch result {
        case .missing(let revision):
            writer.beginObject()
            writer.member("missing", revision)
            writer.endObject()
            addRefusal(writer.bytes, parts)
        case .found(let found) where !found.hasWantedFiles(wanted):
            try writer.document(found.rendering(wanted) { _ in true })
            add(parts.head("application/json"))
            add(writer.bytes)
        case .found(let found):
            let inner = MultipartWriter()
            add(parts.head(inner.contentType("multipart/related")))
            try add(found, wanted, inner)
        }
    }

    /// Appends a part that says why a document is not returned.
    mutating func addRefusal(_ json: [UInt8], _ parts: MultipartWriter) {
        add(parts.head("application/json; error=\"true\""))
        add(json)
    }

    /// The number of bytes of text.
    var textBytes: Int {
        pieces.reduce(0) { sum, piece in if case .text(let bytes) = piece { sum + bytes.count } else { sum } }
    }

    /// Makes the HTTP response.
    func response(_ type: String, _ call: CouchCall) -> Response {
        let coordinator = call.coordinator
        return Response(
            status: .ok, headers: [.contentType: type],
            body: ResponseBody { writer in
                try await writer.send(self, from: coordinator)
                try await writer.finish(nil)
            })
    }
}

extension ResponseBodyWriter {
    /// Sends the pieces of a multipart response.
    ///
    /// - Throws: `CouchError.noAttachment` as below.
    mutating func send(_ parts: CouchMultipart, from coordinator: StoreCoordinator) async throws {
        for piece in parts.pieces {
            switch piece {
            case .text(let bytes): try await write(ByteBuffer(bytes: bytes))
            case .file(let file): try await send(file, 0..<file.length, from: coordinator)
            }
        }
    }

    /// Sends a range of an attachment, piece by piece.
    ///
    /// - Throws: `CouchError.noAttachment` if the bytes are no longer stored. The response then ends early, which the
    ///   client notices.
    mutating func send(_ file: Attachment, _ range: Range<Int64>, from coordinator: StoreCoordinator) async throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let start = offset
            let limit = Int(min(Int64(CouchLimits.pieceBytes), range.upperBound - start))
            let bytes = try await coordinator.readDocuments { try $0.bytes(of: file.key, from: start, limit: limit) }
            guard let bytes, !bytes.isEmpty else { throw CouchError.noAttachment }
            offset += Int64(bytes.count)
            try await write(ByteBuffer(bytes: bytes))
        }
    }
}

extension CouchMultipart {
    /// Makes the response with a document and its attachments.
    static func related(_ found: FoundRevision, _ wanted: DocumentReadOptions, _ call: CouchCall) throws -> Response {
        let parts = MultipartWriter()
        var body = CouchMultipart()
        try body.add(found, wanted, parts)
        var response = body.response(parts.contentType("multipart/related"), call)
        response.headers[.eTag] = "\"\(found.revision.text)\""
        return response
    }

    /// Makes the response with several revisions and their attachments.
    static func mixed(
        _ results: [CouchOpenRevisions.Result], _ wanted: DocumentReadOptions, _ call: CouchCall
    ) throws -> Response {
        // A client that requests open revisions as multipart wants every attachment that it does not have.
        var wanted = wanted
        wanted.attachments = true
        let parts = MultipartWriter()
        var body = CouchMultipart()
        for result in results { try body.add(result, wanted, parts) }
        body.add(parts.end)
        return body.response(parts.contentType("multipart/mixed"), call)
    }
}
