/// A hash table from 64-bit keys to 32-bit numbers, in two flat arrays: open addressing with linear probing.
///
/// It replaces `Dictionary`, which takes a seed from the system that an embedded build does not have.
struct KeyTable: Sendable {
    private static let absent = UInt64.max
    private var keys: [UInt64] = [UInt64](repeating: KeyTable.absent, count: 16)
    private var values: [Int32] = [Int32](repeating: 0, count: 16)
    private(set) var count = 0

    /// Returns the number under a key; nil when the key is absent.
    @inline(__always)
    func value(_ key: UInt64) -> Int32? {
        keys.withUnsafeBufferPointer { keys in
            let mask = keys.count - 1
            var at = Self.home(key, mask)
            while keys[at] != Self.absent {
                if keys[at] == key { return values[at] }
                at = (at + 1) & mask
            }
            return nil
        }
    }

    /// Sets the number under a key.
    ///
    /// - Precondition: the key is not `UInt64.max`.
    mutating func set(_ key: UInt64, to value: Int32) {
        precondition(key != Self.absent, "the last key is reserved")
        if count * 2 >= keys.count { grow() }
        let at = position(of: key)
        if keys[at] == Self.absent {
            keys[at] = key
            count += 1
        }
        values[at] = value
    }

    /// Removes a key and its number; does nothing when the key is absent.
    mutating func remove(_ key: UInt64) {
        var hole = position(of: key)
        guard keys[hole] != Self.absent else { return }
        count -= 1
        let mask = keys.count - 1
        var next = (hole + 1) & mask
        // Move back each key that was displaced over the hole, so that no search stops too early.
        while keys[next] != Self.absent {
            let distance = (next - Self.home(keys[next], mask)) & mask
            if distance >= (next - hole) & mask {
                keys[hole] = keys[next]
                values[hole] = values[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = Self.absent
    }

    /// Returns the place of a key, or the free place where it belongs.
    private func position(of key: UInt64) -> Int {
        let mask = keys.count - 1
        var at = Self.home(key, mask)
        while keys[at] != key && keys[at] != Self.absent { at = (at + 1) & mask }
        return at
    }

    @inline(__always)
    private static func home(_ key: UInt64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        keys = [UInt64](repeating: Self.absent, count: oldKeys.count * 2)
        values = [Int32](repeating: 0, count: oldKeys.count * 2)
        for index in oldKeys.indices where oldKeys[index] != Self.absent {
            let at = position(of: oldKeys[index])
            keys[at] = oldKeys[index]
            values[at] = oldValues[index]
        }
    }
}
