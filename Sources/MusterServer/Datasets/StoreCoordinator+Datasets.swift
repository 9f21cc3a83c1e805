import MusterCoding
package import MusterCore
package import MusterStore
import MusterWire

/// Reads and updates datasets, merges guests into users, and removes idle guests.
extension StoreCoordinator {
    /// Carries out one update of a dataset.
    ///
    /// - Returns: the dataset after the update and the records that it changed, once all of it is on disk.
    /// - Throws: `DatasetError`, then nothing of the update is stored; `CoordinatorError`, also where it would exceed a
    ///   quota.
    package func updateDataset(_ update: DatasetUpdate) async throws -> DatasetDecision {
        let owner = directory.users[update.owner]?.name ?? ""
        return try await outcome(of: .dataset(update, ownedBy: owner))
    }

    /// Carries out one update of a guest's dataset, and stores the guest where it is the first.
    ///
    /// - Parameter update: the update; the guest takes the place of its owner.
    /// - Throws: as `updateDataset(_:)`; `DatasetError.merged` once the guest was merged into a user.
    package func updateDataset(_ update: DatasetUpdate, of guest: GuestID) async throws -> DatasetDecision {
        try await outcome(of: .guestDataset(update, of: guest))
    }

    private func outcome(of request: CommitRequest) async throws -> DatasetDecision {
        let receipt = try await enqueueWithinQuota(request)
        guard let outcome = receipt.dataset else { preconditionFailure("an update of a dataset has an outcome") }
        return try outcome.get()
    }

    private func enqueueWithinQuota(_ request: CommitRequest) async throws -> Receipt {
        let receipt = try await enqueue(request)
        if let refusal = receipt.refusal {
            quotas.noteRefusal(refusal)
            throw CoordinatorError.overQuota(refusal)
        }
        return receipt
    }

    /// Merges a guest into a user, in one transaction: the guest's datasets become the user's, and the guest's identity
    /// can no longer be used. Where the user already has a dataset of the name, the guest's dataset gets the guest's
    /// identity after its name (`mergedDatasets(into:of:)`). A second merge into the same user changes nothing.
    ///
    /// - Throws: `DatasetError.merged` where the guest was merged into another user, `.overLimit` where the user would
    ///   have too many datasets; `CoordinatorError`, also where they would exceed the user's quota. Nothing is changed
    ///   then.
    package func merge(_ guest: GuestID, into user: User) async throws {
        let receipt = try await enqueueWithinQuota(.guestMerge(guest, into: user.number, called: user.name))
        if let fault = receipt.mergeFault { throw fault }
    }

    /// Removes the guests who have been idle for `GuestLimits.idleSeconds`, and those of removed teams, a few in a
    /// transaction.
    package func removeIdleGuests(at moment: Instant) async throws {
        for pool in try await storeState({ transaction, _ in try transaction.poolsWithGuests() }) {
            let isGone = pool.map { directory.teams[$0] == nil } ?? false
            let horizon = isGone ? moment.advanced(bySeconds: 1) : moment.advanced(bySeconds: -GuestLimits.idleSeconds)
            while try await storeState({ transaction, _ in
                let guests = try transaction.guests(ofPool: pool, idleSince: horizon, limit: Self.idleGuestSlice)
                for guest in guests { try transaction.removeDatasets(of: guest, isWhole: true) }
                return guests.count == Self.idleGuestSlice
            }) {}
        }
    }

    /// The number of guests that one transaction removes: some thousand records.
    private static let idleGuestSlice = 4

    /// Reads a dataset: its state, and a page of the records above a count.
    ///
    /// - Returns: an empty dataset, as of 1970, where the user has none of this name.
    /// - Throws: what reading throws.
    package func readDataset(
        _ name: String, of user: UserNumber, since count: Int64, after cursor: DatasetCursor?, limit: Int
    ) async throws -> DatasetPage {
        let page = try await read { store in
            try store.readDataset(name, of: user, since: count, after: cursor, limit: limit)
        }
        let nothing = Dataset(owner: user, name: name, at: Instant(milliseconds: 0))
        return page ?? DatasetPage(dataset: nothing, records: [], next: nil)
    }

    /// Returns the names of the datasets that were merged into a user beside the dataset of this name. Each name is the
    /// dataset's name, a dot, and the identity that was merged.
    ///
    /// - Throws: what reading throws.
    package func mergedDatasets(into name: String, of user: UserNumber) async throws -> [String] {
        try await read { try $0.datasets(of: user) }.map(\.name).filter { candidate in
            guard candidate.hasPrefix("\(name).") else { return false }
            let identity = String(candidate.dropFirst(name.count + 1))
            if case .identity = origin.cognitoID(identity) { return true }
            return origin.guestID(identity) != nil
        }
    }
}

extension DatasetCursor {
    /// The cursor as clients get it: the count in eight bytes, then the key.
    package var token: String {
        let count = (0..<8).map { UInt8(truncatingIfNeeded: syncCount >> (56 - 8 * $0)) }
        return Base64.encodeUnpadded(count + Array(key.utf8), .forURLs)
    }

    /// The cursor that an answer held; nil for any other text.
    package init?(token: String) {
        guard token.utf8.count < 2_000, let bytes = Base64.decodeUnpadded(token, .forURLs), bytes.count > 8,
            let key = String(validating: bytes.dropFirst(8), as: UTF8.self)
        else { return nil }
        self.init(syncCount: bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }, key: key)
    }
}
