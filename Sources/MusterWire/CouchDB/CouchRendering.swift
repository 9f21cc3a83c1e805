import MusterCoding
package import MusterCore

/// What is to be told of one revision of a document, and how it is written.
package struct CouchRendering {
    /// The document's id.
    package var id: String
    /// The revision.
    package var revision: Revision
    /// Whether it says that the document is no more.
    package var isDeleted: Bool
    /// What it says.
    package var body: DocumentBody
    /// For `_revisions`: the revision and its ancestors, newest first; empty: not told.
    package var ancestry: [Revision] = []
    /// For `_revs_info`; empty: not told.
    package var information: [(revision: Revision, status: Status)] = []
    /// For `_conflicts`; empty: not told.
    package var conflicts: [Revision] = []
    /// For `_deleted_conflicts`; empty: not told.
    package var deletedConflicts: [Revision] = []
    /// For `_local_seq`; nil: not told.
    package var localSequence: LogSequence?
    /// How the files are told of, one by one.
    package var form: (Attachment) throws -> AttachmentForm = { _ in .stub }

    /// What is known of a revision.
    package enum Status: String {
        case available, missing, deleted
    }

    /// How a file is told of.
    package enum AttachmentForm {
        /// That it is there.
        case stub
        /// That its bytes follow.
        case following
        /// With its bytes, in base64.
        case inline(base64: [UInt8])
    }

    /// A revision, and nothing beside.
    package init(id: String, revision: Revision, isDeleted: Bool, body: DocumentBody) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
    }
}

extension JSONWriter {
    /// Writes a document.
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
