import MusterCore
import MusterReplication
import MusterWire
import Synchronization

/// A database that lies in memory, for tests: the protocol at its plainest, and faults when they are asked for.
final class MemoryPeer: ReplicationPeer {
    struct Document {
        var tree = RevisionTree()
        var bodies: [Revision: ReplicatedRevision] = [:]
        var sequence: Int64 = 0
    }

    struct State {
        var documents: [String: Document] = [:]
        var logs: [String: ReplicationLog] = [:]
        /// How often logs were written: what a log's revision says.
        var logWrites = 0
        /// The id of the document that each change was of: that of the first change, whose sequence is 1, comes first.
        var changed: [String] = []
        var sequence: Int64 { Int64(changed.count) }
        var writes = 0
        var calls = 0
        var largestRead = 0
        /// The ids of documents that it fails at, in their row, whichever way they go.
        var failing: Set<String> = []
    }

    let name: String
    let state = Mutex(State())
    /// Called before every call; may throw.
    let fault: @Sendable (_ call: String) async throws -> Void
    let readLimit: Int

    init(
        _ name: String, readLimit: Int = .max,
        fault: @escaping @Sendable (_ call: String) async throws -> Void = { _ in }
    ) {
        self.name = name
        self.readLimit = readLimit
        self.fault = fault
    }

    private func enter(_ call: String) async throws {
        try await fault(call)
        state.withLock { $0.calls += 1 }
    }

    // MARK: Edits

    /// An edit made here, on a leaf of the document, or on none.
    func edit(_ id: String, on parent: Revision?, isDeleted: Bool = false, _ random: inout SeededDice) {
        state.withLock { state in
            var document = state.documents[id] ?? Document()
            let path = parent.map { document.tree.path(of: $0) } ?? []
            let revision = Revision(
                generation: (parent?.generation ?? 0) + 1, hash: .digest(random.next(), random.next()))
            let body = Array("{\"at\":\(state.sequence)}".utf8)
            let edit = ReplicatedRevision(id: id, path: [revision] + path, isDeleted: isDeleted, json: body)
            Self.merge(edit, into: &document, &state)
            state.documents[id] = document
        }
    }

    private static func merge(_ revision: ReplicatedRevision, into document: inout Document, _ state: inout State) {
        guard document.tree.merge(revision.path, isDeleted: revision.isDeleted) else { return }
        state.changed.append(revision.id)
        state.writes += 1
        document.sequence = state.sequence
        document.bodies[revision.revision] = revision
    }

    func leaves(of id: String) -> [Revision] {
        state.withLock { $0.documents[id]?.tree.leaves.map(\.revision) ?? [] }
    }

    /// What a replication makes equal: the leaves of every document, and what they say.
    var outcome: [String: [Revision: [UInt8]]] {
        state.withLock { state in
            state.documents.mapValues { document in
                Dictionary(
                    uniqueKeysWithValues: document.tree.leaves.map { leaf in
                        (leaf.revision, document.bodies[leaf.revision]?.json ?? [])
                    })
            }
        }
    }

    var winners: [String: Revision?] {
        state.withLock { $0.documents.mapValues { $0.tree.winner?.revision } }
    }

    // MARK: The protocol

    func information() async throws -> PeerInformation {
        try await enter("information")
        return PeerInformation(identity: name, documentCount: state.withLock { $0.documents.count })
    }

    func create() async throws { try await enter("create") }

    func log(_ id: String) async throws -> ReplicationLog? {
        try await enter("log")
        return state.withLock { $0.logs[id] }
    }

    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await enter("put")
        return try state.withLock { state in
            guard log.revision == state.logs[id]?.revision else {
                throw ReplicationError.busy(status: 409, retryAfterSeconds: nil)
            }
            // As it comes back from a wire.
            var kept = ReplicationLog(parsing: log.json(id: id))
            state.logWrites += 1
            kept.revision = "0-\(state.logWrites)"
            state.logs[id] = kept
            return kept
        }
    }

    func changes(_ request: ChangesRequest) async throws -> ChangesPage {
        try await enter("changes")
        let since = Int(request.since.name) ?? 0
        return state.withLock { state in
            let isAdmitted = { (id: String) in
                if case .documents(let ids) = request.filter { ids.contains(id) } else { true }
            }
            var (page, pending, last) = ([DocumentRevisions](), 0, state.sequence)
            for (index, id) in state.changed.enumerated().dropFirst(since) where isAdmitted(id) {
                // The feed lists a document at the sequence of its last change.
                guard let document = state.documents[id], document.sequence == index + 1 else { continue }
                guard page.count < request.limit else {
                    pending += 1
                    continue
                }
                page.append(DocumentRevisions(id: id, revisions: document.tree.leaves.map(\.revision)))
                last = document.sequence
            }
            return ChangesPage(changes: page, last: PeerSequence(last), pending: pending)
        }
    }

    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await enter("missing")
        return state.withLock { state in
            revisions.compactMap { document in
                let missing = (state.documents[document.id]?.tree ?? RevisionTree()).missing(document.revisions)
                return missing.isEmpty ? nil : DocumentRevisions(id: document.id, revisions: missing)
            }
        }
    }

    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        try await enter("read")
        let count = wanted.reduce(0) { $0 + $1.revisions.count }
        guard count <= readLimit, !wanted.contains(where: { $0.id == "huge" }) else {
            throw ReplicationError.tooLarge(limitBytes: readLimit)
        }
        return state.withLock { state in
            state.largestRead = max(state.largestRead, count)
            return wanted.flatMap { want -> [ReplicatedRevision] in
                guard let document = state.documents[want.id] else { return [] }
                return want.revisions.flatMap { document.tree.leaves(from: $0) }.compactMap { leaf in
                    if state.failing.contains(want.id) {
                        return ReplicatedRevision(
                            refused: want.id, leaf, error: "unknown_error", reason: "badmatch", isPassing: true)
                    }
                    return document.bodies[leaf].map {
                        ReplicatedRevision(
                            id: want.id, path: document.tree.path(of: leaf), isDeleted: $0.isDeleted, json: $0.json)
                    }
                }
            }
        }
    }

    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        throw ReplicationError.unsupported("no attachments here")
    }

    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await enter("write")
        return state.withLock { state in
            var refusals: [WriteRefusal] = []
            for revision in revisions {
                guard !revision.id.hasPrefix("forbidden") else {
                    refusals.append(
                        WriteRefusal(id: revision.id, revision: revision.revision, error: "forbidden", reason: "no"))
                    continue
                }
                guard !state.failing.contains(revision.id) else {
                    refusals.append(
                        WriteRefusal(
                            id: revision.id, revision: revision.revision, error: "unknown_error", reason: "badmatch",
                            isPassing: true))
                    continue
                }
                var document = state.documents[revision.id] ?? Document()
                Self.merge(revision, into: &document, &state)
                state.documents[revision.id] = document
            }
            return refusals
        }
    }

    func ensureFullCommit() async throws { try await enter("ensureFullCommit") }
}

/// SplitMix64, so that a run can be had again by its seed.
struct SeededDice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension ReplicationPacing {
    /// A clock that moves a second with every look and never waits, and dice of a seed.
    static func seeded(_ seed: UInt64) -> ReplicationPacing {
        let clock = Mutex<Int64>(0)
        let dice = Mutex(SeededDice(seed: seed))
        return ReplicationPacing(
            now: {
                clock.withLock {
                    $0 += 1_000
                    return Instant(milliseconds: $0)
                }
            }, sleep: { _ in try Task.checkCancellation() },
            random: { dice.withLock { Double.random(in: 0..<1, using: &$0) } })
    }
}

/// One run from one peer to another, a page of some changes at a time.
@discardableResult
func replicate(
    _ source: MemoryPeer, _ target: MemoryPeer, seed: UInt64
) async throws -> ReplicationProgress {
    var options = Replication.Options()
    options.pageLimit = Int(seed % 13) + 1
    return try await Replication(from: source, to: target, options: options, pacing: .seeded(seed)).run()
}
