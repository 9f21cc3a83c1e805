package import MusterCore
package import MusterDocuments
import MusterStore
import MusterWire

/// The roads to documents. Everything that an endpoint reads of or writes to databases goes through here, so that
/// users' positions are documents wherever documents are read, and location documents are observations wherever they
/// arrive.
extension StoreCoordinator {
    /// Runs `body` with a look at the documents, positions among them, on a thread where it may block.
    ///
    /// - Throws: what `body` throws, `StoreError`.
    package func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success {
        try await read { [self] store in
            try store.readDocuments { documents, positions in
                // Not before the look begins: a device that was made while this waited may have reported by then.
                try body(UnionReader(documents, positions, in: directory))
            }
        }
    }

    /// Carries out edits of documents in one database, in order, in one transaction.
    ///
    /// - Parameter author: who edits; nil for the server itself.
    /// - Returns: what became of each, once all is on disk.
    /// - Throws: `CoordinatorError`, `QuotaError`; then nothing happened.
    ///
    /// - Precondition: the place may be written to.
    package func write(_ edits: [DocumentEdit], to place: ResolvedDatabase, by author: Author?) async throws
        -> [EditOutcome]
    {
        guard let database = place.number else { preconditionFailure("\(place.name) is only read") }
        if edits.isEmpty { return [] }
        var target = WriteTarget(
            database: database, name: place.name, revisionLimit: place.revisionLimit, author: author)
        if case .locations(let user) = place.kind {
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

    /// The devices of a user: there is one as soon as locations are written.
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
