import GRDB
package import MusterCore
package import MusterStore

/// Bulk publishes are kept in a table as `SQLiteStore` has it, of a database in memory.
extension MemoryStore {
    package func bulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish? {
        try tables.unsafeReentrantRead { try BulkPublishTable.last(ofPool: team, in: $0) }
    }

    package func bulkPublishesUnderWay() throws -> [BulkPublish] {
        try tables.unsafeReentrantRead { try BulkPublishTable.underWay(in: $0) }
    }
}

extension MemoryTransaction {
    func lastBulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish? {
        try BulkPublishTable.last(ofPool: team, in: database)
    }

    func put(_ publish: BulkPublish) throws { try BulkPublishTable.put(publish, in: database) }

    func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest] {
        try GuestTable.guests(ofPool: team, from: number, limit: limit, in: database)
    }
}
