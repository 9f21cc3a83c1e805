import MusterCoding
package import MusterCore

/// One revision of a document, and the members that its JSON is to have.
package struct CouchRendering {
    /// The document's id.
    package var id: String
    package var revision: Revision
    /// Whether the revision deletes the document.
    package var isDeleted: Bool
    /// The members of the body, and the attachments.
    package var body: DocumentBody
    /// `_revisions`: the revision and its ancestors, newest first. An empty list is not written.
    package var ancestry: [Revision] = []
    /// `_revs_info`. An empty list is not written.
    package var information: [(revision: Revision, status: Status)] = []
    /// `_conflicts`. An empty list is not written.
    package var conflicts: [Revision] = []
    /// `_deleted_conflicts`. An empty list is not written.
    package var deletedConflicts: [Revision] = []
    /// `_local_seq`; nil is not written.
    package var localSequence: LogSequence?
    /// Chooses how each attachment is written.
    package var form: (Attachment) throws -> AttachmentForm = { _ in .stub }

    /// The statuses of `_revs_info`.
    package enum Status: String {
        case available, missing, deleted
    }

    /// How the JSON of a document carries an attachment.
    package enum AttachmentForm {
        /// Without its bytes (`"stub":true`).
        case stub
        /// The bytes follow in a part of their own (`"follows":true`).
        case following
        /// The bytes in base64 (`"data"`).
        case inline(base64: [UInt8])
    }

    /// Makes a rendering without the optional members.
    package init(id: String, revision: Revision, isDeleted: Bool, body: DocumentBody) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
    }
}

extension JSONWriter {
    /// Writes a document.
    ///
    /// - Throws: the errors of `CouchRendering.form`.
    package mutating func document(_ document: CouchRendering) throws {
        beginObject()
        key("_id")
        value(document.id)
        key("_rev")
        value(document.revision)
        if document.isDeleted {
            key("_deleted")
            value(true)
        }
        members(of: document.body.json)
        try attachments(of: document)
        if let first = document.ancestry.first {
            key("_revisions")
            beginObject()
            key("start")
            value(first.generation)
            key("ids")
            beginArray()
            for revision in document.ancestry { value(revision.hash) }
            endArray()
            endObject()
        }
        if !document.information.isEmpty {
            key("_revs_info")
            beginArray()
            for (revision, status) in document.information {
                beginObject()
                key("rev")
                value(revision)
                key("status")
                value(status.rawValue)
                endObject()
            }
            endArray()
        }
        revisions("_conflicts", document.conflicts)
        revisions("_deleted_conflicts", document.deletedConflicts)
        if let sequence = document.localSequence {
            key("_local_seq")
            value(sequence.rawValue)
        }
        endObject()
    }

    private mutating func revisions(_ name: StaticString, _ revisions: [Revision]) {
        guard !revisions.isEmpty else { return }
        key(name)
        beginArray()
        for revision in revisions { value(revision) }
        endArray()
    }

    private mutating func attachments(of document: CouchRendering) throws {
        guard !document.body.attachments.isEmpty else { return }
        key("_attachments")
        beginObject()
        for attachment in document.body.attachments {
            key(attachment.name)
            beginObject()
            key("content_type")
            value(attachment.contentType)
            key("revpos")
            value(attachment.revisionPosition)
            key("digest")
            value("md5-" + Base64.encode(attachment.md5))
            switch try document.form(attachment) {
            case .stub:
                key("length")
                value(attachment.length)
                key("stub")
                value(true)
            case .following:
                key("length")
                value(attachment.length)
                key("follows")
                value(true)
            case .inline(let base64):
                key("data")
                plain { $0.append(contentsOf: base64) }
            }
            endObject()
        }
        endObject()
    }
}
