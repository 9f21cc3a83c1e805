import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// Indexes of location databases. The stored index holds only stored documents. `UnionReader` adds the positions to an
/// index by time, because it can read their history in that order; other indexes lack them.
extension UnionReader {
    /// The indexes of a database. In a location database only the indexes by time are ready, because the others lack
    /// the positions.
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

    /// The index entries of a device's positions, in the order of an index by time; at most `limit`.
    private func entries(
        of device: DeviceNumber, in window: KeyWindow, limit: Int, where isWanted: (String) throws -> Bool
    ) throws -> [IndexEntry] {
        var found: [IndexEntry] = []
        var cursor = window.start
        while found.count < limit {
            let page = try positions.positions(
                of: device, after: cursor, isDescending: window.isDescending, limit: limit - found.count)
            for sequenced in page {
                let entry = IndexEntry(
                    key: CollationKey([.integer(sequenced.position.sampleTime.milliseconds)]),
                    id: PositionDocument.id(.init(of: sequenced.position, device: device)))
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
    /// Whether the index is on a field that holds a position's sample time and contains every document with that field.
    fileprivate var isByTime: Bool {
        let times = [["created_at"], ["properties", "timestamp"]]
        return partialSelector == nil && times.contains { fields == [FieldPath(keys: $0)] }
    }
}

/// The part of an index that remains to be read, in one direction.
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

    /// Whether the key lies beyond the range, in the direction of reading.
    func isBehind(_ key: CollationKey) -> Bool {
        isDescending ? range.lower.map { key < $0 } ?? false : range.upper.map { !(key < $0) } ?? false
    }

    /// The cursor to start reading a history at: no entry of the window lies before it, in the direction of reading.
    /// nil for the beginning of the history.
    var start: HistoryCursor? {
        let edges = [isDescending ? range.upper : range.lower, last?.key].compactMap { $0 }
        guard let edge = isDescending ? edges.min() : edges.max(), let time = edge.leadingNumber else { return nil }
        // One millisecond early, because several positions may share a millisecond. Clamped, because the edge of a
        // range may be a number that no time can have.
        let nudged = min(max(time + (isDescending ? 1 : -1), -9e15), 9e15)
        return HistoryCursor(sampleTime: Instant(milliseconds: Int64(nudged)), latitude: 0, longitude: 0)
    }
}
