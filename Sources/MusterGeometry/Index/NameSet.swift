/// A set of small numbers, with one bit for each number.
struct NameSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    init() {}

    @inline(__always)
    func contains(_ name: Int32) -> Bool {
        let index = Int(name) >> 6
        return index < words.count && words[index] >> UInt64(name & 63) & 1 != 0
    }

    /// Adds a number below a limit.
    mutating func insert(_ name: Int32, of limit: Int) {
        let wanted = (limit + 63) >> 6
        if words.count < wanted { words += [UInt64](repeating: 0, count: wanted - words.count) }
        guard !contains(name) else { return }
        words[Int(name) >> 6] |= 1 << UInt64(name & 63)
        count += 1
    }
}
