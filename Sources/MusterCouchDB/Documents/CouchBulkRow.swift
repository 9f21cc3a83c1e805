import HTTPTypes
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// One of many documents that are put: what is to become of it, or why nothing is.
enum CouchBulkRow: Sendable {
    case edit(DocumentEdit)
    case local(LocalEdit)
    case refused(Refusal)

    /// Why one of many is not stored.
    struct Refusal: Sendable {
        var id: String
        var revisionText: String?
        var fault: CouchError
    }

    /// The edit, where it is one.
    var edit: DocumentEdit? { if case .edit(let edit) = self { edit } else { nil } }

    /// The edit, where it is one of a document that is never replicated.
    var local: LocalEdit? { if case .local(let edit) = self { edit } else { nil } }

    /// - Parameters:
    ///   - areNewEdits: whether it is an edit made here; else it stands where it stood at a peer.
    ///   - isAdministered: whether whoever puts it may put design documents.
    /// - Throws: what concerns all of the request: a file that came damaged, a disk that is full.
    init(
        _ document: Result<CouchDocument, CouchBulk.Refusal>, in place: ResolvedDatabase, areNewEdits: Bool,
        isAdministered: Bool, _ coordinator: StoreCoordinator
    ) async throws {
        let id: String
        let revisionText: String?
        do {
            switch document {
            case .failure(let refusal):
                (id, revisionText) = (refusal.id, refusal.revisionText)
                throw refusal.fault
            case .success(let document):
                var incoming = CouchIncoming(document: document)
                (id, revisionText) = (document.id ?? CouchEndpoint.freshID(), document.revisionText)
                incoming.document.id = id
                if id.hasPrefix(DocumentID.localPrefix) {
                    self = .local(try LocalEdit(document, id))
                    return
                }
                let edit = try await incoming.edit(in: place, areNewEdits: areNewEdits, coordinator)
                guard isAdministered || !id.hasPrefix(DocumentID.designPrefix) else {
                    throw CouchError.forbidden("You are not a db or server admin.")
                }
                self = .edit(edit)
            }
        } catch {
            guard let fault = CouchError(refusingOneFor: error, areNewEdits: areNewEdits) else { throw error }
            self = .refused(Refusal(id: id, revisionText: revisionText, fault: fault))
        }
    }
}

extension CouchError {
    /// How it is told that one document is refused for what it is.
    ///
    /// A peer's revision is forbidden, whatever is wrong with it: that is the word at which the replicators of CouchDB
    /// and PouchDB count the document as refused and go on to the next. At any other they end, and begin again with the
    /// same document.
    ///
    /// - Returns: nil for what is no trait of the document: the same may be taken the next time.
    init?(refusingOneFor error: any Error, areNewEdits: Bool) {
        let fault: CouchError
        switch error {
        case let error as JSONError where error.reason.isOfOneValue: fault = .badRequest("\(error)")
        case let error as CouchDocumentError: fault = CouchError(telling: error) ?? .internalError
        case let error as CouchError where error.error == "document_too_large":
            fault = CouchError(
                error.status, error.error, "\(error.reason) has more than \(CouchLimits.documentBytes) bytes")
        // Its file may be brought; until then the peer must not take it for refused.
        case let error as CouchError where ["missing_stub", "forbidden"].contains(error.error):
            self = error
            return
        default: return nil
        }
        self = areNewEdits ? fault : .forbidden(fault.reason)
    }

    /// Puts one document; where it is a peer's revision, what it is refused for is told as above.
    static func telling<Success>(
        _ call: CouchCall, _ put: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await put()
        } catch {
            guard (try? call.query.flag("new_edits", otherwise: true)) == false,
                let fault = CouchError(refusingOneFor: error, areNewEdits: false)
            else { throw error }
            throw fault
        }
    }
}

extension JSONWriter {
    /// Writes what became of one of many edits. Of a peer's revisions only what failed is told.
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
            row(of: CouchBulkRow.Refusal(id: id, fault: error))
        }
    }

    /// Writes what became of one of many edits of documents that are never replicated.
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
        case .failure(let fault): row(of: CouchBulkRow.Refusal(id: id, revisionText: edit.said, fault: fault))
        }
    }

    /// Writes why one of many was refused.
    mutating func row(of refusal: CouchBulkRow.Refusal) {
        beginObject()
        member("id", refusal.id)
        if let revisionText = refusal.revisionText { member("rev", revisionText) }
        couchFault(refusal.fault)
        endObject()
    }
}
