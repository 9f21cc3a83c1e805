import Crypto
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// A document that a client sends, and those of its attachments that arrived in parts of their own.
struct UploadedDocument: Sendable {
    var document: CouchDocument
    /// The stored attachments by name.
    var files: [String: StoredFile] = [:]

    /// Makes the edit that stores the document, and stores its attachments.
    ///
    /// - Parameter areNewEdits: whether the document is an edit. Otherwise it is a revision that another database made.
    /// - Throws: `CouchDocumentError`, `CouchError`; the errors of storing attachments.
    func edit(in database: ResolvedDatabase, areNewEdits: Bool, _ coordinator: StoreCoordinator) async throws
        -> DocumentEdit
    {
        guard let id = document.id else { throw CouchDocumentError.illegalID("Document id must not be empty") }
        try DocumentAdmission.check(id, document.json, in: database)
        let revision = try document.revision()
        let spot: DocumentEdit.Place
        let ancestors: [Revision]
        if areNewEdits {
            spot = .on(revision)
            ancestors = revision.map { [$0] } ?? []
        } else {
            let path = try path(revision)
            spot = .at(path)
            ancestors = Array(path.dropFirst())
        }
        let generation = areNewEdits ? (revision?.generation ?? 0) + 1 : (ancestors.first?.generation ?? 0) + 1
        var body = DocumentBody(json: document.json)
        if !document.attachments.isEmpty {
            body.attachments = try await attachments(
                of: id, after: ancestors, generation: generation, areNewEdits: areNewEdits, in: database, coordinator)
        }
        return DocumentEdit(id: id, body: body, isDeleted: document.isDeleted, place: spot)
    }

    /// Returns the path of a revision of another database, from the revision to its oldest known ancestor.
    private func path(_ revision: Revision?) throws -> [Revision] {
        // As in CouchDB, `_rev` counts only if there is no `_revisions`.
        if !document.ancestry.isEmpty { return document.ancestry }
        guard let revision else {
            throw CouchDocumentError.invalidMember("A document needs a revision if new_edits is false.")
        }
        return [revision]
    }

    private func attachments(
        of id: String, after ancestors: [Revision], generation: Int32, areNewEdits: Bool,
        in database: ResolvedDatabase, _ coordinator: StoreCoordinator
    ) async throws -> [Attachment] {
        var known: [Attachment] = []
        if document.attachments.contains(where: { $0.content == .stub }), let scope = database.scope {
            known = try await coordinator.readDocuments { reader in
                for ancestor in ancestors.prefix(StoredDatabase.defaultRevisionLimit) {
                    if let body = try reader.body(of: ancestor, of: id, in: scope) { return body.attachments }
                }
                return []
            }
        }
        var attachments: [Attachment] = []
        for file in document.attachments {
            // An edit adds its bytes with its own revision. A peer states which revision added the attachment.
            let told = areNewEdits ? nil : file.revisionPosition
            let position = told.map { min($0, generation) } ?? generation
            switch file.content {
            case .stub:
                guard let before = known.first(where: { $0.name == file.name }), file.isSame(as: before) else {
                    throw CouchError.missingStub(file.name)
                }
                attachments.append(before)
            case .inline(let bytes):
                let stored =
                    areNewEdits
                    ? try await AttachmentUpload.store(edited: bytes, coordinator)
                    : try await AttachmentUpload.store(bytes, as: file, coordinator)
                attachments.append(stored.attachment(file.name, file.contentType, position: position))
            case .following:
                guard let stored = files[file.name] else {
                    throw CouchError.badRequest("The body has no part with attachment \(file.name).")
                }
                attachments.append(stored.attachment(file.name, file.contentType, position: position))
            }
        }
        return attachments
    }
}

extension CouchAttachment {
    /// Whether a stub may refer to a stored attachment. It may not if it states a later revision than the one that
    /// added the attachment. A peer that stores the attachment compressed states another digest.
    fileprivate func isSame(as attachment: Attachment) -> Bool {
        if let revisionPosition, revisionPosition > attachment.revisionPosition { return false }
        return md5 == nil || isPacked || md5 == attachment.md5 || revisionPosition != nil
    }
}

// MARK: multipart/related

extension UploadedDocument {
    /// Reads a document that its attachments follow.
    ///
    /// - Throws: `CouchError` if the body contradicts its document, `MultipartReader.ParsingError`. Then no document
    ///   refers to what was stored.
    init(related call: CouchCall) async throws {
        guard let boundary = call.request.headers[.contentType].flatMap({ MultipartReader.boundary(of: $0) }) else {
            throw CouchError.badRequest("The multipart body has no boundary.")
        }
        var intake = RelatedIntake(call.coordinator, boundary: boundary)
        do {
            for try await buffer in call.request.body { try await intake.parse(buffer) }
            self = try intake.finish()
        } catch {
            await intake.abandon()
            throw error
        }
    }
}

/// Parses a `multipart/related` body as it arrives.
private struct RelatedIntake {
    private let coordinator: StoreCoordinator
    private var reader: MultipartReader
    private var count = 0
    private var text: [UInt8] = []
    private var incoming: UploadedDocument?
    /// The attachments whose parts have not arrived yet, in order.
    private var awaited: [CouchAttachment] = []
    private var current: Part?

    /// The attachment that is arriving.
    private struct Part {
        let file: CouchAttachment
        /// The length in the part's header fields; nil if there is none.
        let told: Int64?
        var intake: AttachmentUpload
        var packed: [UInt8] = []
    }

    init(_ coordinator: StoreCoordinator, boundary: String) {
        self.coordinator = coordinator
        reader = MultipartReader(boundary: boundary)
    }

    mutating func parse(_ buffer: ByteBuffer) async throws {
        count += buffer.readableBytes
        guard count <= CouchLimits.multipartBytes else {
            throw CouchError.tooLarge(limitBytes: CouchLimits.multipartBytes)
        }
        for event in try reader.parse(buffer.readableBytesView) {
            switch event {
            case .part(let headers): try beginPart(headers)
            case .bytes(let bytes): try await appendBytes(bytes)
            case .endOfPart: try await endPart()
            case .end: break
            }
        }
    }

    mutating func finish() throws -> UploadedDocument {
        guard reader.isAtEnd, let incoming else { throw CouchError.badRequest("The multipart body is cut off.") }
        guard awaited.isEmpty else {
            throw CouchError.badRequest("The body has no part with attachment \(awaited[0].name).")
        }
        return incoming
    }

    mutating func abandon() async {
        guard var current else { return }
        await current.intake.abandon()
    }

    private mutating func beginPart(_ headers: [String: String]) throws {
        guard incoming != nil else { return }
        // A part is matched by its file name, and otherwise by the order in the document.
        let name = headers["content-disposition"].flatMap { MultipartReader.parameter("filename", of: $0) }
        guard let index = awaited.firstIndex(where: { $0.name == name }) ?? awaited.indices.first else {
            throw CouchError.badRequest("The body has more parts than the document has attachments.")
        }
        let file = awaited.remove(at: index)
        let length = headers["content-length"].flatMap { Int64($0) }
        guard length == nil || file.length == nil || length == file.length else {
            throw CouchError.badRequest("Attachment \(file.name) has another length than its document states.")
        }
        current = Part(file: file, told: length, intake: AttachmentUpload(coordinator))
    }

    private mutating func appendBytes(_ bytes: [UInt8]) async throws {
        guard current != nil else {
            text += bytes
            guard text.count <= CouchLimits.documentBytes else {
                throw CouchError.tooLarge(limitBytes: CouchLimits.documentBytes)
            }
            return
        }
        if current?.file.isPacked == true {
            current?.packed += bytes
        } else {
            try await current?.intake.append(bytes)
        }
    }

    private mutating func endPart() async throws {
        if let part = current {
            let file = part.file
            let count = file.isPacked ? Int64(part.packed.count) : part.intake.length
            guard part.told == nil || part.told == count else {
                throw CouchError.badRequest("Attachment \(file.name) has another length than its part states.")
            }
            current = nil
            var intake = part.intake
            if file.isPacked {
                incoming?.files[file.name] = try await AttachmentUpload.store(part.packed, as: file, coordinator)
                return
            }
            do {
                let stored = try await intake.finish()
                try file.check(length: stored.length, md5: stored.md5)
                incoming?.files[file.name] = stored
            } catch {
                await intake.abandon()
                throw error
            }
        } else if incoming == nil {
            let document = try text.withUnsafeBytes { try CouchDocument(parsing: $0) }
            awaited = document.attachments.filter { $0.content == .following }
            incoming = UploadedDocument(document: document)
            text = []
        }
    }
}
