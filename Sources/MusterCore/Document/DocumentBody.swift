/// The content of a revision of a document.
public struct DocumentBody: Hashable, Sendable {
    /// The text of one JSON object: well formed, members in the order they came, no space outside of strings. No
    /// member's name begins with `_`, except for what a replicator writes (`_replication_state` and its like).
    public var json: [UInt8]
    /// The attachments, by name.
    public var attachments: [Attachment]

    /// The body `{}` without attachments.
    public static let empty = DocumentBody(json: [0x7B, 0x7D])

    /// Creates a body, by default without attachments.
    public init(json: [UInt8], attachments: [Attachment] = []) {
        self.json = json
        self.attachments = attachments
    }
}

/// A file that is part of a document, as described without its bytes. The store keeps equal bytes once for all
/// documents.
public struct Attachment: Hashable, Sendable {
    /// The name in the document, which may have slashes.
    public var name: String
    /// The media type, as the client gave it.
    public var contentType: String
    /// The MD5 digest of the bytes, 16 bytes, by which CouchDB's clients identify them.
    public var md5: [UInt8]
    /// The SHA-256 digest of the bytes, 32 bytes, by which the store identifies them.
    public var key: [UInt8]
    /// The number of bytes.
    public var length: Int64
    /// The generation of the revision that attached the file (`revpos`).
    public var revisionPosition: Int32

    public init(
        name: String, contentType: String, md5: [UInt8], key: [UInt8], length: Int64, revisionPosition: Int32
    ) {
        self.name = name
        self.contentType = contentType
        self.md5 = md5
        self.key = key
        self.length = length
        self.revisionPosition = revisionPosition
    }
}

/// A document as the store keeps it: all of its revisions, and the winner's content.
public struct StoredDocument: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The database that holds the document.
    public var database: DatabaseNumber
    /// The number of the last change that touched the document.
    public var sequence: LogSequence
    /// The document's revisions; never empty.
    public var tree: RevisionTree
    /// The winner's content; nil when the reader did not ask for it.
    public var body: DocumentBody?

    public init(id: String, database: DatabaseNumber, sequence: LogSequence, tree: RevisionTree, body: DocumentBody?) {
        self.id = id
        self.database = database
        self.sequence = sequence
        self.tree = tree
        self.body = body
    }
}

/// A new revision of a document that a client or a replicator asks the writer to store.
public struct DocumentEdit: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The new revision's content.
    public var body: DocumentBody
    /// Whether the new revision deletes the document.
    public var isDeleted: Bool
    /// The place of the new revision in the document's tree.
    public var place: Place

    /// The places that a new revision can have in a tree.
    public enum Place: Hashable, Sendable {
        /// On a leaf, or on none for a new document: an edit made at this server. The writer refuses it when it would
        /// make a conflict.
        case on(Revision?)
        /// Where it is at the peer that it comes from (`new_edits: false`): the revision and its ancestors, newest
        /// first, generations going down by one. The writer never refuses it.
        case at([Revision])
    }

    /// The longest id, in bytes.
    public static let idLimitBytes = 2_048

    public init(id: String, body: DocumentBody, isDeleted: Bool, place: Place) {
        self.id = id
        self.body = body
        self.isDeleted = isDeleted
        self.place = place
    }
}

/// The result of a `DocumentEdit`.
public enum EditOutcome: Hashable, Sendable {
    /// The revision is stored, by the change of this number.
    case stored(Revision, LogSequence)
    /// The revision was stored already; nothing changed.
    case known(Revision)
    /// The edit was not made on a leaf; nothing changed.
    case conflict
    /// The edit names an attachment that does not exist; nothing changed.
    case missingAttachment(name: String)
}
