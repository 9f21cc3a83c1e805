import GRDB
import MusterCore

/// Erases the positions, sightings and ranges of removed devices and deleted histories, the records of removed users'
/// datasets, and the changes about removed devices, removed users, deleted positions and deleted ranges from the log,
/// slice by slice. After a crash the erasure begins again.
struct Erasure {
    let removed: Removals
    let cut: DeletedHistories
    private var devices: [DeviceNumber]
    private var cutDevices: [DeviceNumber]
    private var users: [UserNumber]
    /// The log is erased up to this change.
    private var through: Int64 = 0

    /// Makes an erasure of the present removals and deleted histories. The caller makes it when none of their positions
    /// is staged.
    init(of removed: Removals, _ cut: DeletedHistories) {
        self.removed = removed
        self.cut = cut
        cutDevices = cut.through.keys.sorted()
        devices = removed.devices.sorted()
        users = removed.users.sorted()
    }

    /// A record with its entries in two indexes costs as much as about ten positions in a block.
    private static let positionsARecord = 10

    /// Erases about `limit` positions or changes.
    ///
    /// - Returns: whether everything is erased, and the stored removals and deletions are deleted too.
    mutating func advance(limit: Int, in database: Database) throws -> Bool {
        if let device = devices.last {
            var count = try HistoryTable.delete(of: device, limit: limit, in: database)
            if count < limit { count += try SightingTable.delete(of: device, limit: limit - count, in: database) }
            if count < limit { count += try RangeTable.delete(of: device, limit: limit - count, in: database) }
            if count < limit { devices.removeLast() }
            return false
        }
        if let device = cutDevices.last {
            let through = cut.through[device] ?? 0
            var count = try HistoryTable.delete(of: device, through: through, limit: limit, in: database)
            if count < limit {
                count += try RangeTable.delete(of: device, through: through, limit: limit - count, in: database)
            }
            if count < limit { cutDevices.removeLast() }
            return false
        }
        if let user = users.last {
            let most = max(1, limit / Self.positionsARecord)
            if try DatasetTable.removeRecords(of: user, limit: most, in: database) < most { users.removeLast() }
            return false
        }
        var rewritten: [(first: Int64, changes: [UInt8])] = []
        var looked = 0
        try LogTable.forEachCommit(from: through + 1, in: database) { first, count, _, bytes in
            if let changes = try erasing(bytes, first: first) { rewritten.append((first, changes)) }
            through = first + Int64(count) - 1
            looked += count
            return looked < limit
        }
        for (first, changes) in rewritten {
            try LogTable.replaceChanges(ofCommit: first, by: changes, in: database)
        }
        guard looked < limit else { return false }
        try removed.delete(from: database)
        try cut.delete(from: database)
        return true
    }

    /// Returns the commit without the changes about removed devices and users and without deleted positions; nil if it
    /// has none of them.
    private func erasing(_ bytes: UnsafeRawBufferPointer, first: Int64) throws -> [UInt8]? {
        var changes = try ChangeCodec.decode(bytes)
        var isRewritten = false
        for (index, change) in changes.enumerated() {
            guard let change, removed.cover(change) || cut.cover(change, at: first + Int64(index)) else { continue }
            changes[index] = nil
            isRewritten = true
        }
        guard isRewritten else { return nil }
        var codec = ChangeCodec()
        for change in changes { codec.put(change) }
        return codec.bytes
    }
}
