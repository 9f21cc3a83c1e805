import GRDB
package import MusterCore
package import MusterStore

/// Keeps signals in the same table as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func signals(
        of device: DeviceNumber, from: Instant, to: Instant, before sequence: LogSequence?, limit: Int
    ) throws -> [KeptSignal] {
        try tables.unsafeReentrantRead {
            try SignalTable.signals(of: device, from: from, to: to, before: sequence, limit: limit, in: $0)
        }
    }
}

extension MemoryTransaction {
    func holds(_ signal: Signal, of device: DeviceNumber) throws -> Bool {
        try SignalTable.holds(signal.id, of: device, in: database)
    }
}
