import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// Indexes of location databases. What documents are in them is stored, as in any database; positions are in none, but
/// their history is in the order of time: an index by time has them from there.
extension UnionReader {
    /// The indexes of a database. In one of locations only those by time are ready to be asked, for only those have the
    /// positions.
    func indexes(in database: DatabaseNumber) throws -> [StoredIndex] {
        let indexes = try stored.indexes(in: database)
        guard database.user != nil else { return indexes }
        return indexes.map { index in
            var index = index
            index.isReady = index.isReady && index.definition.isByTime
            return index
        }
    }

    func entries(
        of index: StoredIndex, in range: KeyRange, after entry: IndexEntry?, isDescending: Bool, limit: Int
    ) throws -> [IndexEntry] {
        let entries = try stored.entries(of: index, in: range, after: entry, isDescending: isDescending, limit: limit)
        guard let devices = devices(in: .database(index.database)) else { return entries }
        let window = KeyWindow(range, after: entry, isDescending: isDescending)
        let isShadowed = try shadows(in: .database(index.database))
        let positions = try devices.flatMap { device in
            try self.entries(of: device, in: window, limit: limit) { try !isShadowed($0) }
        }
        guard !positions.isEmpty else { return entries }
        let merged = (entries + positions).sorted { isDescending ? $1.isBefore($0) : $0.isBefore($1) }
        return Array(merged.prefix(limit))
    }

    /// The entries that a device's positions would have in an index by time, in its order; at most `limit`.
    private func entries(
        of device: DeviceNumber, in window: KeyWindow, limit: Int, where isWanted: (String) throws -> Bool
    ) throws -> [IndexEntry] {
        var found: [IndexEntry] = []
        var cursor = window.start
        while found.count < limit {
            let page = try positions.positions(
                of: device, after: cursor, isDescending: window.isDescending, limit: limit - found.count)
            for told in page {
                let entry = IndexEntry(
                    key: CollationKey([.integer(told.position.sampleTime.milliseconds)]),
                    id: PositionDocument.id(.init(of: told.position, device: device)))
                if window.isBehind(entry.key) { return found }
                if window.holds(entry), try isWanted(entry.id) { found.append(entry) }
            }
            guard let last = page.last else { break }
            cursor = HistoryCursor(last.position)
        }
        return found
    }
}

extension IndexDefinition {
    /// Whether it is by a field in which a position's document says its sample time, and has all that have it.
    fileprivate var isByTime: Bool {
        let times = [["created_at"], ["properties", "timestamp"]]
        return partialSelector == nil && times.contains { fields == [FieldPath(keys: $0)] }
    }
}

/// The part of an index that is still to be read, in one direction.
private struct KeyWindow {
    private let range: KeyRange
    private let last: IndexEntry?
    let isDescending: Bool

    init(_ range: KeyRange, after last: IndexEntry?, isDescending: Bool) {
        self.range = range
        self.last = last
        self.isDescending = isDescending
    }

    func holds(_ entry: IndexEntry) -> Bool {
        if let lower = range.lower, entry.key < lower { return false }
        if let upper = range.upper, !(entry.key < upper) { return false }
        guard let last else { return true }
        return isDescending ? entry.isBefore(last) : last.isBefore(entry)
    }

    /// Whether nothing in the direction that is read can be in the range any more.
    func isBehind(_ key: CollationKey) -> Bool {
        isDescending ? range.lower.map { key < $0 } ?? false : range.upper.map { !(key < $0) } ?? false
    }

    /// A place in a history before which, in the direction that is read, nothing is wanted; nil for its beginning.
    var start: HistoryCursor? {
        let edges = [isDescending ? range.upper : range.lower, last?.key].compactMap { $0 }
        guard let edge = isDescending ? edges.min() : edges.max(), let time = edge.leadingNumber else { return nil }
        // A little before, since of one millisecond there may be several; far beyond what an instant can be is its end.
        let nudged = min(max(time + (isDescending ? 1 : -1), -9e15), 9e15)
        return HistoryCursor(sampleTime: Instant(milliseconds: Int64(nudged)), latitude: 0, longitude: 0)
    }
}
