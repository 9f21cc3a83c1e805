package import MusterCore

/// A document as CouchDB's clients send it: its body, and the members whose names begin with `_`.
package struct CouchDocument: Hashable, Sendable {
    /// `_id`; nil if the document lacks it.
    package var id: String?
    /// `_rev` as the client wrote it; nil if the document lacks it. Local documents have another form of revisions.
    package var revisionText: String?
    /// `_deleted`: whether the revision is a tombstone, which deletes the document.
    package var isDeleted = false
    /// `_revisions`: the revision and its ancestors, newest first. Empty if the document lacks it.
    package var ancestry: [Revision] = []
    /// All other members, in the form of `DocumentBody.json`.
    package var json: [UInt8] = []
    /// `_attachments`: inline, as stubs, or to follow in a multipart body.
    package var attachments: [CouchAttachment] = []

    /// The members that a server writes into a document of `_replicator`. As in CouchDB they are the only members with
    /// `_` that are part of the body.
    package static let replicationMembers: Set<String> = [
        "_replication_id", "_replication_state", "_replication_state_time", "_replication_state_reason",
        "_replication_stats",
    ]

    /// Makes an empty document.
    package init() {}

    /// Parses `_rev`; nil if the document lacks it.
    ///
    /// - Throws: `CouchDocumentError.invalidRevision`.
    package func revision() throws(CouchDocumentError) -> Revision? {
        guard let revisionText else { return nil }
        guard let revision = Revision(revisionText) else { throw .invalidRevision(revisionText) }
        return revision
    }
}

/// An attachment in a document that a client sends.
package struct CouchAttachment: Hashable, Sendable {
    package var name: String
    /// The media type.
    package var contentType = "application/octet-stream"
    /// Where the client sends the bytes.
    package var content = Content.stub
    /// The MD5 digest that the bytes must have; nil if the client sends none.
    package var md5: [UInt8]?
    /// The generation of the revision that added the attachment.
    package var revisionPosition: Int32?
    /// The number of bytes that the client sends: the compressed length if they are compressed.
    package var length: Int64?
    /// Whether the client sends the bytes compressed with gzip. Then the digest is that of the compressed bytes.
    package var isPacked = false

    /// Where a client sends the bytes of an attachment.
    package enum Content: Hashable, Sendable {
        /// Nowhere: the attachment is unchanged from the edited revision.
        case stub
        /// In the document.
        case inline([UInt8])
        /// In the parts that follow the document (`multipart/related`).
        case following
    }

    /// Makes an attachment that is a stub.
    package init(name: String) { self.name = name }
}

/// The reason why the server refuses a document of a client.
package enum CouchDocumentError: Error, Hashable, Sendable {
    case notAnObject
    /// No document may have this id. Carries the reason.
    case illegalID(String)
    /// No partition may have this name. Carries the reason.
    case illegalPartition(String)
    /// The text is not a revision.
    case invalidRevision(String)
    /// An unknown member whose name begins with `_`.
    case unknownMember(String)
    /// A member that begins with `_` has an invalid value. Carries the reason.
    case invalidMember(String)
    /// The body of a request lacks its documents, or an attachment may not have its name. Carries the reason.
    case invalidBody(String)
}

/// The rules for the ids of documents.
package enum DocumentID {
    /// The prefix of the ids of design documents.
    package static let designPrefix = "_design/"
    /// The prefix of the ids of local documents, which are never replicated.
    package static let localPrefix = "_local/"

    /// Checks that a replicated document may have this id. An id that the union qualified may be longer by the
    /// qualifier, so that a replica can store it.
    ///
    /// - Throws: `CouchDocumentError.illegalID`.
    package static func check(_ id: String) throws(CouchDocumentError) {
        let limit = DocumentEdit.idLimitBytes + (QualifiedID(id) == nil ? 0 : QualifiedID.qualifierBytes)
        guard id.utf8.count <= limit else { throw .illegalID("Document id is too long") }
        try checkForm(of: id)
    }

    /// Returns the partition in the id of a document of a partitioned database; nil if the id names none.
    package static func partition(of id: String) -> String? {
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")), colon > id.startIndex else { return nil }
        return String(id[..<colon])
    }

    /// Checks that a document of a partitioned database may have this id. Design documents are in no partition.
    ///
    /// - Throws: `CouchDocumentError.illegalID`, `.illegalPartition`.
    package static func checkPartition(of id: String) throws(CouchDocumentError) {
        guard !id.hasPrefix(designPrefix) else { return }
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .illegalID("Doc id must be of form partition:id")
        }
        guard colon > id.startIndex else { throw .illegalPartition("Partition must not be empty") }
        guard id.utf8.index(after: colon) < id.endIndex else { throw .illegalID("Document id must not be empty") }
    }

    /// Checks the id of a replicated document, except for its length.
    ///
    /// - Throws: `CouchDocumentError.illegalID`.
    package static func checkForm(of id: String) throws(CouchDocumentError) {
        guard !id.isEmpty else { throw .illegalID("Document id must not be empty") }
        guard id.utf8.first == UInt8(ascii: "_") else { return }
        guard id.hasPrefix(designPrefix), id.utf8.count > designPrefix.utf8.count else {
            throw .illegalID("Only reserved document ids may start with underscore.")
        }
    }
}
