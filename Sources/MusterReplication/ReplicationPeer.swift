public import MusterCore

/// One side of a replication: a database, wherever it is. What it can do is what CouchDB's replication protocol asks
/// of a database, so that a peer may be a store on this device, Muster, CouchDB, or a PouchDB server.
///
/// Every call is idempotent, so that the caller may repeat it after a failure.
///
/// Throws: `ReplicationError`. The replication treats any other error as permanent.
public protocol ReplicationPeer: Sendable {
    /// What the peer is.
    func information() async throws -> PeerInformation
    /// Makes the database where there is none.
    func create() async throws

    /// A log of replications; nil where there is none of this id.
    func log(_ id: String) async throws -> ReplicationLog?
    /// Keeps a log.
    ///
    /// - Returns: the log as it is kept, with its new revision.
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog

    /// A page of the changes, each with all leaves of its document, oldest change first.
    func changes(_ request: ChangesRequest) async throws -> ChangesPage
    /// Returns those of the given revisions that this peer lacks.
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions]
    /// Returns the given revisions, or the leaves that have since been made from them. Revisions that this peer lacks
    /// are left out.
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision]
    /// The bytes of an attachment, in pieces that are read when they are asked for.
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes

    /// Puts revisions where they stood at the other peer; returns when they are as safe as the peer makes anything.
    ///
    /// - Parameter attachments: gives the bytes of their attachments.
    /// - Returns: the revisions that the peer will not have, whoever asks again, and those that failed alone and may be
    ///   had later (`isPassing`).
    /// - Throws: `PeerFailure` where it fails at one after the other, which a replication takes for a peer that is
    ///   away.
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal]
    /// Returns when everything that was written is on disk.
    func ensureFullCommit() async throws

    /// All leaves of all documents as one stream, for a peer that has nothing yet; nil where this one has no such
    /// stream.
    func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages?
}

extension ReplicationPeer {
    /// No such stream.
    public func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? { nil }
}

/// What is known of a peer before anything is replicated.
public struct PeerInformation: Hashable, Sendable {
    /// Identifies the server and the database, whatever address was used to reach it. Checkpoints are keyed by it.
    public var identity: String
    /// How many documents live in it, where it says so.
    public var documentCount: Int?

    /// What is known of a peer.
    public init(identity: String, documentCount: Int? = nil) {
        self.identity = identity
        self.documentCount = documentCount
    }
}

/// A document and some of its revisions.
public struct DocumentRevisions: Hashable, Sendable {
    /// The document's id.
    public var id: String
    /// The revisions.
    public var revisions: [Revision]

    /// A document and some of its revisions.
    public init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }
}

extension [DocumentRevisions] {
    /// Each revision by itself.
    var keys: [ReplicatedRevision.Key] {
        flatMap { document in document.revisions.map { ReplicatedRevision.Key(id: document.id, revision: $0) } }
    }
}

extension Set<ReplicatedRevision.Key> {
    /// By their documents, in one order always.
    var byDocument: [DocumentRevisions] {
        Dictionary(grouping: self, by: \.id).sorted { $0.key < $1.key }
            .map { DocumentRevisions(id: $0.key, revisions: $0.value.map(\.revision).sorted()) }
    }
}

/// Which changes are asked for.
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

    /// Which changes are asked for.
    public init(since: PeerSequence, limit: Int, filter: ReplicationFilter = .all, waits: Bool = false) {
        self.since = since
        self.limit = limit
        self.filter = filter
        self.waits = waits
    }
}

/// Some changes, oldest first.
public struct ChangesPage: Hashable, Sendable {
    /// The documents that changed, with all their leaves that were asked for.
    public var changes: [DocumentRevisions]
    /// Where the page ends; the next is asked for since this.
    public var last: PeerSequence
    /// How many changes are still behind it, where the peer says so.
    public var pending: Int?

    /// Some changes.
    public init(changes: [DocumentRevisions], last: PeerSequence, pending: Int? = nil) {
        self.changes = changes
        self.last = last
        self.pending = pending
    }
}

/// Which documents are replicated.
public enum ReplicationFilter: Hashable, Sendable {
    /// All of them.
    case all
    /// Those with these ids.
    case documents([String])
    /// Those that a mango selector picks: the text of a JSON object.
    case selector(String)
}

/// A piece of a snapshot.
public struct SnapshotPage: Hashable, Sendable {
    /// What it brings.
    public var revisions: [ReplicatedRevision]
    /// Up to where everything was brought, this page included; nil when more pages belong to it.
    public var last: PeerSequence?
    /// Whether the snapshot ends here.
    public var isLast: Bool

    /// A piece of a snapshot.
    public init(revisions: [ReplicatedRevision], last: PeerSequence?, isLast: Bool) {
        self.revisions = revisions
        self.last = last
        self.isLast = isLast
    }
}

/// The pieces of a snapshot, read as they are asked for.
public typealias SnapshotPages = AsyncThrowingStream<SnapshotPage, any Error>

/// Where a peer's changes stand. Only the peer that gave it can read it; others keep it and give it back.
public struct PeerSequence: Hashable, Sendable {
    /// The JSON text of it. A whole number is a string of digits, as the clients of CouchDB expect, whether the peer
    /// wrote it as a number or as a string: both are the same sequence.
    public let json: String

    /// Before every change.
    public static let start = PeerSequence(0)

    /// A numbered one.
    public init(_ number: Int64) { json = "\"\(number)\"" }

    /// One that came as JSON text.
    public init(json: String) {
        let isNumber = !json.isEmpty && json.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self.json = isNumber ? "\"\(json)\"" : json
    }

    /// What names the sequence in the id of a replication: its digits alone where it is a whole number, which is how
    /// ids were made when sequences were written as numbers.
    package var name: String {
        let inner = json.dropFirst().dropLast()
        let isNumber = !inner.isEmpty && inner.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? String(inner) : json
    }

    /// The number that it begins with, by which sequences of one peer can be told apart in age: `12`, `"12-g1AAAA"`.
    var number: Int64? {
        let digits = json.utf8.drop { $0 == UInt8(ascii: "\"") }.prefix { (0x30...0x39).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
