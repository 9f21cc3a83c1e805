/// The preferences or the state of one app that follow a person across devices: named records, each a key and a text.
///
/// A dataset belongs to one user. Its `syncCount` rises by exactly 1 with each successful update, and every record that
/// the update touched carries the new count. A device that knows the dataset up to a count therefore asks for the
/// records above it. The model is Amazon Cognito Sync's (API version 2014-06-30).
public struct Dataset: Hashable, Sendable {
    /// The user whose dataset it is.
    public var owner: UserNumber
    /// The name, unique among the owner's datasets.
    public var name: String
    /// The number of updates so far. It keeps rising after the owner deletes the dataset and creates it again, so that
    /// no device mistakes the new dataset for the old one.
    public var syncCount: Int64
    /// The count at which the dataset was last deleted; 0 when it never was.
    public var deletedCount: Int64
    /// Whether the dataset exists; false after its deletion.
    public var exists: Bool
    /// When the first update after the last deletion came, by the server's clock.
    public var createdAt: Instant
    /// When its last update came, by the server's clock.
    public var modifiedAt: Instant
    /// The author of the last update, as `DatasetRecord.modifiedBy`.
    public var modifiedBy: String
    /// The number of records that have a value.
    public var recordCount: Int
    /// The number of removed records whose keys are still known.
    public var removedCount: Int
    /// The bytes of all keys and values, in UTF-8, the keys of removed records included.
    public var bytes: Int

    /// Creates a dataset as it is before its first update.
    public init(owner: UserNumber, name: String, at moment: Instant) {
        self.owner = owner
        self.name = name
        syncCount = 0
        deletedCount = 0
        exists = false
        createdAt = moment
        modifiedAt = moment
        modifiedBy = ""
        recordCount = 0
        removedCount = 0
        bytes = 0
    }

    /// Whether the dataset was deleted after a device last saw it. The device must then not mistake the records that it
    /// still has for the present state.
    ///
    /// - Parameter count: the device's last sync count; 0 for a device that never saw the dataset.
    public func wasDeleted(since count: Int64) -> Bool {
        count > 0 && (deletedCount > count || count > syncCount)
    }
}

/// One record of a dataset.
public struct DatasetRecord: Hashable, Sendable {
    /// The key, unique in the dataset.
    public var key: String
    /// The text; nil for a removed record (a tombstone), whose key stays known so that every device removes it too.
    public var value: String?
    /// The dataset's count at the last change of this record.
    public var syncCount: Int64
    /// When the server stored the change.
    public var modifiedAt: Instant
    /// When the change was made, by the clock of the device that made it.
    public var deviceModifiedAt: Instant
    /// The id of the push device that made the change, or the name of the user when the device named no id.
    public var modifiedBy: String

    public init(
        key: String, value: String?, syncCount: Int64, modifiedAt: Instant, deviceModifiedAt: Instant,
        modifiedBy: String
    ) {
        self.key = key
        self.value = value
        self.syncCount = syncCount
        self.modifiedAt = modifiedAt
        self.deviceModifiedAt = deviceModifiedAt
        self.modifiedBy = modifiedBy
    }

    /// The size of the record in the limits of a dataset: the bytes of its key and its value, in UTF-8.
    var bytes: Int { key.utf8.count + (value?.utf8.count ?? 0) }
}

/// One change that a device asks for.
public struct DatasetPatch: Hashable, Sendable {
    /// The key of the record.
    public var key: String
    /// The new text; nil to remove the record.
    public var value: String?
    /// The count of the record as the device knows it; 0 for a record that it does not know.
    public var syncCount: Int64
    /// When the change was made, by the device's clock; nil when the device did not report it.
    public var deviceModifiedAt: Instant?

    public init(key: String, value: String?, syncCount: Int64, deviceModifiedAt: Instant? = nil) {
        self.key = key
        self.value = value
        self.syncCount = syncCount
        self.deviceModifiedAt = deviceModifiedAt
    }
}

/// A change of a dataset. The log holds no content: a reader asks for the records above the count that it knows.
public struct DatasetTouch: Hashable, Sendable {
    /// The user whose dataset it is.
    public var owner: UserNumber
    /// The dataset's name.
    public var name: String
    /// The count after the change.
    public var syncCount: Int64
    /// Whether the change deleted the dataset.
    public var isDeleted: Bool
    /// The id of the push device that made the change, which needs no push about it; nil when the device named no id.
    public var device: String?

    public init(owner: UserNumber, name: String, syncCount: Int64, isDeleted: Bool, device: String? = nil) {
        self.owner = owner
        self.name = name
        self.syncCount = syncCount
        self.isDeleted = isDeleted
        self.device = device
    }
}
