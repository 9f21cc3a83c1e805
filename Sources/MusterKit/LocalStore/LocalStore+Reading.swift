import Foundation
import GRDB
import MusterCore
import MusterDocuments
import MusterWire

/// Reads and decrypts documents of the device's store.
extension LocalStore {
    /// A decrypted document.
    struct Plain: Sendable {
        var id: String
        var revision: Revision
        var json: [UInt8]
        var hasConflicts: Bool
    }

    static func plain(_ id: String, _ tables: DocumentTables, _ file: LocalStoreFile) throws -> Plain? {
        guard let document = try tables.document(id, in: file.scope), let winner = document.tree.winner,
            !winner.isDeleted, let body = document.body
        else { return nil }
        return Plain(
            id: id, revision: winner.revision, json: try file.plain(body, of: winner.revision, of: id).json,
            hasConflicts: !document.tree.conflicts.isEmpty)
    }

    static func value<Value: Decodable & Sendable>(of plain: Plain) throws -> LocalDocumentValue<Value> {
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(plain.json)) else {
            throw LocalStoreError.unreadable(id: plain.id)
        }
        return LocalDocumentValue(
            id: plain.id, revision: plain.revision, value: value, hasConflicts: plain.hasConflicts)
    }

    static func ids(_ query: Query, _ database: Database) throws -> [String] {
        let order = query.newestFirst ? "DESC" : "ASC"
        return try String.fetchAll(
            database,
            sql: """
                SELECT id FROM creations
                WHERE created_at > ? AND created_at < ? AND substr(id, 1, length(?)) = ?
                ORDER BY created_at \(order), id \(order) LIMIT ?
                """,
            arguments: [
                query.after?.milliseconds ?? .min, query.before?.milliseconds ?? .max, query.idPrefix,
                query.idPrefix, max(0, query.limit),
            ])
    }

    /// Encodes a value as a JSON object that may be a document.
    static func json(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = [UInt8](try encoder.encode(value))
        guard case .object(let members)? = try? JSONValue(parsing: json, depthLimit: 64),
            !members.contains(where: { $0.key.hasPrefix("_") })
        else { throw LocalStoreError.noObject }
        return json
    }

    static func newID() -> String { UUID().uuidString.lowercased() }

    static func checked(_ id: String) throws -> String {
        guard !id.isEmpty, id.utf8.count <= DocumentEdit.idLimitBytes, !id.hasPrefix("_") else {
            throw LocalStoreError.illegalID(id)
        }
        return id
    }
}

extension LocalTransaction {
    /// Edits a leaf of a document, or creates a document.
    ///
    /// - Throws: `LocalStoreError.conflict`.
    func edit(_ draft: DocumentEdit) throws -> Revision {
        guard case .on(let parent) = draft.place else { preconditionFailure("an edit is made on something") }
        let before = try tables.document(draft.id, in: .database(LocalStoreFile.database))
        let tree = before?.tree ?? RevisionTree()
        var base = parent
        if let parent {
            guard tree.isLeaf(parent) else { throw LocalStoreError.conflict(id: draft.id) }
        } else if let winner = tree.winner {
            // A new document with the id of a deleted one continues the tree after the deletion.
            guard winner.isDeleted, !draft.isDeleted else { throw LocalStoreError.conflict(id: draft.id) }
            base = winner.revision
        }
        let revision = RevisionDigest.revision(of: draft, on: base)
        var edit = draft
        edit.place = .at([revision] + (base.map { [$0] } ?? []))
        _ = try apply([edit], over: before)
        return revision
    }
}

extension LocalTransaction {
    /// Creates a document, unless a document of this id was ever created; a changed or deleted one stays unchanged.
    func record(_ id: String, _ json: [UInt8]) throws {
        guard try tables.document(id, in: .database(LocalStoreFile.database)) == nil else { return }
        let draft = DocumentEdit(
            id: id, body: DocumentBody(json: json), isDeleted: false, place: .on(nil))
        _ = try edit(draft)
    }
}
