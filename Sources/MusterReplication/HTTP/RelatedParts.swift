import MusterWire

/// A document and its attachments as `multipart/related`, whose length is known before a byte of it is read.
struct RelatedParts: Sendable {
    private let writer = MultipartWriter()
    private let revision: ReplicatedRevision
    private let head: [UInt8]

    init(_ revision: ReplicatedRevision) {
        self.revision = revision
        var head = writer.head("application/json", isFirst: true)
        DocumentText.append(revision, to: &head, attachments: .following)
        self.head = head
    }

    /// The value of the `Content-Type` field.
    var contentType: String { writer.contentType("multipart/related") }

    /// The number of bytes of the whole body.
    var length: Int64 {
        revision.attachments.reduce(Int64(head.count + writer.end.count)) {
            $0 + Int64(head(of: $1).count) + $1.length
        }
    }

    /// The whole body in pieces. Each attachment is requested when its part begins.
    func pieces(_ source: @escaping AttachmentSource) -> AsyncThrowingStream<[UInt8], any Error> {
        let reading = Reading(parts: self, source: source)
        return AsyncThrowingStream { try await reading.next() }
    }

    private func head(of attachment: ReplicatedAttachment) -> [UInt8] {
        writer.head(ofFile: attachment.name, attachment.contentType, length: attachment.length)
    }

    /// The position in the body. Its only reader is the body of one request: that protects it.
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
                return parts.head(of: attachments[index])
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
                return parts.writer.end
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
