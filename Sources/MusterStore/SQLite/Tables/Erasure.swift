import GRDB
import MusterCore

/// Takes the positions and sightings of removed devices out of the history, and what tells of removed devices, of
/// removed users and of deleted positions out of the log, a slice at a time. A crash in between only makes it begin
/// again.
struct Erasure {
    let removed: Removals
    let cut: PositionCuts
    private var devices: [DeviceNumber]
    private var cutDevices: [DeviceNumber]
    /// The log is done up to this number.
    private var through: Int64 = 0

    /// Begins with everyone who is removed at this moment, and every history that was deleted, when nothing of theirs
    /// is staged.
    init(of removed: Removals, _ cut: PositionCuts) {
        self.removed = removed
        self.cut = cut
        cutDevices = cut.through.keys.sorted()
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
        if let device = cutDevices.last {
            let through = cut.through[device] ?? 0
            let count = try HistoryTable.delete(of: device, through: through, limit: limit, in: database)
            if count < limit { cutDevices.removeLast() }
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

    /// A commit without the changes that tell of the removed, and without deleted positions; nil when it has none.
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
