import MusterCore

/// A document and its attachments as `multipart/related`, whose length is known before a byte of it is read.
struct RelatedParts: Sendable {
    let boundary: String
    private let revision: ReplicatedRevision
    private let head: [UInt8]

    init(_ revision: ReplicatedRevision) {
        self.revision = revision
        boundary = Self.freeBoundary()
        var head = Array("--\(boundary)\r\nContent-Type: application/json\r\n\r\n".utf8)
        DocumentText.append(revision, to: &head, attachments: .following)
        self.head = head
    }

    /// Bytes of the whole.
    var length: Int64 {
        revision.attachments.reduce(Int64(head.count + end.count)) {
            $0 + Int64(partHead($1).count) + $1.length
        }
    }

    /// The whole, piece by piece; an attachment is asked for when its turn comes.
    func pieces(_ source: @escaping AttachmentSource) -> AsyncThrowingStream<[UInt8], any Error> {
        let reading = Reading(parts: self, source: source)
        return AsyncThrowingStream { try await reading.next() }
    }

    private func partHead(_ attachment: ReplicatedAttachment) -> [UInt8] {
        // What would break out of the header's line, or of its quotes, stands in the document's text as it is.
        let name = String(attachment.name.map { $0 == "\"" || $0.isNewline ? "_" : $0 })
        let type = String(attachment.contentType.filter { !$0.isNewline })
        return Array(
            ("\r\n--\(boundary)\r\nContent-Disposition: attachment; filename=\"\(name)\"\r\n"
                + "Content-Type: \(type)\r\nContent-Length: \(attachment.length)\r\n\r\n").utf8)
    }

    private var end: [UInt8] { Array("\r\n--\(boundary)--".utf8) }

    /// 128 bits of chance, which no attachment holds.
    private static func freeBoundary() -> String {
        "muster-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// How far the whole was read. One reader asks, the body of one request: that is what protects it.
    private final class Reading: @unchecked Sendable {
        private let parts: RelatedParts
        private let source: AttachmentSource
        private var step: Step = .head
        private var bytes: AttachmentBytes.Iterator?
        private var left: Int64 = 0

        private enum Step {
            case head
            case part(Int)
            case body(Int)
            case finished
        }

        init(parts: RelatedParts, source: @escaping AttachmentSource) {
            self.parts = parts
            self.source = source
        }

        func next() async throws -> [UInt8]? {
            let attachments = parts.revision.attachments
            switch step {
            case .head:
                step = attachments.isEmpty ? .finished : .part(0)
                return parts.head
            case .part(let index):
                let reference = reference(index)
                bytes = try await source(reference).makeAsyncIterator()
                left = attachments[index].length
                step = .body(index)
                return parts.partHead(attachments[index])
            case .body(let index):
                if let piece = try await bytes?.next() {
                    left -= Int64(piece.count)
                    guard left >= 0 else { throw ReplicationError.damagedAttachment(reference(index)) }
                    return piece
                }
                guard left == 0 else { throw ReplicationError.damagedAttachment(reference(index)) }
                guard index + 1 == attachments.count else {
                    step = .part(index + 1)
                    return try await next()
                }
                bytes = nil
                step = .finished
                return parts.end
            case .finished: return nil
            }
        }

        private func reference(_ index: Int) -> AttachmentReference {
            AttachmentReference(
                id: parts.revision.id, revision: parts.revision.revision,
                name: parts.revision.attachments[index].name)
        }
    }
}
