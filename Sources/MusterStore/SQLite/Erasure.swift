import GRDB
import MusterCore

/// Takes the positions and sightings of removed devices out of the history, and what tells of removed devices and users
/// out of the log, a slice at a time. A crash in between only makes it begin again.
struct Erasure {
    let removed: Removals
    private var devices: [DeviceNumber]
    /// The log is done up to this number.
    private var through: Int64 = 0

    /// Begins with everyone who is removed at this moment, when nothing of theirs is staged.
    init(of removed: Removals) {
        self.removed = removed
        devices = removed.devices.sorted()
    }

    /// Does about `limit` positions' or changes' worth.
    ///
    /// - Returns: whether all is erased, and the notes of the removals are gone too.
    mutating func advance(limit: Int, in database: Database) throws -> Bool {
        if let device = devices.last {
            var count = try HistoryTable.delete(of: device, limit: limit, in: database)
            if count < limit { count += try SightingTable.delete(of: device, limit: limit - count, in: database) }
            if count < limit { devices.removeLast() }
            return false
        }
        var rewritten: [(first: Int64, changes: [UInt8])] = []
        var looked = 0
        try LogTable.forEachCommit(from: through + 1, in: database) { first, count, _, bytes in
            if let changes = try erasing(bytes) { rewritten.append((first, changes)) }
            through = first + Int64(count) - 1
            looked += count
            return looked < limit
        }
        for (first, changes) in rewritten {
            try LogTable.replaceChanges(ofCommit: first, by: changes, in: database)
        }
        guard looked < limit else { return false }
        try removed.delete(from: database)
        return true
    }

    /// A commit without the changes that tell of the removed; nil when it has none.
    private func erasing(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8]? {
        let changes = try ChangeCodec.decode(bytes)
        guard changes.contains(where: { $0.map { removed.cover($0) } ?? false }) else { return nil }
        var codec = ChangeCodec()
        for change in changes { codec.put(change.flatMap { removed.cover($0) ? nil : $0 }) }
        return codec.bytes
    }
}
