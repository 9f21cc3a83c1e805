import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// The multipart response to `_bulk_get`: each revision is a part, followed by parts with its attachments. The server
/// reads a page of documents at a time, and the attachments as it sends them.
struct CouchBulkParts: Sendable {
    private let wanted: [CouchWanted]
    private var view: DocumentReadOptions
    private let scope: DatabaseScope
    private let writer = MultipartWriter()
    private var position = 0
    private var size = PageSize()

    init(_ wanted: [CouchWanted], view: DocumentReadOptions, in scope: DatabaseScope) {
        self.wanted = wanted
        self.view = view
        // A client that accepts multipart wants the attachments.
        self.view.attachments = true
        self.scope = scope
    }

    /// Whether all parts were returned.
    var isComplete: Bool { position == wanted.count }

    /// Returns the value of the response's `Content-Type`.
    fileprivate func contentType(_ type: String) -> String { writer.contentType(type) }

    /// Returns the parts of the next page. Blocks while it reads.
    fileprivate mutating func next(_ reader: any DocumentReader) throws -> CouchMultipart {
        var parts = CouchMultipart()
        let page = wanted[position..<min(position + size.count, wanted.count)]
        var opened: OpenedDocument?
        for item in page { try add(item, to: &parts, &opened, reader) }
        position += page.count
        if isComplete { parts.add(writer.end) }
        size.adjust(page.count, bytes: parts.textBytes)
        return parts
    }

    /// Adds the parts of one requested document.
    ///
    /// - Parameter opened: the document of the previous entry, which the next one often names again.
    private func add(
        _ item: CouchWanted, to parts: inout CouchMultipart, _ opened: inout OpenedDocument?,
        _ reader: any DocumentReader
    ) throws {
        let view = view.narrowed(to: item)
        let results: [CouchOpenRevisions.Result]
        do {
            results = try item.find(view, in: scope, &opened, reader)
        } catch {
            guard let couchError = CouchError(mapping: error), couchError.status.kind == .clientError else {
                throw error
            }
            var json = JSONWriter()
            json.refusal(of: item.id, item.revision, couchError)
            return parts.addRefusal(json.bytes, writer)
        }
        for result in results { try parts.add(result, view, writer) }
    }
}

extension CouchCall {
    /// Sends the parts. An error on the first page becomes the response's status.
    ///
    /// - Parameter type: the media type, without its boundary.
    func send(_ answer: CouchBulkParts, as type: String) async throws -> Response {
        let coordinator = coordinator
        let (begun, first) = try await coordinator.parts(of: answer)
        return Response(
            status: .ok, headers: [.contentType: answer.contentType(type)],
            body: ResponseBody { writer in
                try await writer.send(first, from: coordinator)
                var answer = begun
                while !answer.isComplete {
                    let (advanced, parts) = try await coordinator.parts(of: answer)
                    answer = advanced
                    try await writer.send(parts, from: coordinator)
                }
                try await writer.finish(nil)
            })
    }
}

extension StoreCoordinator {
    /// Reads the parts of the next page on a reader thread.
    fileprivate func parts(of answer: CouchBulkParts) async throws -> (CouchBulkParts, CouchMultipart) {
        try await readDocuments { reader in
            var answer = answer
            let parts = try answer.next(reader)
            return (answer, parts)
        }
    }
}
