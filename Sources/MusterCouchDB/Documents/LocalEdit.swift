import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// An edit of a local document (`_local/…`), which is never replicated.
struct LocalEdit: Sendable {
    /// The id without `_local/`.
    var name: String
    /// The new content.
    var json: [UInt8]
    /// The text of the revision that the edit replaces; nil if the client names none.
    var said: String?
    /// Whether the edit removes the document.
    var isDeleted: Bool

    /// Returns the id of a local document without `_local/`.
    ///
    /// - Throws: `CouchDocumentError` for an id that no document may have.
    static func name(of id: String) throws(CouchDocumentError) -> String {
        let name = String(id.dropFirst(DocumentID.localPrefix.count))
        guard !name.isEmpty else { throw .illegalID("Document id must not be empty") }
        guard name.utf8.count <= DocumentEdit.idLimitBytes else { throw .illegalID("Document id is too long") }
        return name
    }

    /// Stores or removes the document.
    ///
    /// - Returns: the number of the new revision; 0 for a removed document.
    /// - Throws: `CouchError.missing` if the document to remove does not exist, `.conflict` if the client names another
    ///   revision than the stored one.
    func apply(in locals: LocalDocumentKey, _ documents: any DocumentWriter) throws -> Int64 {
        let id = locals.name(name)
        let before = try documents.local(id, in: locals.database)
        if isDeleted, before == nil { throw CouchError.missing }
        guard said == before.map({ "0-\($0.revision)" }) || (before == nil && said == "0-0") else {
            throw CouchError.conflict
        }
        if isDeleted {
            try documents.removeLocal(id, from: locals.database)
            return 0
        }
        let revision = (before?.revision ?? 0) + 1
        try documents.put(LocalDocument(id: id, revision: revision, json: json), in: locals.database)
        return revision
    }
}

extension LocalEdit {
    /// Makes the edit of a document that a client sent. Its attachments are dropped, as CouchDB drops them.
    ///
    /// - Throws: `CouchDocumentError` for an id that no document may have.
    init(_ document: CouchDocument, _ id: String) throws(CouchDocumentError) {
        self.init(
            name: try Self.name(of: id), json: document.json, said: document.revisionText,
            isDeleted: document.isDeleted)
    }
}
