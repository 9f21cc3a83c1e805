public import MusterCore

/// A revision of a document on its way from one peer to the other.
public struct ReplicatedRevision: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision and its ancestors, newest first, generations going down by one; never empty.
    public var path: [Revision]
    /// Whether it says that the document is no more.
    public var isDeleted: Bool
    /// The text of one JSON object, without members whose names begin with `_` and without space outside of strings.
    public var json: [UInt8]
    /// Its attachments, without their bytes.
    public var attachments: [ReplicatedAttachment]
    /// Why nobody can have it: its source does not tell it, or it is more than is read. Then it has no text, is written
    /// nowhere, and is counted as refused. Nil for every other.
    public var refusal: WriteRefusal?

    /// The revision itself.
    public var revision: Revision { path[0] }

    /// What tells revisions of several documents apart.
    struct Key: Hashable, Sendable {
        var id: String
        var revision: Revision
    }

    var key: Key { Key(id: id, revision: revision) }

    /// A revision on its way.
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

    /// One that nobody can have.
    package init(refused id: String, _ revision: Revision, error: String, reason: String, isPassing: Bool = false) {
        self.init(id: id, path: [revision], json: [])
        refusal = WriteRefusal(id: id, revision: revision, error: error, reason: reason, isPassing: isPassing)
    }
}

/// What is said of an attachment beside its bytes.
public struct ReplicatedAttachment: Hashable, Sendable {
    /// Its name in the document.
    public var name: String
    /// Its media type.
    public var contentType: String
    /// `md5-` and the digest in base 64, as the peer says; it may be of a packed form, so it proves nothing.
    public var digest: String
    /// How many bytes it has.
    public var length: Int64
    /// The generation of the revision that it came with.
    public var revisionPosition: Int32
    /// Whether the digest is known to be of the bytes themselves: those who keep the bytes know it.
    package var isDigestOfBytes = false

    /// What is said of an attachment.
    public init(name: String, contentType: String, digest: String, length: Int64, revisionPosition: Int32) {
        self.name = name
        self.contentType = contentType
        self.digest = digest
        self.length = length
        self.revisionPosition = revisionPosition
    }
}

/// Which attachment of which revision.
public struct AttachmentReference: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision.
    public var revision: Revision
    /// The attachment's name.
    public var name: String

    /// Which attachment of which revision.
    public init(id: String, revision: Revision, name: String) {
        self.id = id
        self.revision = revision
        self.name = name
    }
}

/// The bytes of an attachment, in pieces; each is read when it is asked for.
public typealias AttachmentBytes = AsyncThrowingStream<[UInt8], any Error>

/// Gives the bytes of attachments.
public typealias AttachmentSource = @Sendable (AttachmentReference) async throws -> AttachmentBytes

/// A peer failed at all of a batch that was tried: it is the peer that fails, as far as that tells.
public struct PeerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Those that were tried alone.
    public var refusals: [WriteRefusal]

    /// One sentence without a full stop.
    public var description: String {
        "the peer failed at all that was tried: \(refusals.first?.reason ?? "it did not say why")"
    }
}

/// A revision that a peer will not have.
public struct WriteRefusal: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revision, where the peer says which.
    public var revision: Revision?
    /// CouchDB's word for why: `forbidden`, say.
    public var error: String
    /// Why, in a sentence.
    public var reason: String
    /// Whether the peer may have it later: asked for this one alone it failed, again and again, and did not say no. The
    /// logs name such a one as outstanding, and it is asked for again.
    public var isPassing: Bool

    /// A revision that a peer will not have.
    public init(id: String, revision: Revision?, error: String, reason: String, isPassing: Bool = false) {
        self.id = id
        self.revision = revision
        self.error = error
        self.reason = reason
        self.isPassing = isPassing
    }

    /// Of a revision whose attachment is not what was promised, or is not to be had.
    static func damaged(_ reference: AttachmentReference) -> WriteRefusal {
        let fault = ReplicationError.damagedAttachment(reference)
        return WriteRefusal(
            id: reference.id, revision: reference.revision, error: "damaged_attachment", reason: fault.description,
            isPassing: true)
    }

    /// Which revision it is of, where that may be had later.
    var outstanding: ReplicatedRevision.Key? {
        isPassing ? revision.map { ReplicatedRevision.Key(id: id, revision: $0) } : nil
    }
}
