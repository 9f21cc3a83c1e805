import MusterCoding
package import MusterCore
package import MusterDocuments
import MusterWire

/// A Muster database as a peer of a replication: the store of a device, or a database of the server.
package struct DocumentPeer<Home: DocumentHome>: ReplicationPeer {
    /// The storage of the documents.
    package let home: Home

    /// Makes a peer of a storage.
    package init(_ home: Home) { self.home = home }

    /// The number of bytes in one read of an attachment.
    private static var pieceBytes: Int { 256 << 10 }
    /// The number of attachment bytes after which the received documents are written.
    private static var filesBytes: Int64 { 2 << 20 }

    package func information() async throws -> PeerInformation {
        let scope = home.scope
        let count = try await home.readDocuments { try $0.counts(in: scope).living }
        return PeerInformation(identity: home.identity, documentCount: count)
    }

    package func create() async throws { try await home.create() }

    package func ensureFullCommit() async throws {}

    // MARK: Logs

    package func log(_ id: String) async throws -> ReplicationLog? {
        let (database, name) = home.local(id)
        return try await home.readDocuments { try $0.local(name, in: database) }.map {
            ReplicationLog(parsing: $0.json)
        }
    }

    package func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await home.put(log.json(), local: id)
        return log
    }

    // MARK: Reading

    package func changes(_ request: ChangesRequest) async throws -> ChangesPage {
        let filter = try DocumentFilter(request.filter)
        let since = LogSequence(request.since.number ?? 0)
        let page = try await page(request, since: since, filter)
        guard request.waits, page.changes.isEmpty else { return page }
        try await home.waitForChange(after: LogSequence(page.last.number ?? 0))
        return try await self.page(request, since: LogSequence(page.last.number ?? 0), filter)
    }

    private func page(
        _ request: ChangesRequest, since: LogSequence, _ filter: DocumentFilter
    ) async throws -> ChangesPage {
        let home = home
        let limit = request.limit
        return try await home.readDocuments { reader in
            var page = ChangesPage(changes: [], last: PeerSequence(since.rawValue))
            var since = since
            var isAtEnd = false
            while page.changes.count < limit, !isAtEnd {
                let found = try reader.changes(
                    in: home.scope, since: since, isDescending: false, withBodies: filter.needsBodies, limit: limit)
                var rest = found[...]
                while page.changes.count < limit, let document = rest.popFirst() {
                    since = document.sequence
                    let leaves = request.winnersOnly ? [document.tree.winner].compactMap { $0 } : document.tree.leaves
                    let admitted = try filter.admitted(leaves, document, reader, home)
                    guard !admitted.isEmpty else { continue }
                    page.changes.append(DocumentRevisions(id: document.id, revisions: admitted.map(\.revision)))
                }
                isAtEnd = found.count < limit && rest.isEmpty
            }
            // The number of pending changes may be an estimate; at the end it is exactly zero.
            page.pending = try isAtEnd ? 0 : reader.pendingChanges(in: home.scope, since: since)
            page.last = PeerSequence(page.pending == 0 ? max(since, reader.lastSequence).rawValue : since.rawValue)
            return page
        }
    }

    package func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        let scope = home.scope
        return try await home.readDocuments { reader in
            try revisions.compactMap { document in
                let tree = try reader.document(document.id, in: scope)?.tree ?? RevisionTree()
                let missing = tree.missing(document.revisions)
                return missing.isEmpty ? nil : DocumentRevisions(id: document.id, revisions: missing)
            }
        }
    }

    package func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        let home = home
        return try await home.readDocuments { reader in
            var revisions: [ReplicatedRevision] = []
            for want in wanted {
                guard let document = try reader.document(want.id, in: home.scope) else { continue }
                let leaves = RevisionTree.Offspring(of: document.tree).leaves(fromAnyOf: want.revisions)
                revisions += try Self.revisions(leaves, of: document, reader, home)
            }
            return revisions
        }
    }

    /// The leaves as replicated revisions, without those whose bodies are gone.
    package static func revisions(
        _ leaves: [Revision], of document: StoredDocument, _ reader: any DocumentReader, _ home: Home
    ) throws -> [ReplicatedRevision] {
        let winner = document.tree.winner?.revision
        return try leaves.compactMap { leaf in
            try revision(leaf, of: document, body: leaf == winner ? document.body : nil, reader, home)
        }
    }

    private static func revision(
        _ leaf: Revision, of document: StoredDocument, body known: DocumentBody?, _ reader: any DocumentReader,
        _ home: Home
    ) throws -> ReplicatedRevision? {
        guard let node = document.tree.node(leaf) else { return nil }
        guard let body = try known ?? reader.body(of: leaf, of: document.id, in: home.scope) else { return nil }
        let plain: DocumentBody
        do {
            plain = try home.plain(body, of: leaf, of: document.id)
        } catch {
            // One damaged document does not stop the others.
            return ReplicatedRevision(refused: document.id, leaf, error: "unreadable", reason: "\(error)")
        }
        return ReplicatedRevision(
            id: document.id, path: document.tree.path(of: leaf), isDeleted: node.isDeleted, json: plain.json,
            attachments: plain.attachments.map { attachment in
                var told = ReplicatedAttachment(
                    name: attachment.name, contentType: attachment.contentType,
                    digest: "md5-" + Base64.encode(attachment.md5), length: attachment.length,
                    revisionPosition: attachment.revisionPosition)
                told.isDigestOfBytes = true
                return told
            })
    }

    package func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        let home = home
        let found = try await home.readDocuments { reader in
            try reader.body(of: reference.revision, of: reference.id, in: home.scope)?
                .attachments.first { $0.name == reference.name }
        }
        guard let found else { throw ReplicationError.damagedAttachment(reference) }
        let reading = AttachmentReading(key: found.key)
        return AttachmentBytes {
            let (key, offset) = (reading.key, reading.offset)
            let piece = try await home.readDocuments { try $0.bytes(of: key, from: offset, limit: Self.pieceBytes) }
            guard let piece else { throw ReplicationError.damagedAttachment(reference) }
            reading.offset += Int64(piece.count)
            return piece.isEmpty ? nil : piece
        }
    }

    // MARK: Writing

    package func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        var refusals: [WriteRefusal] = []
        var edits: [DocumentEdit] = []
        var keptBytes: Int64 = 0
        for revision in revisions {
            // Documents with attachments are written before many more are fetched, so that each connection makes
            // progress even if none lasts for all of them.
            if keptBytes >= Self.filesBytes {
                try await write(edits)
                (edits, keptBytes) = ([], 0)
            }
            if let refusal = revision.refusal ?? home.refusal(of: revision) ?? tooLarge(revision) {
                refusals.append(refusal)
                continue
            }
            var body = DocumentBody(json: revision.json)
            do {
                for attachment in revision.attachments {
                    body.attachments.append(try await storeAttachment(attachment, of: revision, attachments))
                    keptBytes += attachment.length
                }
            } catch ReplicationError.damagedAttachment(let reference) {
                refusals.append(.damaged(reference))
                continue
            }
            edits.append(
                DocumentEdit(
                    id: revision.id, body: body, isDeleted: revision.isDeleted, place: .at(revision.path)))
        }
        try await write(edits)
        return refusals
    }

    private func write(_ edits: [DocumentEdit]) async throws {
        let outcomes = try await home.write(edits)
        for (edit, outcome) in zip(edits, outcomes) {
            // Only a blob that was cleaned up between its upload and its use is missing; the next attempt sends it
            // again.
            if case .missingAttachment(let name) = outcome, case .at(let path) = edit.place {
                throw ReplicationError.damagedAttachment(
                    AttachmentReference(id: edit.id, revision: path[0], name: name))
            }
        }
    }

    /// The refusal of a document that announces an attachment above the limit. Other documents are not affected.
    private func tooLarge(_ revision: ReplicatedRevision) -> WriteRefusal? {
        let limit = home.attachmentLimitBytes
        guard let attachment = revision.attachments.first(where: { $0.length > limit }) else { return nil }
        return WriteRefusal(
            id: revision.id, revision: revision.revision, error: "too_large",
            reason: "attachment \(attachment.name) has more than \(limit) bytes")
    }

    private func storeAttachment(
        _ attachment: ReplicatedAttachment, of revision: ReplicatedRevision, _ source: AttachmentSource
    ) async throws -> Attachment {
        let reference = AttachmentReference(id: revision.id, revision: revision.revision, name: attachment.name)
        let kept: KeptBytes
        do {
            kept = try await home.storeAttachment(try await source(reference), limit: attachment.length)
        } catch ReplicationError.tooLarge {
            // The attachment is larger than announced.
            throw ReplicationError.damagedAttachment(reference)
        }
        guard kept.length == attachment.length else { throw ReplicationError.damagedAttachment(reference) }
        return Attachment(
            name: attachment.name, contentType: attachment.contentType, md5: kept.md5, key: kept.key,
            length: kept.length, revisionPosition: attachment.revisionPosition)
    }
}

/// The position in an attachment. It is used by one reader, which requests one piece after the other: that protects it.
private final class AttachmentReading: @unchecked Sendable {
    let key: [UInt8]
    var offset: Int64 = 0

    init(key: [UInt8]) { self.key = key }
}

/// Selects the documents of a page of changes.
private enum DocumentFilter: Sendable {
    case all
    case documents(Set<String>)
    case selector(Selector)

    init(_ filter: ReplicationFilter) throws {
        switch filter {
        case .all: self = .all
        case .documents(let ids): self = .documents(Set(ids))
        case .selector(let text):
            do {
                self = .selector(try Selector(JSONValue(parsing: Array(text.utf8))))
            } catch {
                throw ReplicationError.unsupported("the selector cannot be read: \(error)")
            }
        }
    }

    var needsBodies: Bool { if case .selector = self { true } else { false } }

    /// The leaves of a document that the page lists.
    func admitted(
        _ leaves: [RevisionTree.Node], _ document: StoredDocument, _ reader: any DocumentReader,
        _ home: some DocumentHome
    ) throws -> [RevisionTree.Node] {
        switch self {
        case .all: leaves
        case .documents(let ids): ids.contains(document.id) ? leaves : []
        case .selector(let selector):
            try leaves.filter { leaf in
                let known = leaf.revision == document.tree.winner?.revision ? document.body : nil
                guard let body = try known ?? reader.body(of: leaf.revision, of: document.id, in: home.scope) else {
                    return false
                }
                // A body that cannot be decrypted may match, so it is read, and counted as refused.
                guard let plain = try? home.plain(body, of: leaf.revision, of: document.id) else { return true }
                return selector.matches(
                    id: document.id, revision: leaf.revision.text, isDeleted: leaf.isDeleted, body: plain)
            }
        }
    }
}
