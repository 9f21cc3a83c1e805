/// One device's update of a dataset: all of its patches are stored, or none.
public struct DatasetUpdate: Hashable, Sendable {
    /// The user whose dataset it is.
    public var owner: UserNumber
    /// The dataset's name.
    public var name: String
    /// What the update does.
    public var order: Order
    /// The id of the push device that sends the update; nil when the sender is no push device.
    public var device: String?
    /// The author, as `DatasetRecord.modifiedBy`.
    public var author: String

    /// The size of the update's keys and values, in bytes of UTF-8.
    public var bytes: Int {
        guard case .patch(let patches) = order else { return 0 }
        return patches.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
    }

    /// What an update does.
    public enum Order: Hashable, Sendable {
        /// Changes records, and creates the dataset if it does not exist. Without patches it changes nothing.
        case patch([DatasetPatch])
        /// Deletes the dataset with all records.
        case delete
    }

    /// Creates an update; without `device`, the sender is no push device.
    public init(owner: UserNumber, name: String, order: Order, device: String? = nil, author: String) {
        self.owner = owner
        self.name = name
        self.order = order
        self.device = device
        self.author = author
    }
}

/// The limits of one user's datasets. The first three are Amazon Cognito Sync's.
public enum DatasetLimits {
    /// The number of datasets of a user.
    public static let datasets = 20
    /// The number of records with a value in a dataset.
    public static let records = 1_024
    /// The bytes of a dataset: keys and values in UTF-8, the keys of removed records included.
    public static let bytes = 1_048_576
    /// The number of removed records whose keys a dataset keeps.
    public static let removedRecords = 4_096
    /// The number of deleted datasets whose sync count the server keeps for a user. Beyond it, the dataset deleted
    /// first is forgotten.
    public static let deletedDatasets = 100
    /// The length of a dataset's name, in ASCII characters.
    public static let nameLength = 1...128
    /// The bytes of a key, in UTF-8.
    public static let keyBytes = 1...1_024
    /// The bytes of a value, in UTF-8.
    public static let valueBytes = 1_048_575
    /// The bytes of a push device's id.
    public static let deviceIDBytes = 1...256

    /// Whether a text may be the name of a dataset: 1 to 128 of the characters `a-z A-Z 0-9 _ . : -`.
    public static func isName(_ text: String) -> Bool {
        nameLength.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: ":"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// Why an update changed nothing.
public enum DatasetError: Error, Hashable, Sendable {
    /// Another device changed the record first: the patch names another sync count than the record's. The device must
    /// read the records again and decide anew. `syncCount` is the record's.
    case conflict(key: String, syncCount: Int64)
    /// There is no dataset of this name to delete.
    case noDataset(String)
    /// The name, key or value is not allowed; `reason` says why.
    case invalid(field: String, reason: String)
    /// Two patches name one key.
    case repeatedKey(String)
    /// The update would exceed a limit; `reason` says which.
    case overLimit(reason: String)
    /// The identity belonged to a guest who has been merged into a user, and can no longer be used.
    case merged
}

extension DatasetError: CustomStringConvertible {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .conflict(let key, let count):
            "Another device changed the record \"\(key)\" first: its sync count is \(count)."
        case .noDataset(let name): "There is no dataset \"\(name)\"."
        case .invalid(let field, let reason): "\(field) \(reason)."
        case .repeatedKey(let key): "Two patches name the key \"\(key)\"."
        case .overLimit(let reason): reason
        case .merged: "The identity was merged into a user's and can be used no more."
        }
    }
}
