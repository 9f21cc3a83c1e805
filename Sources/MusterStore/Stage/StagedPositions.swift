import MusterCore
import MusterDocuments

/// One generation of positions that are in the log and not yet in the history.
///
/// A position takes about 90 bytes: its encoding in the log, an entry, and a slot of a hash table that finds
/// repetitions in O(1). Positions of a removed device stay until they are merged; readers leave them out.
struct StagedPositions {
    /// A position of a commit, with the range of its encoding in the commit's bytes.
    struct Arrival {
        var key: PositionKey
        var device: DeviceNumber
        var mark: PositionMark
        var bytes: Range<Int>
    }

    /// One position: its device, its time, and the place of its encoding in `bytes`.
    private struct Entry {
        var sampleTime: Int64
        var mark: PositionMark
        var device: Int32
        /// The index of the device's previous position in this generation; −1 for its first.
        var previous: Int32
        var offset: UInt32
        var length: UInt32
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The index of the newest position of each device.
    private var heads: [Int32: Int32] = [:]
    /// A hash table with open addressing: each slot has an index into `entries`, or −1. Its size is a power of two, and
    /// it is at most half full.
    private var slots: [Int32] = []

    /// The earliest sample time; `Int64.max` if there are no positions.
    private(set) var oldestSampleTime = Int64.max
    /// The newest sequence of the commits whose positions are all in this generation.
    private(set) var lastSequence: Int64 = 0

    var count: Int { entries.count }
    var byteCount: Int { bytes.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Reserves address space (not memory) for this many positions of usual size, so that appending copies nothing.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        bytes.reserveCapacity(count * 56)
    }

    /// Appends the positions of one commit.
    ///
    /// - Parameters:
    ///   - arrivals: the positions, with their ranges in `changes`.
    ///   - changes: the commit as `ChangeCodec` encoded it.
    ///   - lastSequence: the number of its last change.
    mutating func append(
        _ arrivals: [Arrival], in changes: UnsafeRawBufferPointer, lastSequence: Int64
    ) {
        let base = bytes.count
        bytes.append(contentsOf: changes)
        for arrival in arrivals {
            let index = Int32(entries.count)
            let previous = heads.updateValue(index, forKey: arrival.device.rawValue) ?? -1
            entries.append(
                Entry(
                    sampleTime: arrival.key.sampleTime, mark: arrival.mark, device: arrival.device.rawValue,
                    previous: previous, offset: UInt32(base + arrival.bytes.lowerBound),
                    length: UInt32(arrival.bytes.count)))
            oldestSampleTime = min(oldestSampleTime, arrival.key.sampleTime)
            if entries.count * 2 > slots.count {
                grow()
            } else {
                insert(index, hash: Self.hash(arrival.key, arrival.device.rawValue))
            }
        }
        self.lastSequence = lastSequence
    }

    /// Advances `lastSequence` past a commit without positions.
    mutating func pass(_ sequence: Int64) { lastSequence = sequence }

    /// Whether this generation has a position of this device with this key.
    func holds(_ key: PositionKey, of device: DeviceNumber) -> Bool {
        guard !slots.isEmpty else { return false }
        var slot = Int(truncatingIfNeeded: Self.hash(key, device.rawValue)) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.device == device.rawValue, entry.sampleTime == key.sampleTime,
                self.key(at: Int(slots[slot])) == key
            {
                return true
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    /// Calls `body` with the index of each position of a device, in the order of arrival, newest first.
    func forEach(of device: DeviceNumber, _ body: (Int) -> Void) {
        var index = heads[device.rawValue] ?? -1
        while index >= 0 {
            body(Int(index))
            index = entries[Int(index)].previous
        }
    }

    /// The devices that have positions in this generation.
    var devices: some Sequence<DeviceNumber> { heads.keys.lazy.map { DeviceNumber($0) } }

    func device(at index: Int) -> DeviceNumber { DeviceNumber(entries[index].device) }
    func sampleTime(at index: Int) -> Int64 { entries[index].sampleTime }
    func mark(at index: Int) -> PositionMark { entries[index].mark }

    /// Calls `body` with the index of each position of a device whose change came after `sequence`, newest first.
    func forEach(of device: DeviceNumber, after sequence: Int64, _ body: (Int) throws -> Void) rethrows {
        var index = heads[device.rawValue] ?? -1
        while index >= 0, entries[Int(index)].mark.sequence > sequence {
            try body(Int(index))
            index = entries[Int(index)].previous
        }
    }

    func key(at index: Int) -> PositionKey {
        withBytes(at: index) { bytes in
            var reader = ByteReader(bytes)
            // The codec has just written these bytes. Should they be damaged, NaN makes a key that equals no other.
            let key = try? PositionKey(
                sampleTime: reader.instant().milliseconds, latitude: reader.exactDouble(),
                longitude: reader.exactDouble())
            return key ?? PositionKey(sampleTime: entries[index].sampleTime, latitude: .nan, longitude: .nan)
        }
    }

    /// Decodes the position at an index.
    ///
    /// - Throws: `CodecError` if the staged bytes are damaged, which bytes of `ChangeCodec` never are.
    func position(at index: Int) throws -> Position {
        try withBytes(at: index) { bytes in
            var reader = ByteReader(bytes)
            return try reader.position()
        }
    }

    /// Runs `body` on the encoding of the position at an index.
    func withBytes<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let entry = entries[index]
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset + entry.length)]))
        }
    }

    /// Returns the indices of all positions, ordered by device, then by key, then by arrival. Equal commits always give
    /// the same order.
    func order() -> [UInt32] {
        // The positions of a device mostly arrive in the order of time, so after sorting by device and arrival little
        // is left to sort.
        var keys = entries.indices.map { UInt64(UInt32(bitPattern: entries[$0].device)) << 32 | UInt64($0) }
        keys.sort()
        var order = keys.map { UInt32(truncatingIfNeeded: $0) }
        var start = 0
        while start < order.count {
            let device = keys[start] >> 32
            var end = start + 1
            var isInOrder = true
            while end < order.count, keys[end] >> 32 == device {
                isInOrder = isInOrder && !isBefore(order[end], order[end - 1])
                end += 1
            }
            if !isInOrder { order[start..<end].sort { isBefore($0, $1) } }
            start = end
        }
        return order
    }

    private func isBefore(_ left: UInt32, _ right: UInt32) -> Bool {
        let (left, right) = (Int(left), Int(right))
        let (leftTime, rightTime) = (entries[left].sampleTime, entries[right].sampleTime)
        if leftTime != rightTime { return leftTime < rightTime }
        let (leftKey, rightKey) = (key(at: left), key(at: right))
        return leftKey == rightKey ? left < right : leftKey < rightKey
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: max(16, slots.count * 2))
        for index in entries.indices { insert(Int32(index), hash: Self.hash(key(at: index), entries[index].device)) }
    }

    private mutating func insert(_ index: Int32, hash: UInt64) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = index
    }

    /// Hashes a key with the finishing step of SplitMix64. −0 and 0 are equal coordinates, so they hash alike.
    private static func hash(_ key: PositionKey, _ device: Int32) -> UInt64 {
        var mixed = UInt64(bitPattern: key.sampleTime) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= (key.latitude + 0).bitPattern &+ UInt64(UInt32(bitPattern: device)) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= (key.longitude + 0).bitPattern
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
