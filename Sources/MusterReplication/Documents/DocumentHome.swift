package import MusterCore
package import MusterDocuments

/// The storage of a `DocumentPeer`: the file of a device, or a server's coordinator.
package protocol DocumentHome: Sendable {
    /// The database's identity for checkpoints, unique and the same after a restart.
    var identity: String { get }
    /// The database that is read.
    var scope: DatabaseScope { get }

    /// Runs `body` with a reader of the documents, on a thread that may block.
    func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success
    /// Decrypts a stored body. Throws if it is damaged.
    func plain(_ body: DocumentBody, of revision: Revision, of id: String) throws -> DocumentBody

    /// Applies edits in order, and returns when they are on disk.
    func write(_ edits: [DocumentEdit]) async throws -> [EditOutcome]
    /// The largest attachment that is accepted.
    var attachmentLimitBytes: Int64 { get }
    /// Returns why the caller may not write a document; nil if the caller may.
    func refusal(of revision: ReplicatedRevision) -> WriteRefusal?
    /// The database and the name of a document that is never replicated.
    func local(_ id: String) -> (database: DatabaseNumber, name: String)
    /// Stores a document that is never replicated, in place of an earlier one.
    func put(_ json: [UInt8], local id: String) async throws
    func storeAttachment(_ bytes: AttachmentBytes, limit: Int64) async throws -> KeptBytes
    /// Makes the database if it does not exist.
    func create() async throws

    /// Waits until there may be a change after a sequence number.
    func waitForChange(after sequence: LogSequence) async throws
}

extension DocumentHome {
    package var attachmentLimitBytes: Int64 { 1 << 30 }
    package func plain(_ body: DocumentBody, of revision: Revision, of id: String) throws -> DocumentBody { body }
    package func refusal(of revision: ReplicatedRevision) -> WriteRefusal? { nil }
    package func create() async throws {}
}

/// An attachment's bytes on disk, by digest and length.
package struct KeptBytes: Hashable, Sendable {
    /// The MD5 digest, 16 bytes.
    package var md5: [UInt8]
    /// The SHA-256 digest, 32 bytes.
    package var key: [UInt8]
    /// The number of bytes.
    package var length: Int64

    /// Makes a record of stored bytes.
    package init(md5: [UInt8], key: [UInt8], length: Int64) {
        self.md5 = md5
        self.key = key
        self.length = length
    }
}
