import Crypto
import HTTPTypes
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

// How an attachment's bytes are received and stored before the document that has it.

/// The bytes of an attachment that are stored on disk.
struct StoredFile: Hashable, Sendable {
    /// The MD5 digest of the bytes.
    var md5: [UInt8]
    /// The SHA-256 digest of the bytes, under which they are stored.
    var key: [UInt8]
    /// The number of bytes.
    var length: Int64

    /// Makes the attachment of a document that refers to these bytes.
    func attachment(_ name: String, _ contentType: String, position: Int32) -> Attachment {
        Attachment(
            name: name, contentType: contentType, md5: md5, key: key, length: length, revisionPosition: position)
    }
}

/// Stores the bytes of an attachment piece by piece as they arrive. A small attachment costs one transaction.
///
/// The server deletes bytes that were not finished, and, after an hour, finished ones that no document refers to.
struct AttachmentUpload {
    private let coordinator: StoreCoordinator
    private var md5 = Insecure.MD5()
    private var sha256 = SHA256()
    private var held: [UInt8] = []
    private var blob: BlobNumber?
    /// The number of bytes received so far.
    private(set) var length: Int64 = 0

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
    }

    /// Appends received bytes.
    ///
    /// - Throws: `CouchError.tooLarge`, `QuotaError`, `CoordinatorError`, `StoreError`.
    mutating func append(_ bytes: some Swift.Collection<UInt8>) async throws {
        length += Int64(bytes.count)
        guard length <= CouchLimits.attachmentBytes else {
            throw CouchError.tooLarge(limitBytes: CouchLimits.attachmentBytes)
        }
        try coordinator.quotas.checkStore()
        held.append(contentsOf: bytes)
        while held.count >= CouchLimits.pieceBytes {
            let piece = Array(held[..<CouchLimits.pieceBytes])
            held.removeFirst(CouchLimits.pieceBytes)
            updateDigests(piece)
            let begun = blob
            blob = try await coordinator.storeState { transaction, _ in
                let blob = try begun ?? transaction.documents.beginBlob()
                try transaction.documents.append(piece, to: blob)
                return blob
            }
        }
    }

    /// Stores the last bytes.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    mutating func finish() async throws -> StoredFile {
        let last = held
        updateDigests(last)
        let file = StoredFile(md5: Array(md5.finalize()), key: Array(sha256.finalize()), length: length)
        let begun = blob
        try await coordinator.storeState { transaction, moment in
            let documents = transaction.documents
            let blob = try begun ?? documents.beginBlob()
            if !last.isEmpty { try documents.append(last, to: blob) }
            try documents.finish(blob, key: file.key, length: file.length, at: moment)
        }
        blob = nil
        return file
    }

    /// Deletes the bytes received so far.
    mutating func abandon() async {
        guard let begun = blob else { return }
        blob = nil
        // If the coordinator refuses, the sweep of unfinished blobs deletes this one later.
        _ = try? await coordinator.storeState { transaction, _ in try transaction.documents.abandon(begun) }
    }

    private mutating func updateDigests(_ bytes: [UInt8]) {
        md5.update(data: bytes)
        sha256.update(data: bytes)
    }
}

extension AttachmentUpload {
    /// Stores the bytes that a client sent as `data` in an edit. As in CouchDB, `digest`, `length` and `encoding`
    /// beside them are ignored, because clients leave them from the previous attachment.
    ///
    /// - Throws: `CouchError.tooLarge`, `QuotaError`, `CoordinatorError`, `StoreError`.
    static func store(edited bytes: [UInt8], _ coordinator: StoreCoordinator) async throws -> StoredFile {
        var intake = AttachmentUpload(coordinator)
        do {
            try await intake.append(bytes)
            return try await intake.finish()
        } catch {
            await intake.abandon()
            throw error
        }
    }

    /// Stores a whole attachment that a client sent with a document, and decompresses it if it is compressed.
    ///
    /// - Throws: `CouchError` if the bytes do not have the length, digest or encoding that the document states; the
    ///   errors of `store(edited:_:)`.
    static func store(_ bytes: [UInt8], as file: CouchAttachment, _ coordinator: StoreCoordinator) async throws
        -> StoredFile
    {
        try file.check(length: Int64(bytes.count), md5: Array(Insecure.MD5.hash(data: bytes)))
        var plain = bytes
        if file.isPacked {
            do throws(InflateError) {
                let inflated = try Gzip.inflate(
                    ByteBuffer(bytes: bytes), limitBytes: CouchLimits.attachmentBytes)
                plain = Array(inflated.readableBytesView)
            } catch {
                throw CouchError.badRequest("Attachment \(file.name) is not valid gzip, or too large.")
            }
        }
        return try await store(edited: plain, coordinator)
    }
}

extension CouchAttachment {
    /// Checks that the received bytes have the length and digest that the document states.
    func check(length: Int64, md5: [UInt8]) throws(CouchError) {
        if let told = self.length, told != length {
            throw .badRequest("Attachment \(name) has \(length) bytes, but its document states \(told).")
        }
        if let told = self.md5, told != md5 {
            throw CouchError(.badRequest, "content_md5_mismatch", "Possible message corruption.")
        }
    }
}
