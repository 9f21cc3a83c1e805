public import MusterCore

/// A revision of a document in transit from one peer to the other.
public struct ReplicatedRevision: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision and its ancestors, newest first, generations going down by one; never empty.
    public var path: [Revision]
    /// Whether the revision is a deletion.
    public var isDeleted: Bool
    /// The text of one JSON object, without members whose names begin with `_` and without space outside of strings.
    public var json: [UInt8]
    /// Its attachments, without their bytes.
    public var attachments: [ReplicatedAttachment]
    /// Why the revision cannot be replicated: the source does not deliver it, or it exceeds the size limit. Such a
    /// revision has no text, is never written, and counts as refused. Nil for every other revision.
    public var refusal: WriteRefusal?

    /// The revision itself.
    public var revision: Revision { path[0] }

    /// Identifies a revision among those of several documents.
    struct Key: Hashable, Sendable {
        var id: String
        var revision: Revision
    }

    var key: Key { Key(id: id, revision: revision) }

    /// Makes a revision.
    ///
    /// - Precondition: `path` is not empty.
    public init(
        id: String, path: [Revision], isDeleted: Bool = false, json: [UInt8],
        attachments: [ReplicatedAttachment] = []
    ) {
        precondition(!path.isEmpty, "a path has its own revision")
        self.id = id
        self.path = path
        self.isDeleted = isDeleted
        self.json = json
        self.attachments = attachments
    }

    /// Makes a revision that cannot be replicated.
    package init(refused id: String, _ revision: Revision, error: String, reason: String, isPassing: Bool = false) {
        self.init(id: id, path: [revision], json: [])
        refusal = WriteRefusal(id: id, revision: revision, error: error, reason: reason, isPassing: isPassing)
    }
}

/// The metadata of an attachment.
public struct ReplicatedAttachment: Hashable, Sendable {
    /// Its name in the document.
    public var name: String
    /// Its media type.
    public var contentType: String
    /// `md5-` and the digest in base 64, as the peer reports it. The digest may be that of a compressed form, so it
    /// does not verify the bytes.
    public var digest: String
    /// The number of its bytes.
    public var length: Int64
    /// The generation of the revision that it came with.
    public var revisionPosition: Int32
    /// Whether the digest is known to be that of the uncompressed bytes. A peer that stores the bytes knows this.
    package var isDigestOfBytes = false

    public init(name: String, contentType: String, digest: String, length: Int64, revisionPosition: Int32) {
        self.name = name
        self.contentType = contentType
        self.digest = digest
        self.length = length
        self.revisionPosition = revisionPosition
    }
}

/// Identifies an attachment of a revision.
public struct AttachmentReference: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision that has the attachment.
    public var revision: Revision
    /// The attachment's name.
    public var name: String

    /// Identifies an attachment of a revision.
    public init(id: String, revision: Revision, name: String) {
        self.id = id
        self.revision = revision
        self.name = name
    }
}

/// The bytes of an attachment, in pieces; each is read on demand.
public typealias AttachmentBytes = AsyncThrowingStream<[UInt8], any Error>

/// Opens an attachment at the peer that has it. Nothing is read before the stream is.
public typealias AttachmentSource = @Sendable (AttachmentReference) async throws -> AttachmentBytes

/// Thrown when a peer failed at every revision of a batch that was tried. The peer itself is then treated as failing.
public struct PeerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The refusals of the revisions that were tried one at a time.
    public var refusals: [WriteRefusal]

    /// One sentence without a full stop.
    public var description: String {
        "the peer failed at all that was tried: \(refusals.first?.reason ?? "it did not say why")"
    }
}

/// A revision that a peer did not store, and the reason. The replication goes on with the others.
public struct WriteRefusal: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision; nil if the peer names none.
    public var revision: Revision?
    /// CouchDB's name of the error, such as `forbidden`.
    public var error: String
    /// The reason, in one sentence for people.
    public var reason: String
    /// Whether a later attempt may succeed: the peer failed repeatedly at this revision alone, but did not refuse it.
    /// The replication logs list such a revision as outstanding, and the replication asks for it again.
    public var isPassing: Bool

    /// Makes a refusal from a peer's response; `isPassing` if the peer failed and did not refuse.
    public init(id: String, revision: Revision?, error: String, reason: String, isPassing: Bool = false) {
        self.id = id
        self.revision = revision
        self.error = error
        self.reason = reason
        self.isPassing = isPassing
    }

    /// The refusal of a revision whose attachment is unavailable or does not match what the peer announced.
    static func damaged(_ reference: AttachmentReference) -> WriteRefusal {
        let error = ReplicationError.damagedAttachment(reference)
        return WriteRefusal(
            id: reference.id, revision: reference.revision, error: "damaged_attachment", reason: error.description,
            isPassing: true)
    }

    /// The revision, when a later attempt may succeed; otherwise nil.
    var outstanding: ReplicatedRevision.Key? {
        isPassing ? revision.map { ReplicatedRevision.Key(id: id, revision: $0) } : nil
    }
}
