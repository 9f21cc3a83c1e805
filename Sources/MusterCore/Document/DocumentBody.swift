/// What a revision of a document says.
public struct DocumentBody: Hashable, Sendable {
    /// The text of one JSON object without a member whose name begins with `_`, except what a replicator writes
    /// (`_replication_state` and its like): well formed, members in the order they came, no space outside of strings.
    public var json: [UInt8]
    /// The attachments, by name.
    public var attachments: [Attachment]

    /// `{}`.
    public static let empty = DocumentBody(json: [0x7B, 0x7D])

    /// What a revision says.
    public init(json: [UInt8], attachments: [Attachment] = []) {
        self.json = json
        self.attachments = attachments
    }
}

/// A file that is part of a document: what is known of it beside its bytes, which are kept once for all documents that
/// have them.
public struct Attachment: Hashable, Sendable {
    /// Its name in the document, which may have slashes.
    public var name: String
    /// Its media type, as it was given.
    public var contentType: String
    /// The MD5 digest of its bytes, 16 bytes: what CouchDB's clients know it by.
    public var md5: [UInt8]
    /// The SHA-256 digest of its bytes, 32 bytes: what we know it by.
    public var key: [UInt8]
    /// How many bytes it has.
    public var length: Int64
    /// The generation of the revision that it came with.
    public var revisionPosition: Int32

    /// A file that is part of a document.
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

/// A document as it is stored: all of its revisions, and what the winner says.
public struct StoredDocument: Hashable, Sendable {
    /// Its id.
    public var id: String
    /// Where it is.
    public var database: DatabaseNumber
    /// The number of the change that touched it last.
    public var sequence: LogSequence
    /// Its revisions; never empty.
    public var tree: RevisionTree
    /// What the winner says; nil where it was not asked for.
    public var body: DocumentBody?

    /// A document as it is stored.
    public init(id: String, database: DatabaseNumber, sequence: LogSequence, tree: RevisionTree, body: DocumentBody?) {
        self.id = id
        self.database = database
        self.sequence = sequence
        self.tree = tree
        self.body = body
    }
}

/// What someone wants to become of a document.
public struct DocumentEdit: Hashable, Sendable {
    /// Which document.
    public var id: String
    /// What the new revision says.
    public var body: DocumentBody
    /// Whether it says that the document is no more.
    public var isDeleted: Bool
    /// Where the new revision stands.
    public var place: Place

    /// Where a new revision stands.
    public enum Place: Hashable, Sendable {
        /// On a leaf, or on none for a new document: an edit made here. Refused when it would make a conflict.
        case on(Revision?)
        /// Where it stood at the peer it comes from (`new_edits: false`): the revision and its ancestors, newest first,
        /// generations going down by one. Never refused.
        case at([Revision])
    }

    /// The longest id, in bytes.
    public static let idLimitBytes = 2_048

    /// What someone wants to become of a document.
    public init(id: String, body: DocumentBody, isDeleted: Bool, place: Place) {
        self.id = id
        self.body = body
        self.isDeleted = isDeleted
        self.place = place
    }
}

/// What became of a `DocumentEdit`.
public enum EditOutcome: Hashable, Sendable {
    /// It is stored.
    case stored(Revision, LogSequence)
    /// It was known already; nothing changed.
    case known(Revision)
    /// It was not made on a leaf; nothing changed.
    case conflict
    /// It names an attachment that is not there to be named; nothing changed.
    case missingAttachment(name: String)
}
