package import MusterCore

/// The positions of one request, and the devices that they name.
package struct ReportedPositions: Hashable, Sendable {
    /// One position and its device.
    package struct Item: Hashable, Sendable {
        /// The index of the device in `deviceNames`; nil when the request leaves it to its credential.
        package var deviceIndex: Int?
        package var position: Position

        package init(deviceIndex: Int?, position: Position) {
            self.deviceIndex = deviceIndex
            self.position = position
        }
    }

    /// The distinct device references of the request: `phone` or `alice/phone`. The decoder does not look them up.
    package var deviceNames: [String]
    /// The positions in the order of the request.
    package var items: [Item]

    package init(deviceNames: [String] = [], items: [Item] = []) {
        self.deviceNames = deviceNames
        self.items = items
    }
}

/// Numbers the names of a request, so that a thousand positions hold a few strings and not a thousand.
struct NameTable {
    /// The bytes of all names, one after the other.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// A hash table with open addressing and a power of two of slots; 0 is free, else a number plus one.
    private var slots: [Int32] = []

    /// The names in the order of their numbers.
    var names: [String] { ranges.map { String(decoding: bytes[$0], as: UTF8.self) } }

    /// Returns the number of a name, which it got when it was first seen.
    mutating func number(of name: JSONText) -> Int {
        guard name.isPlain else {
            var text = name.string
            return text.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
        }
        return number(of: name.bytes)
    }

    private mutating func number(of name: UnsafeRawBufferPointer) -> Int {
        if let last = ranges.indices.last, isName(last, name) { return last }
        if ranges.count * 2 >= slots.count { grow() }
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if isName(number, name) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(ranges.count + 1)
        ranges.append(bytes.count..<bytes.count + name.count)
        bytes.append(contentsOf: name)
        return ranges.count - 1
    }

    private func isName(_ number: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        let range = ranges[number]
        guard range.count == name.count else { return false }
        return bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[range]).hasEqualBytes(name) }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(16, slots.count * 2))
        bytes.withUnsafeBytes { bytes in
            for (number, range) in ranges.enumerated() {
                var slot = Self.hash(UnsafeRawBufferPointer(rebasing: bytes[range])) & (slots.count - 1)
                while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
                slots[slot] = Int32(number + 1)
            }
        }
    }

    /// FNV-1a, eight bytes at a time. A request holds at most a thousand names, so colliding names gain an attacker
    /// nothing.
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var index = 0
        while index + 8 <= name.count {
            hash = (hash ^ name.word(at: index)) &* 0x100_0000_01B3
            hash ^= hash >> 32
            index += 8
        }
        while index < name.count {
            hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01B3
            index += 1
        }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
