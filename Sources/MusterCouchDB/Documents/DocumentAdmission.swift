import HTTPTypes
import MusterReplication
import MusterServer
import MusterWire

/// The requirements on every document that the database stores, by whichever way it arrives: by itself, in a
/// `_bulk_docs`, or by a replication. Where the text is parsed, `CouchDocument.depthLimit` limits its nesting.
enum DocumentAdmission {
    /// Checks a document without its attachments.
    ///
    /// - Throws: `CouchDocumentError.illegalID`, `.illegalPartition`, `CouchError` (`document_too_large`).
    static func check(_ id: String, _ json: [UInt8], in database: ResolvedDatabase) throws {
        try checkID(id, in: database)
        guard json.count <= CouchLimits.documentBytes else {
            throw CouchError(.contentTooLarge, "document_too_large", id)
        }
    }

    /// Checks that a document of the database may have this id.
    ///
    /// - Throws: `CouchDocumentError.illegalID`, `.illegalPartition`.
    static func checkID(_ id: String, in database: ResolvedDatabase) throws {
        try DocumentID.check(id)
        if database.isPartitioned { try DocumentID.checkPartition(of: id) }
    }

    /// Returns why the database cannot store a revision that a replication transfers; nil if it can.
    static func refusal(of revision: ReplicatedRevision, in database: ResolvedDatabase) -> WriteRefusal? {
        do {
            try check(revision.id, revision.json, in: database)
            try check(revision.attachments)
            return nil
        } catch {
            let couchError = CouchError(mapping: error) ?? .internalError
            return WriteRefusal(
                id: revision.id, revision: revision.revision, error: couchError.error, reason: couchError.reason)
        }
    }

    /// Checks attachments as the parsing of a document's text does.
    private static func check(_ files: [ReplicatedAttachment]) throws {
        guard files.count <= CouchDocument.attachmentLimit else {
            throw CouchDocumentError.invalidMember("_attachments has more than \(CouchDocument.attachmentLimit).")
        }
        for file in files {
            guard !file.name.isEmpty, file.name.utf8.first != UInt8(ascii: "_") else {
                throw CouchDocumentError.invalidBody(
                    "Attachment name '\(file.name)' starts with prohibited character '_'")
            }
            guard CouchAttachment.isType(file.contentType), file.length >= 0, file.revisionPosition >= 0 else {
                throw CouchDocumentError.invalidMember("Invalid attachment: \(file.name)")
            }
        }
    }
}
