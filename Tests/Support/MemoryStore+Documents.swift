import GRDB
import MusterCore
package import MusterDocuments
package import MusterStore
import Synchronization

/// Keeps documents in the same tables as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func readDocuments<Result>(
        _ body: (any DocumentReader, any PositionReader) throws -> Result
    ) throws -> Result {
        // The writer's thread may read while it writes, and would otherwise wait for itself.
        try tables.unsafeReentrantRead { database in
            let positions = MemoryPositionReader(contents.withLock { $0 })
            return try body(DocumentTables(in: database) { positions.lastSequence }, positions)
        }
    }

    /// Positions, ranges and notes count no bytes, because this store keeps them in no tables. Documents
    /// count as in a file.
    package func usage() throws -> StoredUsage {
        var usage = StoredUsage()
        usage.documentBytes = try tables.unsafeReentrantRead { try DocumentTables(in: $0) { .zero }.storedBytes() }
        usage.datasetBytes = try tables.unsafeReentrantRead { try DatasetTable.bytes(in: $0) }
        usage.signalBytes = try tables.unsafeReentrantRead { try UsageTable.signalBytes(in: $0) }
        usage.storeBytes = usage.documentBytes.values.reduce(0, +)
        return usage
    }

    /// Makes a database in memory with the tables of documents.
    static func makeTables() -> DatabaseQueue {
        do {
            let tables = try DatabaseQueue()
            try tables.writeWithoutTransaction {
                try $0.execute(
                    sql: DocumentSchema.steps.joined() + DatasetTable.schema + PushTable.schema + SignalTable.schema
                        + RangeTable.schema
                        + AttendanceTable.schema + ProximityTable.schema + ProximityTable.simulated
                        + UsageTable.signals + PoolSettingsTable.schema
                        + PoolSettingsTable.guests + GuestTable.schema + BulkPublishTable.schema
                        + RefusedReportTable.schema)
            }
            return tables
        } catch {
            preconditionFailure("SQLite has no memory for an empty database: \(error)")
        }
    }
}
