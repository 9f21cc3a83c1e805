import MusterCore
import MusterDocuments
import MusterStore

extension DocumentBody {
    /// The body with this text.
    static func test(_ json: String, _ attachments: [Attachment] = []) -> DocumentBody {
        DocumentBody(json: Array(json.utf8), attachments: attachments)
    }
}

extension Attachment {
    /// A file of the bytes that a key stands for.
    static func test(
        _ name: String, type: String = "image/png", md5: [UInt8] = [UInt8](repeating: 1, count: 16),
        key: [UInt8] = [UInt8](repeating: 2, count: 32), length: Int64 = 3
    ) -> Attachment {
        Attachment(name: name, contentType: type, md5: md5, key: key, length: length, revisionPosition: 1)
    }
}

extension DocumentEdit {
    /// An edit made here, on a revision or none.
    static func test(
        _ id: String, _ json: String = "{}", _ attachments: [Attachment] = [], on parent: Revision? = nil,
        isDeleted: Bool = false
    ) -> DocumentEdit {
        DocumentEdit(id: id, body: .test(json, attachments), isDeleted: isDeleted, place: .on(parent))
    }

    /// An edit made elsewhere: its revision and that one's ancestors, newest first.
    static func replicated(
        _ id: String, _ path: [String], _ json: String = "{}", isDeleted: Bool = false,
        _ attachments: [Attachment] = []
    ) -> DocumentEdit {
        DocumentEdit(
            id: id, body: .test(json, attachments), isDeleted: isDeleted, place: .at(path.compactMap { Revision($0) }))
    }
}

extension EditOutcome {
    /// The revision of one that was stored.
    var revision: Revision? { if case .stored(let revision, _) = self { revision } else { nil } }
}

extension StoredDocument {
    /// The text of what the winner says.
    var text: String? { body.map { String(decoding: $0.json, as: UTF8.self) } }
    /// The winner as it is written.
    var winner: String? { tree.winner?.revision.text }
}

extension StoreTransaction {
    /// Carries out an edit and appends what tells of it.
    @discardableResult
    func edit(_ edit: DocumentEdit, in database: DatabaseNumber, revisionLimit: Int = 1_000) throws -> EditOutcome {
        try documents.apply(edit, to: database, revisionLimit: revisionLimit) { winner in
            try append(
                .document(
                    DocumentTouch(
                        database: database, id: edit.id, winner: winner.revision, isDeleted: winner.isDeleted)))
        }
    }
}

extension Store {
    /// Runs `body` with a look at the documents that are stored as such.
    func lookAtDocuments<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
        try readDocuments { documents, _ in try body(documents) }
    }

    /// Carries out edits in a transaction.
    @discardableResult
    func edit(_ edits: DocumentEdit..., in database: DatabaseNumber, revisionLimit: Int = 1_000) throws
        -> [EditOutcome]
    {
        try write(at: .test(0)) { transaction in
            try edits.map { try transaction.edit($0, in: database, revisionLimit: revisionLimit) }
        }
    }

    /// A document.
    func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument? {
        try lookAtDocuments { try $0.document(id, in: scope) }
    }

    /// The ids that were touched after a number, in order.
    func touched(in scope: DatabaseScope, since: Int64 = 0, isDescending: Bool = false) throws -> [String] {
        try lookAtDocuments { reader in
            try reader.changes(
                in: scope, since: isDescending ? reader.lastSequence : LogSequence(since), isDescending: isDescending,
                withBodies: false, limit: 10_000
            ).map(\.id)
        }
    }

    /// How many documents there are.
    func counts(in scope: DatabaseScope) throws -> DocumentCounts { try lookAtDocuments { try $0.counts(in: scope) } }
}
