import MusterCore
import MusterStore
import MusterWire

/// Guests' datasets. A guest is stored with the first of them.
extension CommitPipeline {
    /// Decides and stores one update of a guest's dataset.
    ///
    /// - Returns: the receipt; its `dataset` or its `refusal` says why, where nothing was stored.
    /// - Throws: the store's errors.
    mutating func updateDataset(
        _ update: DatasetUpdate, ofGuest id: GuestID, now: Instant, in transaction: any StoreTransaction
    ) throws -> Receipt {
        var receipt = Receipt()
        let stored = try transaction.guest(id)
        var update = update
        update.owner = stored?.number ?? IncidentEntry.nobody
        do {
            try Self.checkRoom(for: stored, called: update.name, try transaction.guestUsage(ofPool: id.pool))
            if let target = try streams.target(of: id.pool, in: transaction),
                store.pendingDeliveryCounts[target, default: 0] >= GuestLimits.waitingForStream
            {
                throw DatasetError.overLimit(reason: "The identity pool's stream has not taken earlier updates yet.")
            }
            let before =
                try stored.flatMap { try transaction.dataset(update.name, of: $0.number) }
                ?? Dataset(owner: update.owner, name: update.name, at: now)
            let owned = before.exists ? 0 : try stored.map { try transaction.datasetCount(of: $0.number) } ?? 0
            var decision = try before.deciding(update, ownedDatasets: owned, at: now) { key in
                try stored.flatMap { try transaction.record(key, in: update.name, of: $0.number) }
            }
            let growth = decision.growth(after: before)
            let bytes = (stored?.bytes ?? 0) + growth
            try Self.checkSize(bytes, growth, try transaction.guestUsage(ofPool: id.pool))
            if let refusal = quotas.refusal(
                ofDatasetBytes: Int64(growth), with: Int64(bytes - growth), of: update.owner, called: "a guest")
            {
                receipt.refusal = refusal
                return receipt
            }
            guard var touch = decision.touch else {
                receipt.dataset = .success(decision)
                return receipt
            }
            var guest = try stored ?? transaction.makeGuest(id, at: now)
            (guest.usedAt, guest.bytes) = (now, bytes)
            try transaction.put(guest)
            (decision.dataset.owner, touch.owner) = (guest.number, guest.number)
            decision.touch = touch
            try transaction.put(decision)
            let sequence = try transaction.append(.dataset(touch))
            try streams.send(decision, of: id, at: sequence, now, in: transaction)
            receipt.dataset = .success(decision)
        } catch let fault as DatasetError {
            receipt.dataset = .failure(fault)
        }
        return receipt
    }

    private static func checkRoom(
        for guest: Guest?, called name: String, _ pool: GuestUsage
    ) throws(DatasetError) {
        guard guest?.user == nil else { throw .merged }
        guard guest != nil || pool.guests < GuestLimits.guestsOfPool else {
            throw .overLimit(reason: "The identity pool has \(GuestLimits.guestsOfPool) guests, which is the most.")
        }
        guard name.utf8.count <= GuestLimits.nameLength else {
            throw .invalid(
                field: "The name of a guest's dataset", reason: "is at most \(GuestLimits.nameLength) characters long")
        }
    }

    private static func checkSize(_ bytes: Int, _ growth: Int, _ pool: GuestUsage) throws(DatasetError) {
        guard growth > 0 else { return }
        guard bytes <= GuestLimits.bytes else {
            throw .overLimit(
                reason: "A guest's datasets hold at most \(GuestLimits.bytes) bytes, "
                    + "\(GuestLimits.recordBytes) of them for each record.")
        }
        guard pool.bytes + Int64(growth) <= GuestLimits.bytesOfPool else {
            throw .overLimit(reason: "The guests of the identity pool have used its room up.")
        }
    }

    // MARK: Merging

    /// Merges a guest into a user.
    ///
    /// - Parameter name: the user's name.
    /// - Returns: the receipt; its `mergeFault` or its `refusal` says why, where nothing was changed.
    /// - Throws: the store's errors.
    mutating func merge(
        _ id: GuestID, into user: UserNumber, called name: String, now: Instant, in transaction: any StoreTransaction
    ) throws -> Receipt {
        var receipt = Receipt()
        guard var guest = try transaction.guest(id) else {
            // The guest has stored nothing, and may store nothing from now on. A full pool stores no guest anyway.
            guard try transaction.guestUsage(ofPool: id.pool).guests < GuestLimits.guestsOfPool else { return receipt }
            var guest = try transaction.makeGuest(id, at: now)
            guest.user = user
            try transaction.put(guest)
            return receipt
        }
        guard guest.user == nil else {
            if guest.user != user { receipt.mergeFault = .merged }
            return receipt
        }
        let datasets = try transaction.datasets(of: guest.number)
        let owned = try transaction.datasetCount(of: user)
        guard owned + datasets.count <= GuestLimits.mergedDatasets else {
            receipt.mergeFault = .overLimit(
                reason: "A user has at most \(GuestLimits.mergedDatasets) datasets with those of merged identities: "
                    + "delete some, or sign in without the guest's identity.")
            return receipt
        }
        let bytes = Int64(datasets.reduce(0) { $0 + $1.bytes })
        if let refusal = try refusal(ofDatasetBytes: bytes, of: user, called: name, transaction) {
            receipt.refusal = refusal
            return receipt
        }
        do {
            for copy in try copies(of: datasets, of: guest, to: user, now: now, in: transaction) {
                try put(copy, now: now, in: transaction)
            }
        } catch let fault as DatasetError {
            receipt.mergeFault = fault
            return receipt
        }
        try transaction.removeDatasets(of: guest, isWhole: false)
        (guest.usedAt, guest.bytes, guest.user) = (now, 0, user)
        try transaction.put(guest)
        return receipt
    }

    /// Decides how a guest's datasets are copied to a user: one update of the user's for each. It stores nothing.
    /// Removed records are not copied.
    ///
    /// The datasets are read in the order of their names, so a name with a suffix comes after the name without it, and
    /// no two copies have the same name.
    ///
    /// - Throws: `DatasetError` where the user cannot have one of them; the store's errors.
    private func copies(
        of datasets: [Dataset], of guest: Guest, to user: UserNumber, now: Instant, in transaction: any StoreTransaction
    ) throws -> [DatasetDecision] {
        let suffix = ".\(rules.eventMapper.origin.text(of: guest.id))"
        var taken: Set<String> = []
        return try datasets.compactMap { dataset in
            let records = try transaction.records(of: dataset.name, of: guest.number)
            if records.isEmpty { return nil }
            var name = dataset.name
            if try taken.contains(name) || transaction.dataset(name, of: user)?.exists == true { name += suffix }
            taken.insert(name)
            // A user may have a record there already, even where the dataset was made for this merge.
            let patches = try records.map { record in
                DatasetPatch(
                    key: record.key, value: record.value,
                    syncCount: try transaction.record(record.key, in: name, of: user)?.syncCount ?? 0,
                    deviceModifiedAt: record.deviceModifiedAt)
            }
            let before = try transaction.dataset(name, of: user) ?? Dataset(owner: user, name: name, at: now)
            return try before.deciding(
                DatasetUpdate(owner: user, name: name, order: .patch(patches), author: dataset.modifiedBy),
                ownedDatasets: 0, datasetLimit: GuestLimits.mergedDatasets, at: now
            ) { try transaction.record($0, in: name, of: user) }
        }
    }

    private func put(_ copy: DatasetDecision, now: Instant, in transaction: any StoreTransaction) throws {
        guard let touch = copy.touch else { return }
        try transaction.put(copy)
        let sequence = try transaction.append(.dataset(touch))
        try streams.send(copy, of: nil, at: sequence, now, in: transaction)
    }
}

extension DatasetDecision {
    /// By how many bytes the update raises the guest's use of the quota.
    fileprivate func growth(after before: Dataset) -> Int {
        guard touch != nil else { return 0 }
        return GuestLimits.weight(of: dataset) - (before.syncCount == 0 ? 0 : GuestLimits.weight(of: before))
    }
}
