import GRDB
package import MusterCore
package import MusterStore

/// Keeps datasets in the same tables as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func datasets(of user: UserNumber) throws -> [Dataset] {
        try tables.unsafeReentrantRead { try DatasetTable.datasets(of: user, in: $0) }
    }

    package func datasetUsage(of users: [UserNumber]) throws -> [UserNumber: DatasetUsage] {
        try tables.unsafeReentrantRead { database in
            var usage: [UserNumber: DatasetUsage] = [:]
            for user in users { usage[user] = try DatasetTable.usage(of: user, in: database) }
            return usage
        }
    }

    package func readDataset(
        _ name: String, of user: UserNumber, since count: Int64, after cursor: DatasetCursor?, limit: Int
    ) throws -> DatasetPage? {
        try tables.unsafeReentrantRead {
            try DatasetTable.page(name, of: user, since: count, after: cursor, limit: limit, in: $0)
        }
    }
}

extension MemoryTransaction {
    func dataset(_ name: String, of user: UserNumber) throws -> Dataset? {
        try DatasetTable.dataset(name, of: user, in: database)
    }

    func datasets(of user: UserNumber) throws -> [Dataset] { try DatasetTable.datasets(of: user, in: database) }

    func records(of dataset: String, of user: UserNumber) throws -> [DatasetRecord] {
        try DatasetTable.records(of: dataset, of: user, in: database)
    }

    func datasetCount(of user: UserNumber) throws -> Int { try DatasetTable.count(of: user, in: database) }
    func datasetBytes(of user: UserNumber) throws -> Int64 { try DatasetTable.bytes(of: user, in: database) }

    func record(_ key: String, in dataset: String, of user: UserNumber) throws -> DatasetRecord? {
        try DatasetTable.record(key, in: dataset, of: user, database)
    }

    func put(_ decision: DatasetDecision) throws { try DatasetTable.put(decision, in: database) }
}
