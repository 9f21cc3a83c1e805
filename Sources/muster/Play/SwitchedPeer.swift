import MusterCore
import MusterReplication
import MusterTerminal

// A peer that loses its network when a person walks through a dead zone.

/// The network of a person who walks through a dead zone.
struct Network: Sendable {
    private let start = Instant.now
    let offlineFrom: Double?
    let offlineUntil: Double?

    init(offlineFrom: Double?, offlineUntil: Double?) {
        self.offlineFrom = offlineFrom
        self.offlineUntil = offlineUntil
    }

    /// Whether the network is unreachable now.
    var isAway: Bool {
        guard offlineFrom != nil || offlineUntil != nil else { return false }
        let seconds = Instant.now.seconds(since: start)
        return seconds >= offlineFrom ?? 0 && seconds < offlineUntil ?? .infinity
    }
}

/// A peer of one session that is reachable only while the network is.
struct SwitchedPeer: ReplicationPeer {
    private let peer: HTTPPeer
    private let network: Network
    private let noteRefusal: @Sendable () -> Void

    /// - Parameter noteRefusal: called when the server refuses the credentials.
    init(_ peer: HTTPPeer, _ network: Network, noteRefusal: @escaping @Sendable () -> Void) {
        self.peer = peer
        self.network = network
        self.noteRefusal = noteRefusal
    }

    private func callPeer<Result>(_ body: (HTTPPeer) async throws -> Result) async throws -> Result {
        if network.isAway { throw ReplicationError.unreachable("--offline-from cuts the network off") }
        do {
            return try await body(peer)
        } catch let fault as ReplicationError {
            if case .unauthorized = fault { noteRefusal() }
            throw fault
        }
    }

    func information() async throws -> PeerInformation { try await callPeer { try await $0.information() } }
    func create() async throws { try await callPeer { try await $0.create() } }
    func log(_ id: String) async throws -> ReplicationLog? { try await callPeer { try await $0.log(id) } }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await callPeer { try await $0.put(log, as: id) }
    }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage {
        try await callPeer { try await $0.changes(request) }
    }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await callPeer { try await $0.missing(revisions) }
    }
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        try await callPeer { try await $0.read(wanted) }
    }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await callPeer { try await $0.attachment(reference) }
    }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await callPeer { try await $0.write(revisions, attachments: attachments) }
    }
    func ensureFullCommit() async throws { try await callPeer { try await $0.ensureFullCommit() } }
}
