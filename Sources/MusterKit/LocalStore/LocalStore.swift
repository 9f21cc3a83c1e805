public import Crypto
import Foundation
import GRDB
public import MusterCore
import MusterDocuments
import MusterReplication

/// The database on this device: documents that are there without a network, and a peer of replications.
///
/// What was saved is on the disk when `save` returns, and survives kill -9 and an empty battery. With a key, what
/// documents say is sealed in the file (AES-GCM); what stays readable there are ids, revisions, when documents were
/// made (`created_at`, which is indexed), attachments, and how far replications came. It is sealed at rest only: the
/// other side of a replication gets it in the clear, over whatever protects the connection.
public final class LocalStore: Sendable {
    let file: LocalStoreFile
    let peer: DocumentPeer<LocalStoreFile>

    /// Opens a store, or makes it where there is none; its file is readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: where the file is; nil for a store that is gone with this object.
    ///   - key: what bodies are sealed with: always the same for one file, and nowhere in it.
    /// - Throws: `LocalStoreError.wrongKey`, `.tooNew`, `.full`, `.unavailable`.
    public init(path: String?, key: SymmetricKey? = nil) throws {
        file = try LocalStoreFile(path: path, key: key)
        peer = DocumentPeer(file)
    }

    /// Closes the file; nothing may be asked afterwards.
    public func close() throws { try file.close() }

    // MARK: Writing

    /// Saves a value as a document.
    ///
    /// - Parameters:
    ///   - id: the document's id; nil makes one.
    ///   - revision: what the edit is made on; nil for a new document.
    /// - Returns: the id and the new revision. The same edit of the same revision makes the same revision, here and on
    ///   any other device.
    /// - Throws: `LocalStoreError.conflict` when the document was changed since, or is there already; `.noObject`,
    ///   `.illegalID`, `.full`, `.unavailable`.
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

    /// Deletes a document: it says so to whoever replicates.
    ///
    /// - Throws: `LocalStoreError.conflict` when it was changed since.
    @discardableResult
    public func remove(_ id: String, on revision: Revision) async throws -> Revision {
        let draft = DocumentEdit(id: id, body: .empty, isDeleted: true, place: .on(revision))
        return try await file.write { try $0.edit(draft) }
    }

    // MARK: Reading

    /// A document; nil where there is none, or one that was deleted.
    ///
    /// - Throws: `LocalStoreError.unreadable` when it says something else than a `Value`.
    public func document<Value: Decodable & Sendable>(
        _ id: String, as type: Value.Type = Value.self
    ) async throws -> LocalDocumentValue<Value>? {
        let file = file
        let found = try await file.read { tables, _ in try Self.plain(id, tables, file) }
        return try found.map { try Self.value(of: $0) }
    }

    /// Documents that say when they were made, by that time.
    public struct Query: Hashable, Sendable {
        /// From the newest to the oldest.
        public var newestFirst = true
        /// Made after this; nil for any.
        public var after: Instant?
        /// Made before this; nil for any.
        public var before: Instant?
        /// Whose ids begin so.
        public var idPrefix = ""
        /// At most so many.
        public var limit = 100

        /// The newest hundred.
        public init() {}

        /// The newest so many.
        public static func newest(_ limit: Int) -> Query {
            var query = Query()
            query.limit = limit
            return query
        }
    }

    /// Documents by when they were made; those that say something else than a `Value` are left out.
    public func documents<Value: Decodable & Sendable>(
        _ query: Query, as type: Value.Type = Value.self
    ) async throws -> [LocalDocumentValue<Value>] {
        let file = file
        let found = try await file.read { tables, database in
            try Self.ids(query, database).compactMap { try Self.plain($0, tables, file) }
        }
        return found.compactMap { try? Self.value(of: $0) }
    }

    /// What `documents` gives, now and after every change of the store, of which several may be told as one.
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

    /// How many documents live in it.
    public func count() async throws -> Int {
        try await file.look { try $0.counts(in: .database(LocalStoreFile.database)).living }
    }

    // MARK: What stays on the device

    /// A value that is never replicated; nil where there is none.
    func note<Value: Decodable & Sendable>(_ id: String, as type: Value.Type = Value.self) async throws -> Value? {
        let file = file
        let name = LocalTransaction.name(ofNote: id)
        let sealed = try await file.look { try $0.local(name, in: LocalStoreFile.database)?.json }
        guard let sealed else { return nil }
        let json = try file.plain(DocumentBody(json: sealed), of: LocalTransaction.noteRevision, of: name).json
        return try? JSONDecoder().decode(type, from: Data(json))
    }

    /// Keeps a value that is never replicated; sealed like everything else.
    func keep(_ value: some Encodable, note id: String) async throws {
        let json = try Self.json(of: value)
        try await file.write { try $0.keep(json, note: id) }
    }
}
