import MusterCoding
package import MusterCore
package import MusterStore
import MusterWire

extension StoreCoordinator {
    /// Carries out one update of a dataset.
    ///
    /// - Returns: the dataset after the update and the records that it changed, once all of it is on disk.
    /// - Throws: `DatasetError`, then nothing of the update is stored; `CoordinatorError`, also where it would exceed a
    ///   quota.
    package func updateDataset(_ update: DatasetUpdate) async throws -> DatasetDecision {
        let owner = directory.users[update.owner]?.name ?? ""
        let receipt = try await enqueue(.dataset(update, ownedBy: owner))
        if let refusal = receipt.refusal {
            quotas.noteRefusal(refusal)
            throw CoordinatorError.overQuota(refusal)
        }
        guard let outcome = receipt.dataset else { preconditionFailure("an update of a dataset has an outcome") }
        return try outcome.get()
    }

    /// Reads a dataset: its state, and a page of the records above a count.
    ///
    /// - Returns: a dataset that does not exist where the user never had one of this name.
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

    /// The datasets that came from identities that were merged into the user's: each is called as the dataset there, a
    /// dot, and that identity.
    ///
    /// - Throws: what reading throws.
    package func mergedDatasets(into name: String, of user: UserNumber) async throws -> [String] {
        try await read { try $0.datasets(of: user) }.map(\.name).filter { candidate in
            guard candidate.hasPrefix("\(name).") else { return false }
            if case .identity = origin.cognitoID(String(candidate.dropFirst(name.count + 1))) { return true }
            return false
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
