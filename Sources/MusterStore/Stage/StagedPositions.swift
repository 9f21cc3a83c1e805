import MusterCore
import MusterDocuments

/// Positions that are safe in the log and wait to be put into their devices' order.
///
/// About 90 bytes a position: its bytes as they stand in the log, an entry, and a slot of a hash table by which a
/// repetition is found in O(1). A removed device's positions stay until they are merged; whoever reads leaves them out.
struct StagedPositions {
    /// A position of a commit, and where in the commit's bytes it stands.
    struct Arrival {
        var key: PositionKey
        var device: DeviceNumber
        var mark: PositionMark
        var bytes: Range<Int>
    }

    /// One position: whose, when, and where in `bytes` it stands.
    private struct Entry {
        var sampleTime: Int64
        var mark: PositionMark
        var device: Int32
        /// The device's position before it in here; -1 for its first.
        var previous: Int32
        var offset: UInt32
        var length: UInt32
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The index of each device's newest arrival.
    private var heads: [Int32: Int32] = [:]
    /// Open addressing: an index into `entries`, or -1; the size is a power of two, at most half full.
    private var slots: [Int32] = []

    /// The earliest sample time in here.
    private(set) var oldestSampleTime = Int64.max
    /// The newest sequence of the commits that are in here whole.
    private(set) var lastSequence: Int64 = 0

    var count: Int { entries.count }
    var byteCount: Int { bytes.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Reserves address space (not memory) for so many positions of common size, so that growing copies nothing.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        bytes.reserveCapacity(count * 56)
    }

    /// Takes in the positions of one commit.
    ///
    /// - Parameters:
    ///   - arrivals: where they stand in `changes`.
    ///   - changes: the commit as `ChangeCodec` made it.
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

    /// Notes that a commit without positions is in here too.
    mutating func pass(_ sequence: Int64) { lastSequence = sequence }

    /// Whether a position of this device with this key is in here.
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

    /// Calls `body` with the index of each position of a device, newest arrival first.
    func forEach(of device: DeviceNumber, _ body: (Int) -> Void) {
        var index = heads[device.rawValue] ?? -1
        while index >= 0 {
            body(Int(index))
            index = entries[Int(index)].previous
        }
    }

    /// Every device that has positions in here.
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
            // These bytes are our own, fresh from the codec; a NaN equals nothing, should they ever be damaged.
            let key = try? PositionKey(
                sampleTime: reader.instant().milliseconds, latitude: reader.exactDouble(),
                longitude: reader.exactDouble())
            return key ?? PositionKey(sampleTime: entries[index].sampleTime, latitude: .nan, longitude: .nan)
        }
    }

    /// The position at an index.
    ///
    /// - Throws: `CodecError` never for bytes that `ChangeCodec` made.
    func position(at index: Int) throws -> Position {
        try withBytes(at: index) { bytes in
            var reader = ByteReader(bytes)
            return try reader.position()
        }
    }

    /// Runs `body` on the encoded position at an index.
    func withBytes<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let entry = entries[index]
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset + entry.length)]))
        }
    }

    /// The indices of all positions, by device, then by key, then by arrival: the same for the same commits, always.
    func order() -> [UInt32] {
        // Arrivals of one device mostly come in order of time: sorting by device and arrival leaves little to do.
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

    /// Mixes a key's bits (the finishing step of SplitMix64). −0 and 0 are one place, so they mix alike.
    private static func hash(_ key: PositionKey, _ device: Int32) -> UInt64 {
        var mixed = UInt64(bitPattern: key.sampleTime) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= (key.latitude + 0).bitPattern &+ UInt64(UInt32(bitPattern: device)) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= (key.longitude + 0).bitPattern
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
