public import Crypto
import Foundation
import GRDB
public import MusterCore
import MusterDocuments
import MusterReplication

/// The document database on this device, and a peer of replications.
///
/// A saved document is on the disk when `save` returns, and survives kill -9 and an empty battery. With a key, document
/// bodies are encrypted in the file (AES-GCM). Ids, revisions, creation times (`created_at`, which is indexed),
/// attachments and checkpoints of replications stay readable there. The encryption is at rest only: the peer of a
/// replication receives plain documents over its connection.
public final class LocalStore: Sendable {
    let file: LocalStoreFile
    let peer: DocumentPeer<LocalStoreFile>

    /// Opens a store, or makes one. Its file is readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for a store in memory, which ends with this object.
    ///   - key: the encryption key of document bodies, always the same for one file. The file does not contain it.
    /// - Throws: `LocalStoreError.wrongKey`, `.tooNew`, `.full`, `.unavailable`.
    public init(path: String?, key: SymmetricKey? = nil) throws {
        file = try LocalStoreFile(path: path, key: key)
        peer = DocumentPeer(file)
    }

    /// Closes the file. No function may be called afterwards.
    public func close() throws { try file.close() }

    // MARK: Writing

    /// Saves a value as a document, new or changed.
    ///
    /// - Parameters:
    ///   - value: becomes the document's body; it must encode as a JSON object.
    ///   - id: the document's id; nil for a new random one.
    ///   - revision: the revision that the edit replaces; nil for a new document.
    /// - Returns: the id and the new revision. Equal edits of one revision make equal revisions, on this device and on
    ///   any other.
    /// - Throws: `LocalStoreError.conflict` if the document was changed since that revision, or exists already;
    ///   `.noObject`, `.illegalID`, `.full`, `.unavailable`.
    @discardableResult
    public func save(
        _ value: some Encodable, id: String? = nil, on revision: Revision? = nil
    ) async throws -> (id: String, revision: Revision) {
        let saved = try await save([(id: id, value: value)], on: revision)
        return saved[0]
    }

    /// Saves new documents in one transaction: all or none.
    ///
    /// - Throws: as `save` of one.
    @discardableResult
    public func save<Value: Encodable>(
        all values: [(id: String?, value: Value)]
    ) async throws -> [(id: String, revision: Revision)] {
        try await save(values, on: nil)
    }

    private func save<Value: Encodable>(
        _ values: [(id: String?, value: Value)], on revision: Revision?
    ) async throws -> [(id: String, revision: Revision)] {
        let drafts = try values.map { id, value in
            DocumentEdit(
                id: try Self.checked(id ?? Self.newID()), body: DocumentBody(json: try Self.json(of: value)),
                isDeleted: false, place: .on(revision))
        }
        let revisions = try await file.write { transaction in try drafts.map { try transaction.edit($0) } }
        return zip(drafts, revisions).map { ($0.id, $1) }
    }

    /// Deletes a document. The deletion replicates.
    ///
    /// - Throws: `LocalStoreError.conflict` if it was changed since.
    @discardableResult
    public func remove(_ id: String, on revision: Revision) async throws -> Revision {
        let draft = DocumentEdit(id: id, body: .empty, isDeleted: true, place: .on(revision))
        return try await file.write { try $0.edit(draft) }
    }

    // MARK: Reading

    /// Reads a document; nil if it does not exist or was deleted.
    ///
    /// - Throws: `LocalStoreError.unreadable` if its body cannot be decoded as a `Value`.
    public func document<Value: Decodable & Sendable>(
        _ id: String, as type: Value.Type = Value.self
    ) async throws -> LocalDocumentValue<Value>? {
        let file = file
        let found = try await file.read { tables, _ in try Self.plain(id, tables, file) }
        return try found.map { try Self.value(of: $0) }
    }

    /// Selects documents with a creation time (`created_at`), and orders them by it.
    public struct Query: Hashable, Sendable {
        /// Whether the newest document comes first.
        public var newestFirst = true
        /// Selects documents made after this time; nil for no bound.
        public var after: Instant?
        /// Selects documents made before this time; nil for no bound.
        public var before: Instant?
        /// Selects documents whose ids begin with this prefix.
        public var idPrefix = ""
        /// The largest number of documents.
        public var limit = 100

        /// Selects the newest hundred documents.
        public init() {}

        /// Selects the newest documents.
        public static func newest(_ limit: Int) -> Query {
            var query = Query()
            query.limit = limit
            return query
        }
    }

    /// Reads the documents of a query. Those that are damaged, or cannot be decoded as a `Value`, are left
    /// out.
    public func documents<Value: Decodable & Sendable>(
        _ query: Query, as type: Value.Type = Value.self
    ) async throws -> [LocalDocumentValue<Value>] {
        let file = file
        let found = try await file.read { tables, database in
            try Self.ids(query, database).compactMap { id in
                do {
                    return try Self.plain(id, tables, file)
                } catch LocalStoreError.unreadable {
                    return nil
                }
            }
        }
        return found.compactMap { try? Self.value(of: $0) }
    }

    /// A stream of the result of `documents`: now, and after each change of the store. Changes in quick succession may
    /// share one result.
    public func observe<Value: Decodable & Sendable>(
        _ query: Query, as type: Value.Type = Value.self
    ) -> AsyncThrowingStream<[LocalDocumentValue<Value>], any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let announcements = file.announcements()
            let task = Task {
                do {
                    continuation.yield(try await documents(query, as: type))
                    for await _ in announcements { continuation.yield(try await documents(query, as: type)) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The number of documents that are not deleted.
    public func count() async throws -> Int {
        try await file.readDocuments { try $0.counts(in: .database(LocalStoreFile.database)).living }
    }

    // MARK: Values that are never replicated

    /// Reads a value that is never replicated; nil if there is none.
    package func storedValue<Value: Decodable & Sendable>(
        of id: String, as type: Value.Type = Value.self
    ) async throws -> Value? {
        let file = file
        let name = LocalTransaction.name(ofNote: id)
        let sealed = try await file.readDocuments { try $0.local(name, in: LocalStoreFile.database)?.json }
        guard let sealed else { return nil }
        let json = try file.plain(DocumentBody(json: sealed), of: LocalTransaction.noteRevision, of: name).json
        return try? JSONDecoder().decode(type, from: Data(json))
    }

    /// Reads a value that the device can request or decide again; nil also if it is damaged.
    package func cachedValue<Value: Decodable & Sendable>(
        of id: String, as type: Value.Type = Value.self
    ) async throws -> Value? {
        do { return try await storedValue(of: id, as: type) } catch LocalStoreError.unreadable { return nil }
    }

    /// Whether there is a value that is never replicated, readable or not.
    func hasNote(_ id: String) async throws -> Bool {
        try await file.readDocuments {
            try $0.local(LocalTransaction.name(ofNote: id), in: LocalStoreFile.database) != nil
        }
    }

    /// Stores a value that is never replicated, encrypted like a document.
    package func storeValue(_ value: some Encodable, note id: String) async throws {
        let json = try Self.json(of: value)
        try await file.write { try $0.storeNote(json, note: id) }
    }

    /// Changes a value that is never replicated, in one transaction, so that two changes at once lose nothing.
    /// A value that cannot be decoded is replaced.
    ///
    /// - Parameter initial: what is changed where there is no value.
    func changeValue<Value: Codable & Sendable>(
        note id: String, from initial: Value, _ change: @escaping @Sendable (inout Value) -> Void
    ) async throws {
        try await file.write { transaction in
            let stored = try transaction.note(id).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
            var value = stored ?? initial
            change(&value)
            try transaction.storeNote(try Self.json(of: value), note: id)
        }
    }
}
