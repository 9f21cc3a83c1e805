import MusterCoding
package import MusterCore
package import MusterDocuments
import MusterWire

/// A database of ours as one side of a replication: the same for the store on a device and for the server's own
/// databases.
package struct DocumentPeer<Home: DocumentHome>: ReplicationPeer {
    /// Where the documents live.
    package let home: Home

    /// The peer of a home.
    package init(_ home: Home) { self.home = home }

    /// Bytes of an attachment that are read at once.
    private static var pieceBytes: Int { 256 << 10 }
    /// Bytes of files behind which what has come is written.
    private static var filesBytes: Int64 { 2 << 20 }

    package func information() async throws -> PeerInformation {
        let scope = home.scope
        let count = try await home.look { try $0.counts(in: scope).living }
        return PeerInformation(identity: home.identity, documentCount: count)
    }

    package func create() async throws { try await home.create() }

    package func ensureFullCommit() async throws {}

    // MARK: Logs

    package func log(_ id: String) async throws -> ReplicationLog? {
        let (database, name) = home.local(id)
        return try await home.look { try $0.local(name, in: database) }.map { ReplicationLog(parsing: $0.json) }
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
        return try await home.look { reader in
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
            // How many are pending may be a guess; that there are none is known at the end.
            page.pending = try isAtEnd ? 0 : reader.pendingChanges(in: home.scope, since: since)
            page.last = PeerSequence(page.pending == 0 ? max(since, reader.lastSequence).rawValue : since.rawValue)
            return page
        }
    }

    package func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        let scope = home.scope
        return try await home.look { reader in
            try revisions.compactMap { document in
                let tree = try reader.document(document.id, in: scope)?.tree ?? RevisionTree()
                let missing = tree.missing(document.revisions)
                return missing.isEmpty ? nil : DocumentRevisions(id: document.id, revisions: missing)
            }
        }
    }

    package func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        let home = home
        return try await home.look { reader in
            var revisions: [ReplicatedRevision] = []
            for want in wanted {
                guard let document = try reader.document(want.id, in: home.scope) else { continue }
                let leaves = RevisionTree.Offspring(of: document.tree).leaves(fromAnyOf: want.revisions)
                revisions += try Self.revisions(leaves, of: document, reader, home)
            }
            return revisions
        }
    }

    /// Leaves as they go to the other peer, without those of which nobody knows any more what they say.
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
        let plain = try home.plain(body, of: leaf, of: document.id)
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
        let found = try await home.look { reader in
            try reader.body(of: reference.revision, of: reference.id, in: home.scope)?
                .attachments.first { $0.name == reference.name }
        }
        guard let found else { throw ReplicationError.damagedAttachment(reference) }
        let reading = AttachmentReading(key: found.key)
        return AttachmentBytes {
            let (key, offset) = (reading.key, reading.offset)
            let piece = try await home.look { try $0.bytes(of: key, from: offset, limit: Self.pieceBytes) }
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
            // What has files is written before many more are fetched: a network that never lasts for all of them
            // brings some each time.
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
                    body.attachments.append(try await keep(attachment, of: revision, attachments))
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
            // Only a blob swept away between its coming and its use: the next attempt brings it again.
            if case .missingAttachment(let name) = outcome, case .at(let path) = edit.place {
                throw ReplicationError.damagedAttachment(
                    AttachmentReference(id: edit.id, revision: path[0], name: name))
            }
        }
    }

    /// What is promised larger than it may be is refused with its document, and keeps no other from coming.
    private func tooLarge(_ revision: ReplicatedRevision) -> WriteRefusal? {
        let limit = home.attachmentLimitBytes
        guard let attachment = revision.attachments.first(where: { $0.length > limit }) else { return nil }
        return WriteRefusal(
            id: revision.id, revision: revision.revision, error: "too_large",
            reason: "attachment \(attachment.name) has more than \(limit) bytes")
    }

    private func keep(
        _ attachment: ReplicatedAttachment, of revision: ReplicatedRevision, _ source: AttachmentSource
    ) async throws -> Attachment {
        let reference = AttachmentReference(id: revision.id, revision: revision.revision, name: attachment.name)
        let kept: KeptBytes
        do {
            kept = try await home.keep(try await source(reference), limit: attachment.length)
        } catch ReplicationError.tooLarge {
            // It was promised to be so large, and is more.
            throw ReplicationError.damagedAttachment(reference)
        }
        guard kept.length == attachment.length else { throw ReplicationError.damagedAttachment(reference) }
        return Attachment(
            name: attachment.name, contentType: attachment.contentType, md5: kept.md5, key: kept.key,
            length: kept.length, revisionPosition: attachment.revisionPosition)
    }
}

/// How far an attachment was read. One reader asks for one piece after the other: that is what protects it.
private final class AttachmentReading: @unchecked Sendable {
    let key: [UInt8]
    var offset: Int64 = 0

    init(key: [UInt8]) { self.key = key }
}

/// Which documents a page of changes has.
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

    /// Those leaves of a document that are told of.
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
                return selector.matches(
                    id: document.id, revision: leaf.revision.text, isDeleted: leaf.isDeleted,
                    body: try home.plain(body, of: leaf.revision, of: document.id))
            }
        }
    }
}
