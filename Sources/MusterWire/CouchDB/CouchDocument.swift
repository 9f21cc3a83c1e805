package import MusterCore

/// A document as CouchDB's clients send it: what it says, and the members that begin with `_` and speak of it.
package struct CouchDocument: Hashable, Sendable {
    /// `_id`, where it was said.
    package var id: String?
    /// `_rev`, as it was written; a document that is never replicated has one of another form.
    package var revisionText: String?
    /// `_deleted`.
    package var isDeleted = false
    /// `_revisions`: the revision and its ancestors, newest first; empty where it was not said.
    package var ancestry: [Revision] = []
    /// Everything else, as `DocumentBody.json` is to be.
    package var json: [UInt8] = []
    /// `_attachments`.
    package var attachments: [CouchAttachment] = []

    /// What a server writes into a document that orders a replication. Alone of the members that begin with `_` these
    /// are part of what a document says, as they are in CouchDB.
    package static let replicationMembers: Set<String> = [
        "_replication_id", "_replication_state", "_replication_state_time", "_replication_state_reason",
        "_replication_stats",
    ]

    /// A document that says nothing.
    package init() {}

    /// `_rev`; nil where it was not said.
    ///
    /// - Throws: `CouchDocumentError.invalidRevision` where it is none.
    package func revision() throws(CouchDocumentError) -> Revision? {
        guard let revisionText else { return nil }
        guard let revision = Revision(revisionText) else { throw .invalidRevision(revisionText) }
        return revision
    }
}

/// A file as a document of a client's names it.
package struct CouchAttachment: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its media type.
    package var contentType = "application/octet-stream"
    /// Where its bytes are.
    package var content = Content.stub
    /// The MD5 digest that its bytes must have.
    package var md5: [UInt8]?
    /// The generation of the revision that it came with.
    package var revisionPosition: Int32?
    /// How many bytes it has, as they come: packed where they come packed.
    package var length: Int64?
    /// Whether its bytes come packed with gzip; then the digest is of what is packed.
    package var isPacked = false

    /// Where the bytes of a file are.
    package enum Content: Hashable, Sendable {
        /// Where they were: the file is as in the revision that was edited.
        case stub
        /// Here.
        case inline([UInt8])
        /// In the parts that follow the document (`multipart/related`).
        case following
    }

    /// A file of that name.
    package init(name: String) { self.name = name }
}

/// What is wrong with a document of a client's.
package enum CouchDocumentError: Error, Hashable, Sendable {
    /// It is no object.
    case notAnObject
    /// An id that no document may have; the words say why.
    case illegalID(String)
    /// A partition that may not be called so; the words say why.
    case illegalPartition(String)
    /// A revision that is none.
    case invalidRevision(String)
    /// A member with `_` that means nothing.
    case unknownMember(String)
    /// A member with `_` that does not say what it must; the words say which and what.
    case invalidMember(String)
    /// A body of several documents that does not say which, or a file that may not be called so; the words say what.
    case invalidBody(String)
}

/// The ids that documents may have.
package enum DocumentID {
    /// What the ids of design documents begin with.
    package static let designPrefix = "_design/"
    /// What the ids of documents that are never replicated begin with.
    package static let localPrefix = "_local/"

    /// Makes sure that a document that is replicated may have this id. One that the union qualified may be longer by as
    /// much, so that a replica has room for it.
    package static func check(_ id: String) throws(CouchDocumentError) {
        let limit = DocumentEdit.idLimitBytes + (QualifiedID(id) == nil ? 0 : QualifiedID.qualifierBytes)
        guard id.utf8.count <= limit else { throw .illegalID("Document id is too long") }
        try checkForm(of: id)
    }

    /// The partition of a document of a partitioned database; nil for an id that names none.
    package static func partition(of id: String) -> String? {
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")), colon > id.startIndex else { return nil }
        return String(id[..<colon])
    }

    /// Makes sure that a document of a partitioned database may have this id. Design documents are in no partition.
    package static func checkPartition(of id: String) throws(CouchDocumentError) {
        guard !id.hasPrefix(designPrefix) else { return }
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .illegalID("Doc id must be of form partition:id")
        }
        guard colon > id.startIndex else { throw .illegalPartition("Partition must not be empty") }
        guard id.utf8.index(after: colon) < id.endIndex else { throw .illegalID("Document id must not be empty") }
    }

    /// Makes sure that a document that is replicated may be called so, however long that is.
    package static func checkForm(of id: String) throws(CouchDocumentError) {
        guard !id.isEmpty else { throw .illegalID("Document id must not be empty") }
        guard id.utf8.first == UInt8(ascii: "_") else { return }
        guard id.hasPrefix(designPrefix), id.utf8.count > designPrefix.utf8.count else {
            throw .illegalID("Only reserved document ids may start with underscore.")
        }
    }
}
