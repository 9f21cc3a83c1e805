import MusterCore
import MusterStore

extension CommitPipeline {
    /// Decides and stores one update of a dataset.
    ///
    /// - Returns: the receipt; its `dataset` says why, where nothing was stored.
    /// - Throws: the store's errors.
    mutating func updateDataset(
        _ update: DatasetUpdate, now: Instant, in transaction: any StoreTransaction
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
            receipt.dataset = .success(decision)
            guard let touch = decision.touch else { return receipt }
            try transaction.put(decision)
            try transaction.append(.dataset(touch))
        } catch let fault as DatasetError {
            receipt.dataset = .failure(fault)
        }
        return receipt
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
