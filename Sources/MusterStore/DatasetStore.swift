package import MusterCore

/// The datasets of users.
package protocol DatasetStore {
    /// Returns a user's datasets without deleted ones, ordered by name.
    func datasets(of user: UserNumber) throws -> [Dataset]

    /// Returns the totals of the datasets of each of these users; a user without datasets is left out.
    func datasetUsage(of users: [UserNumber]) throws -> [UserNumber: DatasetUsage]

    /// Returns a dataset with some of its records, in one snapshot.
    ///
    /// The records are those above `count`, removed ones included, in the order of their counts and then of their keys'
    /// bytes. A reader that continues with later pages while others write reads every record at least once.
    ///
    /// - Parameters:
    ///   - count: the count that the reader knows already; 0 to read all.
    ///   - cursor: the last record of the page before.
    ///   - limit: the largest number of records.
    /// - Returns: nil if the user never had a dataset of this name.
    func readDataset(
        _ name: String, of user: UserNumber, since count: Int64, after cursor: DatasetCursor?, limit: Int
    ) throws -> DatasetPage?
}

/// The operations of a transaction on datasets.
package protocol DatasetTransaction {
    /// Returns the dataset, even a deleted one, as this transaction sees it; nil if there is none.
    func dataset(_ name: String, of user: UserNumber) throws -> Dataset?
    /// Returns a user's datasets without deleted ones, ordered by name, as this transaction sees them.
    func datasets(of user: UserNumber) throws -> [Dataset]
    /// Returns the records of a dataset that have a value, as this transaction sees them.
    func records(of dataset: String, of user: UserNumber) throws -> [DatasetRecord]
    /// The number of datasets that the user has.
    func datasetCount(of user: UserNumber) throws -> Int
    /// The bytes of all of the user's datasets: keys and values.
    func datasetBytes(of user: UserNumber) throws -> Int64
    /// Returns the record of a key, even a removed one, as this transaction sees it; nil if there is none.
    func record(_ key: String, in dataset: String, of user: UserNumber) throws -> DatasetRecord?
    /// Stores the result of an update of a dataset. The caller appends the `Change` that reports it.
    func put(_ decision: DatasetDecision) throws
}

/// One page of a dataset.
package struct DatasetPage: Hashable, Sendable {
    /// The dataset; it may have been deleted.
    package var dataset: Dataset
    package var records: [DatasetRecord]
    /// Where the next page begins; nil on the last.
    package var next: DatasetCursor?

    package init(dataset: Dataset, records: [DatasetRecord], next: DatasetCursor?) {
        self.dataset = dataset
        self.records = records
        self.next = next
    }
}

/// A record's place in the order in which datasets are read.
package struct DatasetCursor: Hashable, Sendable {
    package var syncCount: Int64
    package var key: String

    package init(syncCount: Int64, key: String) {
        self.syncCount = syncCount
        self.key = key
    }

    package init(_ record: DatasetRecord) { self.init(syncCount: record.syncCount, key: record.key) }
}

/// The totals of a user's datasets.
package struct DatasetUsage: Hashable, Sendable {
    /// The number of datasets.
    package var datasets: Int
    /// The bytes of their keys and values.
    package var bytes: Int
    /// When the last of them changed.
    package var modifiedAt: Instant

    package init(datasets: Int, bytes: Int, modifiedAt: Instant) {
        self.datasets = datasets
        self.bytes = bytes
        self.modifiedAt = modifiedAt
    }
}
