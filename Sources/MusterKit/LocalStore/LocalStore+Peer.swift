public import MusterReplication

/// The store as a peer of a replication.
extension LocalStore: ReplicationPeer {
    /// The store's UUID, which is made with its file.
    public func information() async throws -> PeerInformation { try await peer.information() }
    /// Does nothing, because the store exists.
    public func create() async throws {}
    /// The checkpoint of a replication; nil if there is none.
    public func log(_ id: String) async throws -> ReplicationLog? { try await peer.log(id) }
    /// Stores the checkpoint of a replication.
    public func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await peer.put(log, as: id)
    }
    /// A page of the store's changes.
    public func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await peer.changes(request) }
    /// Returns those of the given revisions that the store does not have.
    public func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await peer.missing(revisions)
    }
    /// The bodies of revisions, decrypted.
    public func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        try await peer.read(wanted)
    }
    /// The content of an attachment.
    public func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await peer.attachment(reference)
    }
    /// Stores revisions at their place in the revision trees.
    public func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await peer.write(revisions, attachments: attachments)
    }
    /// Does nothing, because every write is on disk when it returns.
    public func ensureFullCommit() async throws {}
}
