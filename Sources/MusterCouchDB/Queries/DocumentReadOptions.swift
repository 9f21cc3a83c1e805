import HTTPTypes
import MusterCoding
import MusterCore
import MusterDocuments
import MusterWire

/// The query parameters of `GET /{db}/{doc}`: which revision to return, and with which metadata.
struct DocumentReadOptions: Sendable {
    /// `rev`; nil for the winner.
    var revision: Revision?
    /// `latest`: whether a newer leaf is returned in place of the named revision.
    var latest = false
    /// `revs`: whether the document lists its revision and the ancestors.
    var revisions = false
    /// `revs_info`: whether the document lists its revision and the ancestors, each with its state.
    var information = false
    /// `conflicts`: whether the document lists the other leaves that are not deleted.
    var conflicts = false
    /// `deleted_conflicts`: whether the document lists the other leaves that are deletions.
    var deletedConflicts = false
    /// `local_seq`: whether the document has the sequence of its last change.
    var localSequence = false
    /// `attachments`: whether attachments are returned with their bytes.
    var attachments = false
    /// `atts_since`: attachments that these revisions or their ancestors have are returned without their bytes.
    var attachmentsSince: [Revision] = []

    /// Selects the winner, without optional members.
    init() {}

    init(_ query: CouchQuery) throws {
        if let text = query.text("rev") {
            guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text) }
            self.revision = revision
        }
        let meta = try query.flag("meta")
        latest = try query.flag("latest")
        revisions = try query.flag("revs")
        information = try meta || query.flag("revs_info")
        conflicts = try meta || query.flag("conflicts")
        deletedConflicts = try meta || query.flag("deleted_conflicts")
        localSequence = try query.flag("local_seq")
        attachments = try query.flag("attachments")
        if let list = try query.json("atts_since") {
            attachmentsSince = try list.revisions(named: "atts_since")
            attachments = true
        }
    }

    /// The view of each of several revisions. As in CouchDB it has nothing of the tree besides the revision's own
    /// ancestors; otherwise each revision of a document with many conflicts would list all others.
    var ofSeveral: DocumentReadOptions {
        var view = self
        (view.information, view.conflicts, view.deletedConflicts, view.localSequence) = (false, false, false, false)
        return view
    }

    /// Whether the response depends on the revision alone, so that it can have an `ETag`.
    var isTagged: Bool { !information && !conflicts && !deletedConflicts && !localSequence }

    /// Returns the revision that these options select: the winner, unless they name a revision.
    ///
    /// - Throws: `CouchError.missing`, `.deleted`.
    func find(_ id: String, in scope: DatabaseScope, _ reader: any DocumentReader) throws -> FoundRevision {
        guard let document = try reader.document(id, in: scope) else { throw CouchError.missing }
        guard var revision = revision else {
            guard let winner = document.tree.winner else { throw CouchError.missing }
            guard !winner.isDeleted else { throw CouchError.deleted }
            let body = try document.body ?? reader.body(of: winner.revision, document, scope)
            return FoundRevision(document: document, node: winner, body: body, scope: scope)
        }
        if latest, let leaf = document.tree.leaves(from: revision).first { revision = leaf }
        guard let node = document.tree.node(revision), node.isKnown else { throw CouchError.missing }
        // A deletion is only returned to a client that names its revision.
        guard !node.isDeleted || revision == self.revision else { throw CouchError.deleted }
        guard let body = try reader.body(of: revision, of: id, in: scope) else { throw CouchError.missing }
        return FoundRevision(document: document, node: node, body: body, scope: scope)
    }
}

extension JSONValue {
    /// Parses a list of revisions.
    func revisions(named name: String) throws -> [Revision] {
        guard let elements, elements.count <= CouchLimits.documents else {
            throw CouchError.badRequest("Invalid list of revisions: \(name) must be an array.")
        }
        return try elements.map { element in
            guard let revision = element.string.flatMap({ Revision($0) }) else {
                throw CouchDocumentError.invalidRevision("")
            }
            return revision
        }
    }
}

/// A revision of a document with its content.
struct FoundRevision: Sendable {
    let document: StoredDocument
    let node: RevisionTree.Node
    let body: DocumentBody
    /// The database or union in which it was found.
    let scope: DatabaseScope

    var revision: Revision { node.revision }

    /// Returns the document as the client wants it, with attachments as stubs.
    func rendering(_ wanted: DocumentReadOptions, available: (Revision) throws -> Bool) rethrows -> CouchRendering {
        let tree = document.tree
        var rendering = CouchRendering(
            id: document.id, revision: revision, isDeleted: node.isDeleted, body: body)
        if wanted.revisions { rendering.ancestry = tree.path(of: revision) }
        if wanted.information {
            rendering.information = try tree.path(of: revision).map { revision in
                guard let node = tree.node(revision), node.isKnown, try available(revision) else {
                    return (revision, .missing)
                }
                return (revision, node.isDeleted ? .deleted : .available)
            }
        }
        if wanted.conflicts { rendering.conflicts = tree.conflicts }
        if wanted.deletedConflicts { rendering.deletedConflicts = tree.deletedConflicts }
        if wanted.localSequence { rendering.localSequence = document.sequence }
        return rendering
    }

    /// Returns the document as the client wants it, as JSON, with the attachments in it if the client wants them.
    ///
    /// - Throws: `CouchError` if the attachments exceed `CouchLimits.inlineBytes`.
    func text(_ wanted: DocumentReadOptions, _ reader: any DocumentReader) throws -> [UInt8] {
        var rendering = try rendering(wanted) { try reader.body(of: $0, of: document.id, in: scope) != nil }
        if wanted.attachments {
            var room = Int64(CouchLimits.inlineBytes)
            rendering.form = { attachment in
                guard isWanted(attachment, wanted) else { return .stub }
                room -= attachment.length
                guard room >= 0 else {
                    throw CouchError(
                        .contentTooLarge, "too_large",
                        "The attachments are too large for JSON: accept multipart/related, or get each by itself.")
                }
                return .inline(base64: try reader.base64(of: attachment))
            }
        }
        var writer = JSONWriter()
        try writer.document(rendering)
        return writer.bytes
    }

    /// Whether the response contains the bytes of at least one attachment. If it does not, the document is sent as
    /// plain JSON, even to a client that accepts multipart, as in CouchDB.
    func hasWantedFiles(_ wanted: DocumentReadOptions) -> Bool { body.attachments.contains { isWanted($0, wanted) } }

    /// Whether the client wants the bytes of an attachment. It does not if an ancestor that it has contains the
    /// attachment.
    func isWanted(_ attachment: Attachment, _ wanted: DocumentReadOptions) -> Bool {
        guard wanted.attachments else { return false }
        let ancestors = document.tree.path(of: revision)
        let known = wanted.attachmentsSince.filter { ancestors.contains($0) }.map(\.generation).max()
        return known.map { attachment.revisionPosition > $0 } ?? true
    }
}

extension DocumentReader {
    /// Returns the content of a revision.
    ///
    /// - Throws: `CouchError.missing` if the store no longer has it.
    func body(of revision: Revision, _ document: StoredDocument, _ scope: DatabaseScope) throws -> DocumentBody {
        guard let body = try body(of: revision, of: document.id, in: scope) else { throw CouchError.missing }
        return body
    }

    /// Returns the bytes of an attachment in base64.
    func base64(of attachment: Attachment) throws -> [UInt8] {
        // A multiple of three, so that the pieces can be joined.
        let piece = CouchLimits.pieceBytes / 3 * 3
        var text: [UInt8] = []
        var rest: [UInt8] = []
        var offset: Int64 = 0
        while offset < attachment.length {
            guard let bytes = try bytes(of: attachment.key, from: offset, limit: piece), !bytes.isEmpty else {
                throw CouchError.noAttachment
            }
            offset += Int64(bytes.count)
            rest += bytes
            let whole = offset < attachment.length ? rest.count / 3 * 3 : rest.count
            Base64.append(Array(rest[..<whole]), to: &text)
            rest.removeFirst(whole)
        }
        return text
    }
}

/// A document in which several revisions are looked up in turn.
final class OpenedDocument {
    let id: String
    let scope: DatabaseScope
    /// The document; nil if it does not exist.
    let document: StoredDocument?
    let winner: Revision?
    private(set) lazy var offspring = RevisionTree.Offspring(of: document?.tree ?? RevisionTree())

    init(_ id: String, in scope: DatabaseScope, _ reader: any DocumentReader) throws {
        self.id = id
        self.scope = scope
        document = try reader.document(id, in: scope)
        winner = document?.tree.winner?.revision
    }
}

/// The parameter `open_revs`: several revisions of one document.
struct CouchOpenRevisions: Sendable {
    /// The requested revisions; nil for all leaves.
    private let revisions: [Revision]?
    private let latest: Bool

    /// The result of one requested revision.
    enum Result: Sendable {
        case found(FoundRevision)
        case missing(String)
    }

    /// Reads the parameter; nil if the query lacks it.
    init?(_ query: CouchQuery, latest: Bool) throws {
        guard let text = query.text("open_revs") else { return nil }
        self.latest = latest
        revisions = text == "all" ? nil : try query.json("open_revs")?.revisions(named: "open_revs")
    }

    init(revisions: [Revision]?, latest: Bool) {
        self.revisions = revisions
        self.latest = latest
    }

    /// Looks the revisions up.
    func find(_ id: String, in scope: DatabaseScope, _ reader: any DocumentReader) throws -> [Result] {
        try find(in: OpenedDocument(id, in: scope, reader), reader)
    }

    /// Looks the revisions up in a document.
    func find(in opened: OpenedDocument, _ reader: any DocumentReader) throws -> [Result] {
        let (id, scope) = (opened.id, opened.scope)
        guard let document = opened.document else {
            guard let revisions else { throw CouchError.missing }
            return revisions.map { .missing($0.text) }
        }
        var names = revisions ?? document.tree.leaves.map(\.revision)
        var missing: [Result] = []
        if revisions != nil {
            if latest {
                missing = names.filter { document.tree.node($0) == nil }.map { .missing($0.text) }
                names = opened.offspring.leaves(fromAnyOf: names)
            }
            var seen: Set<Revision> = []
            names = names.filter { seen.insert($0).inserted }
        }
        return try names.map { name in
            guard let node = document.tree.node(name), node.isKnown else { return .missing(name.text) }
            let isWinner = name == opened.winner
            guard let body = try (isWinner ? document.body : nil) ?? reader.body(of: name, of: id, in: scope) else {
                return .missing(name.text)
            }
            return .found(FoundRevision(document: document, node: node, body: body, scope: scope))
        } + missing
    }
}
