import GRDB
package import MusterCore
package import MusterStore

/// Keeps ranges in the same table as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func ranges(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: RangeKey?, limit: Int
    ) throws -> [PeerRange] {
        try tables.unsafeReentrantRead {
            try RangeTable.ranges(of: device, from: from, to: to, after: cursor, limit: limit, in: $0)
        }
    }

    package func ranges(since moment: Instant) throws -> [(device: DeviceNumber, range: PeerRange)] {
        try tables.unsafeReentrantRead { try RangeTable.ranges(since: moment, in: $0) }
    }
}

extension MemoryTransaction {
    func holds(_ range: PeerRange, of device: DeviceNumber) throws -> Bool {
        try RangeTable.holds(RangeKey(range), of: device, in: database)
    }
}
