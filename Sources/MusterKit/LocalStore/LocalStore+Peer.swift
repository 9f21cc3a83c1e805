public import MusterReplication

/// The store as one side of a replication.
extension LocalStore: ReplicationPeer {
    /// The store's own name, made with its file.
    public func information() async throws -> PeerInformation { try await peer.information() }
    /// It is there already.
    public func create() async throws {}
    /// What it remembers of a replication.
    public func log(_ id: String) async throws -> ReplicationLog? { try await peer.log(id) }
    /// Remembers a replication.
    public func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await peer.put(log, as: id)
    }
    /// What changed.
    public func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await peer.changes(request) }
    /// Which revisions it does not have.
    public func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await peer.missing(revisions)
    }
    /// What revisions say, in the clear.
    public func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        try await peer.read(wanted)
    }
    /// The bytes of an attachment.
    public func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await peer.attachment(reference)
    }
    /// Puts revisions where they stood at the other side.
    public func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await peer.write(revisions, attachments: attachments)
    }
    /// Every write is on disk already.
    public func ensureFullCommit() async throws {}
}
