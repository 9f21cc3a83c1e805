import Crypto
import HTTPTypes
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// A file whose bytes are on the disk.
struct StoredFile: Hashable, Sendable {
    /// The MD5 digest of its bytes.
    var md5: [UInt8]
    /// The SHA-256 digest of its bytes.
    var key: [UInt8]
    /// How many there are.
    var length: Int64

    /// The file as part of a document.
    func attachment(_ name: String, _ contentType: String, position: Int32) -> Attachment {
        Attachment(
            name: name, contentType: contentType, md5: md5, key: key, length: length, revisionPosition: position)
    }
}

/// Takes a file's bytes as they come and brings them to the disk piece by piece. A small file costs one transaction.
///
/// What was begun and not finished is forgotten; what was finished and is in no document is, after an hour.
struct AttachmentIntake {
    private let coordinator: StoreCoordinator
    private var md5 = Insecure.MD5()
    private var sha256 = SHA256()
    private var held: [UInt8] = []
    private var blob: BlobNumber?
    /// How many bytes came.
    private(set) var length: Int64 = 0

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
    }

    /// Takes the next bytes.
    ///
    /// - Throws: `CouchError.tooLarge`, `QuotaError`, `CoordinatorError`, `StoreError`.
    mutating func take(_ bytes: some Swift.Collection<UInt8>) async throws {
        length += Int64(bytes.count)
        guard length <= CouchLimits.attachmentBytes else {
            throw CouchError.tooLarge(limitBytes: CouchLimits.attachmentBytes)
        }
        try coordinator.quotas.checkStore()
        held.append(contentsOf: bytes)
        while held.count >= CouchLimits.pieceBytes {
            let piece = Array(held[..<CouchLimits.pieceBytes])
            held.removeFirst(CouchLimits.pieceBytes)
            note(piece)
            let begun = blob
            blob = try await coordinator.keep { transaction, _ in
                let blob = try begun ?? transaction.documents.beginBlob()
                try transaction.documents.append(piece, to: blob)
                return blob
            }
        }
    }

    /// Brings the last bytes to the disk.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    mutating func finish() async throws -> StoredFile {
        let last = held
        note(last)
        let file = StoredFile(md5: Array(md5.finalize()), key: Array(sha256.finalize()), length: length)
        let begun = blob
        try await coordinator.keep { transaction, moment in
            let documents = transaction.documents
            let blob = try begun ?? documents.beginBlob()
            if !last.isEmpty { try documents.append(last, to: blob) }
            try documents.finish(blob, key: file.key, length: file.length, at: moment)
        }
        blob = nil
        return file
    }

    /// Forgets what came.
    mutating func abandon() async {
        guard let begun = blob else { return }
        blob = nil
        // Refused now, it is swept away with other blobs that nobody finished.
        _ = try? await coordinator.keep { transaction, _ in try transaction.documents.abandon(begun) }
    }

    private mutating func note(_ bytes: [UInt8]) {
        md5.update(data: bytes)
        sha256.update(data: bytes)
    }
}

extension AttachmentIntake {
    /// Stores the bytes that a client sent as `data` in an edit. `digest`, `length` and `encoding` beside them still
    /// describe the file that was there before, so they are ignored, as in CouchDB.
    ///
    /// - Throws: `CouchError.tooLarge`, `QuotaError`, `CoordinatorError`, `StoreError`.
    static func store(edited bytes: [UInt8], _ coordinator: StoreCoordinator) async throws -> StoredFile {
        var intake = AttachmentIntake(coordinator)
        do {
            try await intake.take(bytes)
            return try await intake.finish()
        } catch {
            await intake.abandon()
            throw error
        }
    }

    /// Takes a whole file that a client sent with a document, unpacked where it came packed.
    ///
    /// - Throws: `CouchError` when it is not what the client says it is.
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
                throw CouchError.badRequest("Attachment \(file.name) cannot be unpacked.")
            }
        }
        return try await store(edited: plain, coordinator)
    }
}

extension CouchAttachment {
    /// Makes sure that the bytes that came are those that were told of.
    func check(length: Int64, md5: [UInt8]) throws(CouchError) {
        if let told = self.length, told != length {
            throw .badRequest("Attachment \(name) has \(length) bytes, and was said to have \(told).")
        }
        if let told = self.md5, told != md5 {
            throw CouchError(.badRequest, "content_md5_mismatch", "Possible message corruption.")
        }
    }
}
