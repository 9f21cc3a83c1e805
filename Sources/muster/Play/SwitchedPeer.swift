import MusterCore
import MusterKit
import MusterReplication

/// The network of someone who walks through a dead zone.
struct Network: Sendable {
    private let start = Instant.now
    let offlineFrom: Double?
    let offlineUntil: Double?

    init(offlineFrom: Double?, offlineUntil: Double?) {
        self.offlineFrom = offlineFrom
        self.offlineUntil = offlineUntil
    }

    /// Whether there is none.
    var isAway: Bool {
        guard offlineFrom != nil || offlineUntil != nil else { return false }
        let seconds = Instant.now.seconds(since: start)
        return seconds >= offlineFrom ?? 0 && seconds < offlineUntil ?? .infinity
    }
}

/// A peer behind such a network.
struct SwitchedPeer: ReplicationPeer {
    private let peer: HTTPPeer
    private let network: Network

    init(_ peer: HTTPPeer, _ network: Network) {
        self.peer = peer
        self.network = network
    }

    private func reach() throws -> HTTPPeer {
        if network.isAway { throw ReplicationFault.unreachable("the network is cut off, as asked for") }
        return peer
    }

    func information() async throws -> PeerInformation { try await reach().information() }
    func create() async throws { try await reach().create() }
    func log(_ id: String) async throws -> ReplicationLog? { try await reach().log(id) }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await reach().put(log, as: id)
    }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await reach().changes(request) }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await reach().missing(revisions)
    }
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] { try await reach().read(wanted) }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await reach().attachment(reference)
    }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await reach().write(revisions, attachments: attachments)
    }
    func ensureFullCommit() async throws { try await reach().ensureFullCommit() }
}
