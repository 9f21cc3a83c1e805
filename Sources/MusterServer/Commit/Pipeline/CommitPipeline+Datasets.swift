import MusterCore
import MusterDocuments
import MusterStore

/// Stores updates of datasets.
extension CommitPipeline {
    /// Decides and stores one update of a dataset.
    ///
    /// - Parameter name: the owner's name.
    /// - Returns: the receipt; its `dataset` or its `refusal` says why, where nothing was stored.
    /// - Throws: the store's errors.
    mutating func updateDataset(
        _ update: DatasetUpdate, of name: String, now: Instant, in transaction: any StoreTransaction
    ) throws -> Receipt {
        var receipt = Receipt()
        let before =
            try transaction.dataset(update.name, of: update.owner)
            ?? Dataset(owner: update.owner, name: update.name, at: now)
        let owned = before.exists ? 0 : try transaction.datasetCount(of: update.owner)
        do {
            let decision = try before.deciding(update, ownedDatasets: owned, at: now) { key in
                try transaction.record(key, in: update.name, of: update.owner)
            }
            let growth = Int64(decision.dataset.bytes - before.bytes)
            if let refusal = try refusal(ofDatasetBytes: growth, of: update.owner, called: name, transaction) {
                receipt.refusal = refusal
                return receipt
            }
            receipt.dataset = .success(decision)
            guard let touch = decision.touch else { return receipt }
            try transaction.put(decision)
            let sequence = try transaction.append(.dataset(touch))
            try streams.send(decision, of: nil, at: sequence, now, in: transaction)
        } catch let fault as DatasetError {
            receipt.dataset = .failure(fault)
        }
        return receipt
    }

    /// Returns the quota that a user's datasets would exceed; nil where there is room. Removals take no room.
    ///
    /// - Parameter growth: how much larger the datasets would be, in bytes.
    func refusal(
        ofDatasetBytes growth: Int64, of owner: UserNumber, called name: String, _ transaction: any StoreTransaction
    ) throws -> QuotaError? {
        guard growth > 0 else { return nil }
        let documents = try transaction.documents.counts(in: .database(.locations(of: owner))).storedBytes
        return quotas.refusal(
            ofDatasetBytes: growth, with: documents + (try transaction.datasetBytes(of: owner)), of: owner, called: name
        )
    }
}

extension DatasetUpdate {
    /// The approximate size, in observations.
    var weight: Int {
        switch order {
        case .patch(let patches): patches.reduce(1) { $0 + 1 + ($1.value?.utf8.count ?? 0) / 256 }
        case .delete: DatasetLimits.records
        }
    }
}
