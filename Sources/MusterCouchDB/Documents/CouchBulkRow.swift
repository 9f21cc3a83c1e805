import HTTPTypes
import MusterCore
import MusterServer
import MusterWire

/// One document of a `_bulk_docs`: the edit to carry out, or why it is refused.
enum CouchBulkRow: Sendable {
    case edit(DocumentEdit)
    case local(LocalEdit)
    case refused(Refusal)

    /// A document that the server does not store, and the error that says why.
    struct Refusal: Sendable {
        var id: String
        var revisionText: String?
        var error: CouchError
    }

    /// The edit of a replicated document; nil for other rows.
    var edit: DocumentEdit? { if case .edit(let edit) = self { edit } else { nil } }

    /// The edit of a local document; nil for other rows.
    var local: LocalEdit? { if case .local(let edit) = self { edit } else { nil } }

    /// Prepares the edit of one document, and stores its attachments.
    ///
    /// - Parameters:
    ///  - areNewEdits: whether the document is an edit. Otherwise it is a revision that another database made.
    ///  - isAdministered: whether the sender may store design documents.
    /// - Throws: errors that concern the whole request, such as a damaged attachment or a full disk.
    init(
        _ document: Result<CouchDocument, CouchBulk.Refusal>, in database: ResolvedDatabase, areNewEdits: Bool,
        isAdministered: Bool, _ coordinator: StoreCoordinator
    ) async throws {
        let id: String
        let revisionText: String?
        do {
            switch document {
            case .failure(let refusal):
                (id, revisionText) = (refusal.id, refusal.revisionText)
                throw refusal.error
            case .success(let document):
                var incoming = UploadedDocument(document: document)
                (id, revisionText) = (document.id ?? DocumentID.random(), document.revisionText)
                incoming.document.id = id
                if id.hasPrefix(DocumentID.localPrefix) {
                    self = .local(try LocalEdit(document, id))
                    return
                }
                let edit = try await incoming.edit(in: database, areNewEdits: areNewEdits, coordinator)
                guard isAdministered || !id.hasPrefix(DocumentID.designPrefix) else {
                    throw CouchError.forbidden("You are not a db or server admin.")
                }
                self = .edit(edit)
            }
        } catch {
            guard let couchError = CouchError(refusingOneFor: error, areNewEdits: areNewEdits) else { throw error }
            self = .refused(Refusal(id: id, revisionText: revisionText, error: couchError))
        }
    }
}

extension CouchError {
    /// Makes the error of one refused document.
    ///
    /// A revision of another database gets the error `forbidden`, whatever is wrong with it. The replicators of CouchDB
    /// and PouchDB then count the document as refused and continue. After any other error they stop, and begin again
    /// with the same document.
    ///
    /// - Returns: nil for an error that does not come from the document: the server may accept it the next time.
    init?(refusingOneFor error: any Error, areNewEdits: Bool) {
        let couchError: CouchError
        switch error {
        case let error as JSONError where error.reason.isOfOneValue: couchError = .badRequest("\(error)")
        case let error as CouchDocumentError: couchError = CouchError(mapping: error) ?? .internalError
        case let error as CouchError where error.error == "document_too_large":
            couchError = CouchError(
                error.status, error.error, "\(error.reason) has more than \(CouchLimits.documentBytes) bytes")
        // The peer may still send the attachment. Until then it must not count the document as refused.
        case let error as CouchError where ["missing_stub", "forbidden"].contains(error.error):
            self = error
            return
        default: return nil
        }
        self = areNewEdits ? couchError : .forbidden(couchError.reason)
    }

    /// Stores one document. If it is a revision of another database, errors are translated by
    /// `init(refusingOneFor:areNewEdits:)`.
    static func mappingErrors<Success>(
        of call: CouchCall, _ put: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await put()
        } catch {
            guard (try? call.query.flag("new_edits", otherwise: true)) == false,
                let couchError = CouchError(refusingOneFor: error, areNewEdits: false)
            else { throw error }
            throw couchError
        }
    }
}

extension JSONWriter {
    /// Writes the result of one edit. For revisions of another database only failures are listed.
    mutating func row(of id: String, _ outcome: EditOutcome, areNewEdits: Bool) {
        do throws(CouchError) {
            let revision = try outcome.revision()
            guard areNewEdits else { return }
            beginObject()
            member("ok", true)
            member("id", id)
            key("rev")
            value(revision)
            endObject()
        } catch {
            row(of: CouchBulkRow.Refusal(id: id, error: error))
        }
    }

    /// Writes the result of one edit of a local document.
    mutating func row(of edit: LocalEdit, _ outcome: Result<Int64, CouchError>, areNewEdits: Bool) {
        let id = DocumentID.localPrefix + edit.name
        switch outcome {
        case .success(let revision):
            guard areNewEdits else { return }
            beginObject()
            member("ok", true)
            member("id", id)
            member("rev", "0-\(revision)")
            endObject()
        case .failure(let error): row(of: CouchBulkRow.Refusal(id: id, revisionText: edit.said, error: error))
        }
    }

    /// Writes why one document was refused.
    mutating func row(of refusal: CouchBulkRow.Refusal) {
        beginObject()
        member("id", refusal.id)
        if let revisionText = refusal.revisionText { member("rev", revisionText) }
        couchError(refusal.error)
        endObject()
    }
}
