/// The result of one update of a dataset.
public struct DatasetDecision: Hashable, Sendable {
    /// The dataset after the update.
    public var dataset: Dataset
    /// The records that the update changed, in the order of its patches.
    public var records: [DatasetRecord]
    /// Whether the update removes all earlier records.
    public var removesRecords: Bool
    /// The change for the log; nil when the update changes nothing.
    public var touch: DatasetTouch?
}

extension Dataset {
    /// Returns the result of one update. When this throws, the update changes nothing.
    ///
    /// An update that removes a record which never existed still stores a tombstone for its key.
    ///
    /// - Parameters:
    ///   - ownedDatasets: the number of datasets that the owner has.
    ///   - datasetLimit: the number of datasets that the owner may have.
    ///   - moment: when the server stores the update.
    ///   - record: returns the stored record of a key, also a removed one; nil when none was ever stored.
    /// - Throws: `DatasetError`, and any error of `record`.
    /// - Complexity: O(patches).
    public func deciding(
        _ update: DatasetUpdate, ownedDatasets: Int, datasetLimit: Int = DatasetLimits.datasets, at moment: Instant,
        record: (String) throws -> DatasetRecord?
    ) throws -> DatasetDecision {
        guard DatasetLimits.isName(update.name) else {
            throw DatasetError.invalid(
                field: "A dataset's name", reason: "is 1 to 128 of the characters a-z, A-Z, 0-9, _, ., : and -")
        }
        if let device = update.device, !DatasetLimits.deviceIDBytes.contains(device.utf8.count) {
            throw DatasetError.invalid(field: "A device's id", reason: "is 1 to 256 bytes long")
        }
        switch update.order {
        case .delete: return try deleted(by: update, at: moment)
        case .patch(let patches):
            guard !patches.isEmpty else {
                return DatasetDecision(dataset: self, records: [], removesRecords: false, touch: nil)
            }
            if !exists, ownedDatasets >= datasetLimit {
                throw DatasetError.overLimit(reason: "A user has at most \(datasetLimit) datasets.")
            }
            return try patched(patches, by: update, at: moment, record: record)
        }
    }

    private func deleted(by update: DatasetUpdate, at moment: Instant) throws(DatasetError) -> DatasetDecision {
        guard exists else { throw .noDataset(name) }
        var dataset = self
        dataset.syncCount += 1
        dataset.deletedCount = dataset.syncCount
        dataset.exists = false
        (dataset.recordCount, dataset.removedCount, dataset.bytes) = (0, 0, 0)
        dataset.modifiedAt = moment
        dataset.modifiedBy = update.author
        return DatasetDecision(
            dataset: dataset, records: [], removesRecords: true, touch: dataset.touch(by: update))
    }

    private func patched(
        _ patches: [DatasetPatch], by update: DatasetUpdate, at moment: Instant,
        record: (String) throws -> DatasetRecord?
    ) throws -> DatasetDecision {
        var dataset = self
        if !exists {
            dataset.exists = true
            dataset.createdAt = moment
        }
        dataset.syncCount += 1
        dataset.modifiedAt = moment
        dataset.modifiedBy = update.author
        var keys: Set<ExactText> = []
        var changed: [DatasetRecord] = []
        for patch in patches {
            try patch.check()
            guard keys.insert(ExactText(patch.key)).inserted else { throw DatasetError.repeatedKey(patch.key) }
            let before = try record(patch.key)
            guard patch.syncCount == before?.syncCount ?? 0 else {
                throw DatasetError.conflict(key: patch.key, syncCount: before?.syncCount ?? 0)
            }
            let after = DatasetRecord(
                key: patch.key, value: patch.value, syncCount: dataset.syncCount, modifiedAt: moment,
                deviceModifiedAt: patch.deviceModifiedAt ?? moment, modifiedBy: update.author)
            dataset.count(before, by: -1)
            dataset.count(after, by: 1)
            changed.append(after)
        }
        try dataset.checkLimits()
        return DatasetDecision(
            dataset: dataset, records: changed, removesRecords: false, touch: dataset.touch(by: update))
    }

    private mutating func count(_ record: DatasetRecord?, by sign: Int) {
        guard let record else { return }
        if record.value == nil { removedCount += sign } else { recordCount += sign }
        bytes += sign * record.bytes
    }

    private func checkLimits() throws(DatasetError) {
        guard recordCount <= DatasetLimits.records else {
            throw .overLimit(reason: "A dataset holds at most \(DatasetLimits.records) records.")
        }
        guard bytes <= DatasetLimits.bytes else {
            throw .overLimit(reason: "A dataset holds at most \(DatasetLimits.bytes) bytes of keys and values.")
        }
        guard removedCount <= DatasetLimits.removedRecords else {
            throw .overLimit(
                reason: "A dataset keeps at most \(DatasetLimits.removedRecords) removed keys: delete it to start over."
            )
        }
    }

    private func touch(by update: DatasetUpdate) -> DatasetTouch {
        DatasetTouch(owner: owner, name: name, syncCount: syncCount, isDeleted: !exists, device: update.device)
    }
}

extension DatasetPatch {
    fileprivate func check() throws(DatasetError) {
        guard DatasetLimits.keyBytes.contains(key.utf8.count) else {
            throw .invalid(field: "A key", reason: "is 1 to 1,024 bytes long")
        }
        guard (value?.utf8.count ?? 0) <= DatasetLimits.valueBytes else {
            throw .invalid(field: "A value", reason: "is at most 1,048,575 bytes long")
        }
    }
}
