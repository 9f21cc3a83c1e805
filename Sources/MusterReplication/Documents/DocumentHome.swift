package import MusterCore
package import MusterDocuments

/// Where the documents of a `DocumentPeer` live: a file of this device's, or a server's coordinator.
package protocol DocumentHome: Sendable {
    /// What the database is known by, for checkpoints: never another's, and the same after a restart.
    var identity: String { get }
    /// What is read.
    var scope: DatabaseScope { get }

    /// Runs `body` with a look at the documents, on a thread where it may block.
    func look<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success
    /// What a stored body says in the clear.
    func plain(_ body: DocumentBody, of revision: Revision, of id: String) throws -> DocumentBody

    /// Carries out edits, in order; returns once all is on disk.
    func write(_ edits: [DocumentEdit]) async throws -> [EditOutcome]
    /// The largest attachment that is taken.
    var attachmentLimitBytes: Int64 { get }
    /// Why a document may not be written by who asks; nil when it may.
    func refusal(of revision: ReplicatedRevision) -> WriteRefusal?
    /// Where the documents that are never replicated are kept, and what one is called there.
    func local(_ id: String) -> (database: DatabaseNumber, name: String)
    /// Keeps a document that is never replicated, whatever stood there.
    func put(_ json: [UInt8], local id: String) async throws
    /// Keeps the bytes of an attachment.
    func keep(_ bytes: AttachmentBytes, limit: Int64) async throws -> KeptBytes
    /// Makes the database where there is none.
    func create() async throws

    /// Returns when there may be a change after this one.
    func waitForChange(after sequence: LogSequence) async throws
}

extension DocumentHome {
    package var attachmentLimitBytes: Int64 { 1 << 30 }
    package func plain(_ body: DocumentBody, of revision: Revision, of id: String) throws -> DocumentBody { body }
    package func refusal(of revision: ReplicatedRevision) -> WriteRefusal? { nil }
    package func create() async throws {}
}

/// Bytes that are on the disk, and what they are known by.
package struct KeptBytes: Hashable, Sendable {
    /// The MD5 digest, 16 bytes.
    package var md5: [UInt8]
    /// The SHA-256 digest, 32 bytes.
    package var key: [UInt8]
    /// How many.
    package var length: Int64

    /// Bytes that are on the disk.
    package init(md5: [UInt8], key: [UInt8], length: Int64) {
        self.md5 = md5
        self.key = key
        self.length = length
    }
}
