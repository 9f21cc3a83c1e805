public import MusterCore

/// A database at one side of a replication. It has the operations of CouchDB's replication protocol, so that a peer may
/// be a store on this device, a Muster server, CouchDB, or a PouchDB server.
///
/// Every call is idempotent, so that the caller may repeat it after a failure.
///
/// Throws: `ReplicationError`. The replication treats any other error as permanent.
public protocol ReplicationPeer: Sendable {
    /// Returns the peer's identity and size.
    func information() async throws -> PeerInformation
    /// Makes the database if it does not exist.
    func create() async throws

    /// Returns the log with an id; nil if there is none.
    func log(_ id: String) async throws -> ReplicationLog?
    /// Stores a log.
    ///
    /// - Returns: the stored log, with its new revision.
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog

    /// Returns a page of the changes, oldest first, each with those leaves of its document that the request selects.
    func changes(_ request: ChangesRequest) async throws -> ChangesPage
    /// Returns those of the given revisions that this peer lacks.
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions]
    /// Returns the given revisions, or the leaves that have since been made from them. Revisions that this peer lacks
    /// are left out.
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision]
    /// Returns the bytes of an attachment, in pieces that are read on demand.
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes

    /// Stores revisions at their place in the documents' revision trees. It returns when they are as durable as the
    /// peer makes any write.
    ///
    /// - Parameter attachments: returns the bytes of their attachments.
    /// - Returns: the refusals: of revisions that the peer refused for good, and of those that failed alone and may
    ///   succeed later (`isPassing`).
    /// - Throws: `PeerError` if the peer fails at one revision after the other. A replication then treats the peer as
    ///   away.
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal]
    /// Returns when everything that was written is on disk.
    func ensureFullCommit() async throws

    /// Returns all leaves of all documents as one stream, for a target that is empty; nil if this peer has no such
    /// stream.
    func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages?
}

extension ReplicationPeer {
    /// Returns nil: no such stream.
    public func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? { nil }
}

/// The facts about a peer that a replication needs before it starts.
public struct PeerInformation: Hashable, Sendable {
    /// Identifies the server and the database, whatever address was used to reach it. Checkpoints are keyed by it.
    public var identity: String
    /// The number of documents that are not deleted; nil if the peer does not report it.
    public var documentCount: Int?

    /// Makes the facts about a peer.
    public init(identity: String, documentCount: Int? = nil) {
        self.identity = identity
        self.documentCount = documentCount
    }
}

/// Some revisions of a document.
public struct DocumentRevisions: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// Leaf revisions, or those that are asked about.
    public var revisions: [Revision]

    /// Some revisions of a document.
    public init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }
}

extension [DocumentRevisions] {
    /// The key of each revision.
    var keys: [ReplicatedRevision.Key] {
        flatMap { document in document.revisions.map { ReplicatedRevision.Key(id: document.id, revision: $0) } }
    }
}

extension Set<ReplicatedRevision.Key> {
    /// The revisions grouped by document, in a stable order.
    var byDocument: [DocumentRevisions] {
        Dictionary(grouping: self, by: \.id).sorted { $0.key < $1.key }
            .map { DocumentRevisions(id: $0.key, revisions: $0.value.map(\.revision).sorted()) }
    }
}

/// A request for a page of changes.
public struct ChangesRequest: Hashable, Sendable {
    /// The sequence after which changes are returned.
    public var since: PeerSequence
    /// The maximum number of changes.
    public var limit: Int
    /// The documents whose changes are returned.
    public var filter: ReplicationFilter
    /// Whether the peer waits up to about a minute when there is no change yet. The page may still be empty.
    public var waits: Bool
    /// Whether only the winning revision of each document is returned, instead of all leaves.
    public var winnersOnly = false

    /// A request for a page of changes.
    public init(since: PeerSequence, limit: Int, filter: ReplicationFilter = .all, waits: Bool = false) {
        self.since = since
        self.limit = limit
        self.filter = filter
        self.waits = waits
    }
}

/// A page of changes, oldest first.
public struct ChangesPage: Hashable, Sendable {
    /// The changed documents, with the leaves that were requested.
    public var changes: [DocumentRevisions]
    /// The sequence of the page's end, from which the next page is requested.
    public var last: PeerSequence
    /// The number of changes after the page; nil if the peer does not report it.
    public var pending: Int?

    /// Makes a page of what a peer answered.
    public init(changes: [DocumentRevisions], last: PeerSequence, pending: Int? = nil) {
        self.changes = changes
        self.last = last
        self.pending = pending
    }
}

/// Selects the documents of a replication.
public enum ReplicationFilter: Hashable, Sendable {
    /// All documents.
    case all
    /// The documents with these ids.
    case documents([String])
    /// The documents that match a Mango selector, given as a JSON object.
    case selector(String)
}

/// A page of a snapshot (`ReplicationPeer.snapshot(since:)`): some leaves of the peer's documents, and how far the
/// snapshot has come.
public struct SnapshotPage: Hashable, Sendable {
    /// The leaves, with their bodies.
    public var revisions: [ReplicatedRevision]
    /// The sequence that the snapshot has reached with this page; nil if further pages belong to the same sequence.
    public var last: PeerSequence?
    /// Whether the snapshot is complete with this page.
    public var isLast: Bool

    /// Makes a page of what a peer answered.
    public init(revisions: [ReplicatedRevision], last: PeerSequence?, isLast: Bool) {
        self.revisions = revisions
        self.last = last
        self.isLast = isLast
    }
}

/// The pages of a snapshot, read on demand.
public typealias SnapshotPages = AsyncThrowingStream<SnapshotPage, any Error>

/// A position in a peer's changes. It is opaque: only the peer that made it can interpret it.
public struct PeerSequence: Hashable, Sendable {
    /// Its JSON text. A whole number becomes a string of digits, as CouchDB's clients expect: a number and a string of
    /// the same digits are the same sequence.
    public let json: String

    /// Before every change.
    public static let start = PeerSequence(0)

    /// The sequence of a peer that counts its changes, as Muster and CouchDB 1 do.
    public init(_ number: Int64) { json = "\"\(number)\"" }

    /// Makes a sequence of a peer's JSON text.
    public init(json: String) {
        let isNumber = !json.isEmpty && json.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self.json = isNumber ? "\"\(json)\"" : json
    }

    /// The sequence's part of a replication's id: the digits of a whole number without quotation marks, so that ids of
    /// logs from before sequences were strings stay valid.
    package var name: String {
        let inner = json.dropFirst().dropLast()
        let isNumber = !inner.isEmpty && inner.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? String(inner) : json
    }

    /// The number at the beginning of the sequence (`12`, `"12-g1AAAA"`), which orders the sequences of one peer; nil
    /// if it has none.
    var number: Int64? {
        let digits = json.utf8.drop { $0 == UInt8(ascii: "\"") }.prefix { (0x30...0x39).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
