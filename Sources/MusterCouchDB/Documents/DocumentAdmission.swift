import HTTPTypes
import MusterReplication
import MusterServer
import MusterWire

/// What a document must be to be stored here, by whichever way it comes: put by itself, among many, or brought by a
/// replication. How deep it nests is checked where its text is read, everywhere by `CouchDocument.depthLimit`.
enum DocumentAdmission {
    /// Makes sure that a document may be stored; its files aside.
    ///
    /// - Throws: `CouchDocumentError.illegalID`, `.illegalPartition`, `CouchError` (`document_too_large`).
    static func check(_ id: String, _ json: [UInt8], in place: ResolvedDatabase) throws {
        try checkID(id, in: place)
        guard json.count <= CouchLimits.documentBytes else {
            throw CouchError(.contentTooLarge, "document_too_large", id)
        }
    }

    /// Makes sure that a document of a database may have an id.
    ///
    /// - Throws: `CouchDocumentError.illegalID`, `.illegalPartition`.
    static func checkID(_ id: String, in place: ResolvedDatabase) throws {
        try DocumentID.check(id)
        if place.isPartitioned { try DocumentID.checkPartition(of: id) }
    }

    /// Why a revision that a replication brings may not be stored; nil where it may.
    static func refusal(of revision: ReplicatedRevision, in place: ResolvedDatabase) -> WriteRefusal? {
        do {
            try check(revision.id, revision.json, in: place)
            try check(revision.attachments)
            return nil
        } catch {
            let fault = CouchError(telling: error) ?? .internalError
            return WriteRefusal(
                id: revision.id, revision: revision.revision, error: fault.error, reason: fault.reason)
        }
    }

    /// What is checked of files where they are read in the text of a document.
    private static func check(_ files: [ReplicatedAttachment]) throws {
        guard files.count <= CouchDocument.attachmentLimit else {
            throw CouchDocumentError.invalidMember("_attachments has too many.")
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
