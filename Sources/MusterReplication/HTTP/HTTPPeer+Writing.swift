import MusterCore
import MusterMutex
import MusterWire

/// Writes revisions to a peer over HTTP.
extension HTTPPeer {
    /// Attachments of a document up to this many bytes together are sent within its text.
    private static let inlineBytes: Int64 = 64 << 10

    /// Posts documents to `_bulk_docs`. A document with large attachments is sent alone, as a stream
    /// (`multipart/related`).
    public func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        var refusals: [WriteRefusal] = []
        var batch = DocumentBatch()
        for revision in revisions {
            let length = revision.attachments.reduce(0) { $0 + $1.length }
            do {
                if length > Self.inlineBytes {
                    if let refusal = try await put(revision, attachments) { refusals.append(refusal) }
                    continue
                }
                var inline: [String: [UInt8]] = [:]
                for attachment in revision.attachments {
                    inline[attachment.name] = try await Self.whole(attachment, of: revision, attachments)
                }
                batch.add(revision, inline)
            } catch ReplicationError.damagedAttachment(let reference) {
                refusals.append(.damaged(reference))
                continue
            }
            if batch.byteCount >= requestBytes.withLock({ $0 }) {
                refusals += try await post(batch)
                batch = DocumentBatch()
            }
        }
        if !batch.documents.isEmpty { refusals += try await post(batch) }
        return refusals
    }

    /// The documents of one request.
    private struct DocumentBatch {
        private(set) var documents: [(revision: ReplicatedRevision, text: [UInt8])] = []
        /// The number of bytes of the documents.
        private(set) var byteCount = 0

        mutating func add(_ revision: ReplicatedRevision, _ inline: [String: [UInt8]]) {
            var text: [UInt8] = []
            DocumentText.append(revision, to: &text, attachments: .inline(inline))
            byteCount += text.count
            documents.append((revision, text))
        }

        /// The request's body.
        var body: [UInt8] {
            var bytes = Array("{\"new_edits\":false,\"docs\":[".utf8)
            bytes.reserveCapacity(byteCount + documents.count + 40)
            for (index, document) in documents.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += document.text
            }
            return bytes + Array("]}".utf8)
        }

        /// The revisions that a row of the response may refer to. A server need not name the revision: then it may be
        /// any of the document's that were sent. One that was stored after all is not missing in the next attempt.
        func revisions(of row: JSONValue) -> [(id: String, revision: Revision?)] {
            let id = row["id"]?.string ?? ""
            if let told = row["rev"]?.string.flatMap({ Revision($0) }) { return [(id, told)] }
            let sent = documents.filter { $0.revision.id == id }
            return sent.isEmpty ? [(id, nil)] : sent.map { (id, $0.revision.revision) }
        }

        /// The documents in two batches.
        var halves: (DocumentBatch, DocumentBatch) {
            var (left, right) = (DocumentBatch(), DocumentBatch())
            left.documents = Array(documents.prefix(documents.count / 2))
            right.documents = Array(documents.dropFirst(documents.count / 2))
            left.byteCount = left.documents.reduce(0) { $0 + $1.text.count }
            right.byteCount = byteCount - left.byteCount
            return (left, right)
        }

        /// The documents in batches of one.
        var singles: [DocumentBatch] {
            documents.map { document in
                var batch = DocumentBatch()
                batch.documents = [document]
                batch.byteCount = document.text.count
                return batch
            }
        }
    }

    /// Posts documents. If the server refuses the request as too large, they are posted in halves, and later requests
    /// are smaller; if it fails at the request, they are posted one by one. So only a document that is too large by
    /// itself is refused, and only one that the server fails at alone is left for later.
    private func post(_ batch: DocumentBatch) async throws -> [WriteRefusal] {
        let answer = try await exchange.send(
            exchange.makeRequest(.POST, "_bulk_docs", json: batch.body), admitting: [413, 500])
        if answer.status >= 300 {
            if batch.documents.count > 1 {
                guard answer.status == 413 else { return try await post(batch.singles) }
                requestBytes.withLock { $0 = min($0, max(1, batch.byteCount / 2)) }
                let (left, right) = batch.halves
                return try await post(left) + post(right)
            }
            return [Self.refusal(of: batch.documents[0].revision, answer)]
        }
        let rows: JSONValue
        do {
            rows = try JSONValue(parsing: answer.body)
        } catch {
            throw ReplicationError.malformed("_bulk_docs: \(error)")
        }
        var refusals: [WriteRefusal] = []
        for row in rows.elements ?? [] {
            // Some servers list accepted documents, others do not.
            guard let error = row["error"]?.string else { continue }
            refusals += batch.revisions(of: row).map { id, revision in
                WriteRefusal(
                    id: id, revision: revision, error: error, reason: row["reason"]?.string ?? "",
                    isPassing: row["status"]?.integer.map { $0 >= 500 } ?? Self.failures.contains(error))
            }
        }
        var seen: Set<ReplicatedRevision.Key> = []
        return refusals.filter { refusal in
            refusal.revision.map { seen.insert(.init(id: refusal.id, revision: $0)).inserted } ?? true
        }
    }

    /// Posts documents one by one.
    ///
    /// - Throws: `PeerError` if the server fails at the first documents and at the last one too. The server itself then
    ///   counts as failing.
    private func post(_ singles: [DocumentBatch]) async throws -> [WriteRefusal] {
        var refusals: [WriteRefusal] = []
        var rest = singles[...]
        while let single = rest.popFirst() {
            refusals += try await post(single)
            let count = singles.count - rest.count
            guard count == Self.failuresInARow, refusals.count == count, refusals.allSatisfy(\.isPassing),
                let last = rest.popLast()
            else { continue }
            let refused = try await post(last)
            refusals += refused
            if refused.contains(where: \.isPassing) { throw PeerError(refusals: refusals) }
        }
        return refusals
    }

    /// CouchDB's names of errors that are failures of the server, not refusals.
    private static let failures: Set<String> = [
        "internal_server_error", "unknown_error", "timeout", "service_unavailable", "content_md5_mismatch",
    ]

    /// The number of failures at consecutive documents after which the last one is tried.
    private static let failuresInARow = 3

    private static func whole(
        _ attachment: ReplicatedAttachment, of revision: ReplicatedRevision, _ source: AttachmentSource
    ) async throws -> [UInt8] {
        let reference = AttachmentReference(id: revision.id, revision: revision.revision, name: attachment.name)
        var bytes: [UInt8] = []
        for try await piece in try await source(reference) {
            bytes += piece
            guard bytes.count <= attachment.length else { throw ReplicationError.damagedAttachment(reference) }
        }
        guard bytes.count == attachment.length else { throw ReplicationError.damagedAttachment(reference) }
        return bytes
    }

    // MARK: Large attachments

    /// Streams a document and its attachments, each in a part of its own (`multipart/related`).
    private func put(
        _ revision: ReplicatedRevision, _ attachments: @escaping AttachmentSource
    ) async throws -> WriteRefusal? {
        let related = RelatedParts(revision)
        var request = exchange.makeRequest(
            .PUT, DatabaseAddress.path(ofDocument: revision.id), query: "new_edits=false")
        request.contentType = related.contentType
        request.body = { .stream(related.pieces(attachments), length: related.length) }
        request.deadlineSeconds = nil
        let answer = try await exchange.send(request, admitting: [400, 401, 403, 409, 412, 413, 415, 500])
        if answer.status < 300 || answer.status == 409 { return nil }
        // A validation function of the database may refuse a single document with 401 or 403. This request throws if
        // the credentials themselves are refused.
        if answer.status == 401 || answer.status == 403 { _ = try await information() }
        return Self.refusal(of: revision, answer)
    }

    /// The refusal of a document, from the server's response.
    private static func refusal(of revision: ReplicatedRevision, _ answer: HTTPExchange.Response) -> WriteRefusal {
        let value = try? JSONValue(parsing: answer.body)
        let error = value?["error"]?.string ?? "\(answer.status)"
        return WriteRefusal(
            id: revision.id, revision: revision.revision, error: error, reason: value?["reason"]?.string ?? "",
            isPassing: answer.status >= 500 || Self.failures.contains(error))
    }
}
