package import MusterCore
package import MusterDocuments
import MusterStore
import MusterWire

/// Reads and writes documents, for all endpoints. Readers find the users' positions among the documents, and location
/// documents that a client writes become observations.
extension StoreCoordinator {
    /// Runs `body` over a snapshot of the documents, with positions among them, on a thread that may block.
    ///
    /// - Throws: `WorkError`, `WorkLimit.InterruptionError`, `StoreError`; the errors of `body`.
    package func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success {
        try await read { [self] store in
            try store.readDocuments { documents, positions in
                // Reads the directory only after the snapshot was taken, because the snapshot may hold positions of a
                // device that was created while this read waited.
                try body(UnionReader(documents, positions, in: directory))
            }
        }
    }

    /// Carries out edits of documents in one database, in order, in one transaction.
    ///
    /// - Parameter author: the author, for the audit log; nil for the server itself.
    /// - Returns: the outcome of each edit, once all are on disk.
    /// - Throws: `CoordinatorError`, `QuotaError`; then nothing was stored.
    ///
    /// - Precondition: `database.number` is not nil.
    package func write(_ edits: [DocumentEdit], to database: ResolvedDatabase, by author: Author?) async throws
        -> [EditOutcome]
    {
        guard let number = database.number else { preconditionFailure("\(database.name) is only read") }
        if edits.isEmpty { return [] }
        var target = WriteTarget(
            database: number, name: database.name, revisionLimit: database.revisionLimit, author: author)
        if case .locations(let user) = database.kind {
            target.user = user
            target.devices = try await devices(of: user, by: author)
            let sender = author?.device
            target.device = target.devices.contains { $0 == sender } ? sender : target.devices.min()
            let now = now()
            target.positions = edits.map { edit in
                edit.isDeleted ? nil : LocationDocument.position(in: edit.body.json, receivedAt: now)
            }
        }
        let claim = try target.user.map {
            try quotas.claim(documents: edits.count, of: $0, by: author, in: directory)
        }
        do {
            let receipt = try await enqueue(.documents(edits, in: target))
            guard let refusal = receipt.refusal else { return receipt.outcomes }
            quotas.noteRefusal(refusal)
            throw CoordinatorError.overQuota(refusal)
        } catch {
            if let claim { quotas.giveBack(claim) }
            throw error
        }
    }

    /// The devices of a user. Creates one where the user has none, because a location document needs a device.
    private func devices(of user: User, by author: Author?) async throws -> [DeviceNumber] {
        let devices = directory.devices(of: user.number)
        guard devices.isEmpty else { return devices }
        return try await edit(by: author) { directory, draft in
            let devices = directory.devices(of: user.number)
            guard devices.isEmpty, directory.users[user.number] != nil else { return devices }
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: "phone", user: user.number)
            draft.edits = [.putDevice(device)]
            return [device.number]
        }
    }
}
