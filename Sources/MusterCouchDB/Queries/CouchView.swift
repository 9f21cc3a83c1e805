import HTTPTypes
import MusterCoding
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// What of a document a client wants to see.
struct CouchView: Sendable {
    /// `rev`; nil: the winner.
    var revision: Revision?
    var latest = false
    var revisions = false
    var information = false
    var conflicts = false
    var deletedConflicts = false
    var localSequence = false
    /// Whether files come with their bytes.
    var attachments = false
    /// Files that came with one of these, or before, come without their bytes.
    var attachmentsSince: [Revision] = []

    /// Only the winner.
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

    /// What is told of each of several revisions: as CouchDB has it, nothing of the tree besides the revision's own
    /// ancestors. Of a document with many conflicts, each would tell of all others.
    var ofSeveral: CouchView {
        var view = self
        (view.information, view.conflicts, view.deletedConflicts, view.localSequence) = (false, false, false, false)
        return view
    }

    /// Whether the answer is the same for as long as the revision is.
    var isTagged: Bool { !information && !conflicts && !deletedConflicts && !localSequence }
}

extension JSONValue {
    /// A list of revisions.
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

/// A revision of a document, and what it says.
struct FoundRevision: Sendable {
    let document: StoredDocument
    let node: RevisionTree.Node
    let body: DocumentBody
    /// Where it was found.
    let scope: DatabaseScope

    var revision: Revision { node.revision }

    /// The document as a client wants to see it, with nothing said of its files' bytes.
    func rendering(_ wanted: CouchView, available: (Revision) throws -> Bool) rethrows -> CouchRendering {
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

    /// The document as a client wants to see it, as JSON, its files in it where it wants them.
    ///
    /// - Throws: `CouchError` when the files are more than JSON can carry.
    func text(_ wanted: CouchView, _ reader: any DocumentReader) throws -> [UInt8] {
        var rendering = try rendering(wanted) { try reader.body(of: $0, of: document.id, in: scope) != nil }
        if wanted.attachments {
            var room = Int64(CouchLimits.inlineBytes)
            rendering.form = { attachment in
                guard isWanted(attachment, wanted) else { return .stub }
                room -= attachment.length
                guard room >= 0 else {
                    throw CouchError(
                        .contentTooLarge, "too_large",
                        "The attachments do not fit into JSON: ask for multipart/related, or for each by itself.")
                }
                return .inline(base64: try reader.base64(of: attachment))
            }
        }
        var writer = JSONWriter()
        try writer.document(rendering)
        return writer.bytes
    }

    /// Whether the answer carries the bytes of at least one file. Where it does not, the document is plain JSON, also
    /// for a client that accepts multipart, as in CouchDB.
    func hasWantedFiles(_ wanted: CouchView) -> Bool { body.attachments.contains { isWanted($0, wanted) } }

    /// Whether the bytes of a file are to be told: not of one that the client has with a revision before.
    func isWanted(_ attachment: Attachment, _ wanted: CouchView) -> Bool {
        guard wanted.attachments else { return false }
        let ancestors = document.tree.path(of: revision)
        let known = wanted.attachmentsSince.filter { ancestors.contains($0) }.map(\.generation).max()
        return known.map { attachment.revisionPosition > $0 } ?? true
    }
}

extension DocumentReader {
    /// What a revision of a document says.
    ///
    /// - Throws: `CouchError.missing` when that was forgotten.
    func body(of revision: Revision, _ document: StoredDocument, _ scope: DatabaseScope) throws -> DocumentBody {
        guard let body = try body(of: revision, of: document.id, in: scope) else { throw CouchError.missing }
        return body
    }

    /// The bytes of a file, in base64.
    func base64(of attachment: Attachment) throws -> [UInt8] {
        // A multiple of three, so that the pieces fit together.
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

/// A document that revisions are looked for in, one after the other.
final class OpenedDocument {
    let id: String
    let scope: DatabaseScope
    /// nil where there is none.
    let document: StoredDocument?
    let winner: Revision?
    private(set) lazy var offspring = RevisionTree.Offspring(of: document?.tree ?? RevisionTree())

    /// Looks it up.
    init(_ id: String, in scope: DatabaseScope, _ reader: any DocumentReader) throws {
        self.id = id
        self.scope = scope
        document = try reader.document(id, in: scope)
        winner = document?.tree.winner?.revision
    }
}

/// `open_revs`: several revisions of one document.
struct CouchOpenRevisions: Sendable {
    /// nil: all leaves.
    private let revisions: [Revision]?
    private let latest: Bool

    /// What became of one that was asked for.
    enum Result: Sendable {
        case found(FoundRevision)
        case missing(String)
    }

    /// nil where the query says nothing of it.
    init?(_ query: CouchQuery, latest: Bool) throws {
        guard let text = query.text("open_revs") else { return nil }
        self.latest = latest
        revisions = text == "all" ? nil : try query.json("open_revs")?.revisions(named: "open_revs")
    }

    init(revisions: [Revision]?, latest: Bool) {
        self.revisions = revisions
        self.latest = latest
    }

    /// Finds them.
    func find(_ id: String, in scope: DatabaseScope, _ reader: any DocumentReader) throws -> [Result] {
        try find(in: OpenedDocument(id, in: scope, reader), reader)
    }

    /// Finds them in a document.
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
