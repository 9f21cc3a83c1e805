import Crypto
import Foundation
import GRDB
import MusterCore
import MusterDocuments
import MusterMutex
import MusterReplication
import MusterWire

/// The file of a `LocalStore`: documents in the server's tables, numbered by a counter of its own, with encrypted
/// bodies if there is a key.
final class LocalStoreFile: Sendable {
    let identity: String
    let seal: BodySeal?
    private let file: any DatabaseWriter
    private let committed = Broadcast<LogSequence>()
    private let newest = Mutex<Int64>(0)

    /// The one database in the file.
    static let database = DatabaseNumber(1)
    /// The steps from an empty file to the newest version, in the order in which they were released: those of the
    /// document tables, and the device's own.
    private static let steps =
        DocumentSchema.steps[..<6] + [LocalDatasets.tables, SightingRows.createTable(LocalSightings.table)]
        + DocumentSchema.steps[6...]
    private static let version = steps.count
    /// The largest number of attachment pieces that one transaction deletes: pieces that no revision references, or
    /// whose upload was never completed.
    private static let sliceLimit = 100

    init(path: String?, key: SymmetricKey?) throws {
        seal = key.map { BodySeal(key: $0) }
        (file, identity) = try LocalStoreError.naming { [seal] in
            let file = try Self.open(path)
            let identity = try Self.prepareTables(file, seal)
            try file.write { database in
                let last = LogSequence(try Self.lastSequence(in: database))
                let tables = DocumentTables(in: database) { last }
                _ = try tables.dropUnusedBlobs(at: Self.now, limit: Self.sliceLimit)
            }
            return (file, identity)
        }
    }

    private static func open(_ path: String?) throws -> any DatabaseWriter {
        guard let path else { return try DatabaseQueue() }
        // Made before SQLite opens it, so that other users cannot read it at any moment.
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let file = try DatabasePool(path: path, configuration: configuration)
        // Recorded documents also survive a loss of power.
        try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        #if canImport(Security)
            protect(path)
        #endif
        return file
    }

    #if canImport(Security)
        /// Lets the system encrypt SQLite's files until the device is unlocked for the first time after it started. A
        /// stricter class would keep a locked device from recording.
        private static func protect(_ path: String) {
            let protection = FileProtectionType.completeUntilFirstUserAuthentication
            for suffix in ["", "-wal", "-shm"] {
                // A volume without this protection refuses it; the file can be used all the same.
                try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path + suffix)
            }
        }
    #endif

    func close() throws { try LocalStoreError.naming { try file.close() } }

    /// Makes the tables in a new file, and checks the key against the one that the file was encrypted with.
    ///
    /// - Returns: the store's UUID.
    private static func prepareTables(_ file: any DatabaseWriter, _ seal: BodySeal?) throws -> String {
        try file.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version <= Self.version else { throw LocalStoreError.tooNew(version: version) }
            let probe = ProbeText.revision
            if version < Self.version {
                let steps = Self.steps[version...].joined()
                try database.execute(sql: steps + "PRAGMA user_version = \(Self.version)")
            }
            if version == 0 {
                try database.execute(sql: Self.tables)
                let sealed = try seal?.sealed(ProbeText.json, of: probe, of: ProbeText.id)
                try database.execute(
                    sql: "INSERT INTO store (number, identity, sequence, probe) VALUES (1, ?, 0, ?)",
                    arguments: [UUID().uuidString.lowercased(), sealed.map { Data($0) }])
            }
            guard let row = try Row.fetchOne(database, sql: "SELECT identity, probe FROM store") else {
                throw LocalStoreError.wrongKey
            }
            let sealed: Data? = row["probe"]
            switch (sealed, seal) {
            case (nil, nil): break
            case (let sealed?, let seal?):
                guard (try? seal.opened([UInt8](sealed), of: probe, of: ProbeText.id)) != nil else {
                    throw LocalStoreError.wrongKey
                }
            default: throw LocalStoreError.wrongKey
            }
            return row["identity"]
        }
    }

    private enum ProbeText {
        static let id = "probe"
        static let json = Array("{}".utf8)
        static let revision = Revision(generation: 1, hash: .digest(0, 0))
    }

    private static let tables = """
        CREATE TABLE store (
            number INTEGER PRIMARY KEY, identity TEXT NOT NULL, sequence INTEGER NOT NULL, probe BLOB);
        -- The creation times of documents that have one and are not deleted.
        CREATE TABLE creations (id TEXT NOT NULL PRIMARY KEY, created_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX creations_by_time ON creations (created_at, id);

        """

    // MARK: Transactions

    func read<Success: Sendable>(
        _ body: @escaping @Sendable (DocumentTables, Database) throws -> Success
    ) async throws -> Success {
        try await LocalStoreError.naming {
            try await file.readIfOpen { database in
                let last = try Self.lastSequence(in: database)
                return try body(DocumentTables(in: database) { LogSequence(last) }, database)
            }
        }
    }

    /// Runs a transaction, and announces its changes when they are on disk.
    ///
    /// - Parameter announces: false for a transaction that changes no document and no dataset.
    func write<Success: Sendable>(
        announces: Bool = true, _ body: @escaping @Sendable (LocalTransaction) throws -> Success
    ) async throws -> Success {
        let (result, sequence) = try await LocalStoreError.naming {
            try await file.write { [seal] database in
                let transaction = LocalTransaction(database, seal, last: try Self.lastSequence(in: database))
                let result = try body(transaction)
                try transaction.finish()
                return (result, transaction.sequence)
            }
        }
        guard announces else { return result }
        newest.withLock { $0 = max($0, sequence) }
        committed.send(LogSequence(sequence))
        return result
    }

    /// The sequence number of the last change that this object committed; 0 before the first.
    var lastCommitted: Int64 { newest.withLock { $0 } }

    private static func lastSequence(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT sequence FROM store") ?? 0
    }

    // MARK: Listening

    /// A stream of the sequence numbers of new changes. A slow reader receives the last one.
    func announcements() -> AsyncStream<LogSequence> { committed.subscribe(limit: 1) }
}

extension LocalStoreFile: DocumentHome {
    var scope: DatabaseScope { .database(Self.database) }

    func local(_ id: String) -> (database: DatabaseNumber, name: String) { (Self.database, id) }

    func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success {
        try await read { tables, _ in try body(tables) }
    }

    func plain(_ body: DocumentBody, of revision: Revision, of id: String) throws -> DocumentBody {
        guard let seal else { return body }
        return DocumentBody(
            json: try seal.opened(body.json, of: revision, of: id), attachments: body.attachments)
    }

    func write(_ edits: [DocumentEdit]) async throws -> [EditOutcome] {
        if edits.isEmpty { return [] }
        return try await write { try $0.apply(edits) }
    }

    func put(_ json: [UInt8], local id: String) async throws {
        try await write { try $0.put(json, local: id) }
    }

    func storeAttachment(_ bytes: AttachmentBytes, limit: Int64) async throws -> KeptBytes {
        let blob = try await write { transaction in
            _ = try transaction.tables.dropUnusedBlobs(at: Self.now, limit: Self.sliceLimit)
            return try transaction.tables.beginBlob()
        }
        do {
            return try await storePieces(bytes, into: blob, limit: limit)
        } catch {
            // The incomplete blob is useless. If this deletion fails too, a later cleanup deletes the blob after an
            // hour.
            try? await Task { try await write { try $0.tables.abandon(blob) } }.value
            throw error
        }
    }

    private func storePieces(_ bytes: AttachmentBytes, into blob: BlobNumber, limit: Int64) async throws -> KeptBytes {
        var md5 = Insecure.MD5()
        var sha256 = SHA256()
        var length: Int64 = 0
        for try await piece in bytes {
            md5.update(data: piece)
            sha256.update(data: piece)
            length += Int64(piece.count)
            guard length <= limit else { throw ReplicationError.tooLarge(limitBytes: Int(limit)) }
            try await write { try $0.tables.append(piece, to: blob) }
        }
        try Task.checkCancellation()
        let kept = KeptBytes(md5: Array(md5.finalize()), key: Array(sha256.finalize()), length: length)
        try await write { try $0.tables.finish(blob, key: kept.key, length: kept.length, at: Self.now) }
        return kept
    }

    private static var now: Instant { Instant(seconds: Date().timeIntervalSince1970) }

    func waitForChange(after sequence: LogSequence) async throws {
        let announcements = announcements()
        // Subscribed before the check: a change between the two is announced.
        if try await readDocuments({ $0.lastSequence }) > sequence { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await newest in announcements where newest > sequence { return } }
            group.addTask { try? await Task.sleep(for: .seconds(Self.waitSeconds)) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Seconds after which a wait for changes ends without one.
    private static let waitSeconds = 60.0
}

/// A transaction on a `LocalStore`'s file.
final class LocalTransaction {
    let tables: DocumentTables
    let database: Database
    private(set) var sequence: Int64
    private let first: Int64
    private let seal: BodySeal?

    /// The sightings that the server does not have yet.
    var sightings: SightingRows { SightingRows(database, table: LocalSightings.table, seal: seal) }

    /// The datasets of the file.
    var datasets: LocalDatasets { LocalDatasets(database, seal) }

    init(_ database: Database, _ seal: BodySeal?, last: Int64) {
        self.database = database
        self.seal = seal
        sequence = last
        first = last
        tables = DocumentTables(in: database) { LogSequence(last) }
    }

    func finish() throws {
        try tables.finish()
        guard sequence != first else { return }
        try database.execute(sql: "UPDATE store SET sequence = ?", arguments: [sequence])
    }

    /// Stores a document that is never replicated.
    func put(_ json: [UInt8], local id: String) throws {
        let place = LocalStoreFile.database
        let revision = try tables.local(id, in: place)?.revision ?? 0
        try tables.put(LocalDocument(id: id, revision: revision + 1, json: json), in: place)
    }

    /// Encrypts and stores a value that is never replicated.
    func storeNote(_ json: [UInt8], note id: String) throws {
        let name = Self.name(ofNote: id)
        try put(try seal?.sealed(json, of: Self.noteRevision, of: name) ?? json, local: name)
    }

    /// Reads and decrypts a value that is never replicated; nil if there is none.
    func note(_ id: String) throws -> [UInt8]? {
        let name = Self.name(ofNote: id)
        guard let json = try tables.local(name, in: LocalStoreFile.database)?.json else { return nil }
        return try seal?.opened(json, of: Self.noteRevision, of: name) ?? json
    }

    static func name(ofNote id: String) -> String { "note-" + id }
    /// The revision that notes are encrypted under, because they have none.
    static let noteRevision = Revision(generation: 1, hash: .digest(0, 1))

    /// Applies edits in order, and encrypts their bodies.
    ///
    /// - Parameter known: the document of the first edit, if the caller has read it already.
    func apply(_ edits: [DocumentEdit], over known: StoredDocument? = nil) throws -> [EditOutcome] {
        var batch = DocumentBatch(
            of: edits, in: LocalStoreFile.database, revisionLimit: StoredDatabase.defaultRevisionLimit, to: tables)
        var changed: [(edit: Int, winner: RevisionTree.Node)] = []
        var known = known
        let outcomes = try edits.enumerated().map { index, edit in
            let before = known
            known = nil
            var stored = edit
            if let seal { stored.body.json = try seal.sealed(edit.body.json, of: edit.revision, of: edit.id) }
            return try batch.apply(stored, over: before) { winner in
                changed.append((index, winner))
                sequence += 1
                return LogSequence(sequence)
            }
        }
        // If several edits change one document, the last outcome is its present state.
        if batch.mayRepeat {
            var seen: Set<[UInt8]> = []
            changed = changed.reversed().filter { seen.insert(Array(edits[$0.edit].id.utf8)).inserted }
        }
        try batch.finish()
        for (place, winner) in changed { try index(edits[place], edits[place].revision, winner) }
        return outcomes
    }

    /// Indexes the creation time of the document.
    private func index(_ edit: DocumentEdit, _ revision: Revision, _ winner: RevisionTree.Node) throws {
        var createdAt: Int64?
        if winner.revision == revision {
            createdAt = winner.isDeleted ? nil : CreationTime.read(edit.body.json)
        } else if !winner.isDeleted,
            let body = try tables.body(of: winner.revision, of: edit.id, in: .database(LocalStoreFile.database))
        {
            createdAt = CreationTime.read(try seal?.opened(body.json, of: winner.revision, of: edit.id) ?? body.json)
        }
        let statement = try RawStatement(
            createdAt == nil
                ? "DELETE FROM creations WHERE id = ?"
                : "INSERT OR REPLACE INTO creations (id, created_at) VALUES (?, ?)", in: database)
        statement.bind(1, edit.id)
        if let createdAt { statement.bind(2, createdAt) }
        try statement.run()
    }
}

extension DocumentEdit {
    /// The revision that a local edit makes.
    fileprivate var revision: Revision {
        guard case .at(let path) = place else { preconditionFailure("local edits know their revision") }
        return path[0]
    }
}

/// Reads the creation time of a document.
enum CreationTime {
    /// `created_at`, milliseconds since 1970 UTC; nil if the document has none.
    static func read(_ json: [UInt8]) -> Int64? {
        json.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, depthLimit: 64)
            do {
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    guard key == "created_at", try reader.peek() == .number else {
                        _ = try reader.skip()
                        continue
                    }
                    return Int64(exactly: try reader.number().rounded())
                }
                return nil
            } catch {
                return nil
            }
        }
    }
}
