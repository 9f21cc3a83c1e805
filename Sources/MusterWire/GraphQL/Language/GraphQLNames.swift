/// A set of names, each of which has a number: the first name has 0. Equal names have equal numbers, so code compares
/// the numbers.
///
/// - Complexity: O(bytes of the name) for each look-up, on average. The hash has a random seed for each process, so
///   that nobody can choose names that collide.
struct GraphQLNames: Sendable {
    /// The number of a name in its set.
    typealias ID = UInt32
    /// Stands for no name.
    static let none = ID.max

    private struct Entry {
        var hash: UInt64
        var offset: UInt32
        var length: UInt32
    }

    /// The bytes of all names, one after the other.
    private var pool: [UInt8] = []
    private var entries: [Entry] = []
    /// Open addressing: numbers of names, or `none`. The count is a power of two, more than twice as many as entries.
    private var slots: [ID]

    private static let processSeed = UInt64.random(in: .min ... .max) | 1
    private let seed = Self.processSeed

    init(capacity: Int = 32) {
        var count = 64
        while count < capacity * 2 { count *= 2 }
        slots = [ID](repeating: Self.none, count: count)
    }

    /// How many names there are.
    var count: Int { entries.count }

    /// Hashes a name eight bytes at a time.
    @inline(__always)
    private func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: name.count)
        var index = 0
        while index < name.count {
            var chunk: UInt64 = 0
            let end = min(index + 8, name.count)
            while index < end {
                chunk = chunk << 8 | UInt64(name[index])
                index += 1
            }
            let product = (hash ^ chunk).multipliedFullWidth(by: seed)
            hash = product.high ^ product.low
        }
        let product = hash.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    /// Returns the number of a name, and adds the name when it is new.
    @inline(__always)
    mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> ID {
        let hash = self.hash(name)
        let slot = slot(of: name, hash: hash)
        if slots[slot] != Self.none { return slots[slot] }
        return append(name, hash: hash, slot: slot)
    }

    private mutating func append(_ name: UnsafeBufferPointer<UInt8>, hash: UInt64, slot: Int) -> ID {
        let number = ID(truncatingIfNeeded: entries.count)
        entries.append(Entry(hash: hash, offset: UInt32(pool.count), length: UInt32(name.count)))
        pool.append(contentsOf: name)
        slots[slot] = number
        if entries.count * 2 > slots.count { grow() }
        return number
    }

    /// Returns the number of a text, and adds the text when it is new.
    mutating func insert(_ name: String) -> ID {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBufferPointer { insert($0) }
    }

    /// Returns the number of a text; nil when the set does not have it.
    func find(_ name: String) -> ID? {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBufferPointer { name in
            let found = slots[slot(of: name, hash: self.hash(name))]
            return found == Self.none ? nil : found
        }
    }

    /// Returns for each name of another set its number here, or `none`.
    func numbers(of other: GraphQLNames) -> [ID] {
        other.pool.withUnsafeBufferPointer { bytes in
            other.entries.map { entry in
                let name = UnsafeBufferPointer(rebasing: bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
                return slots[slot(of: name, hash: entry.hash)]
            }
        }
    }

    /// The text of a name.
    subscript(_ number: ID) -> String {
        guard Int(number) < entries.count else { return "" }
        let entry = entries[Int(number)]
        return String(decoding: pool[Int(entry.offset)..<Int(entry.offset + entry.length)], as: UTF8.self)
    }

    /// Whether a name begins with `__`, which the specification reserves.
    func isReserved(_ number: ID) -> Bool {
        guard Int(number) < entries.count, entries[Int(number)].length >= 2 else { return false }
        let start = Int(entries[Int(number)].offset)
        return pool[start] == UInt8(ascii: "_") && pool[start + 1] == UInt8(ascii: "_")
    }

    /// The slot that holds a name, or the free one where it belongs.
    @inline(__always)
    private func slot(of name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let number = slots[slot]
            if number == Self.none { return slot }
            let entry = entries[Int(number)]
            if entry.hash == hash, Int(entry.length) == name.count, matches(entry, name) { return slot }
            slot = (slot + 1) & mask
        }
    }

    @inline(__always)
    private func matches(_ entry: Entry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = Int(entry.offset)
        for byte in name {
            if pool[index] != byte { return false }
            index += 1
        }
        return true
    }

    private mutating func grow() {
        slots = [ID](repeating: Self.none, count: slots.count * 2)
        let mask = slots.count - 1
        for (number, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot] != Self.none { slot = (slot + 1) & mask }
            slots[slot] = ID(truncatingIfNeeded: number)
        }
    }
}
