/// A directory of a PMTiles file: which tiles, or which other directories, lie where
/// (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md, section 4).
struct TileDirectory: Sendable {
    /// Where one piece lies: the same tile for a run of numbers, or a leaf directory.
    struct Entry: Hashable, Sendable {
        /// The number of the first tile (`TileCoordinate.number`).
        var number: UInt64
        /// From the beginning of the section of tiles, or of leaf directories.
        var offset: UInt64 = 0
        var byteCount: UInt32 = 0
        /// How many numbers have this tile; 0 for a leaf directory.
        var runLength: UInt32 = 0

        var isLeaf: Bool { runLength == 0 }
    }

    /// The entries by number; no two runs overlap.
    let entries: [Entry]

    /// The most entries of one directory. Leaves of the whole planet have some 10,000.
    static let mostEntries = 262_144
    /// The most bytes of an inflated directory: 16 bytes are more than an entry of a real file has.
    static let mostBytes = mostEntries * 16

    /// Reads a directory, and checks that each entry lies within the section that it points into.
    ///
    /// - Throws: `Fault` for the first fault.
    init(parsing bytes: some Collection<UInt8>, tileBytes: UInt64, leafBytes: UInt64) throws(Fault) {
        var reader = VarintReader(bytes)
        let count = try reader.next("the number of entries")
        guard count <= UInt64(Self.mostEntries), count <= UInt64(reader.rest) else {
            throw Fault("it says that it has \(count) entries, for which it is too short or too long")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(Int(count))
        var number: UInt64 = 0
        for index in 0..<Int(count) {
            let step = try reader.next("entry \(index)")
            let (next, isOver) = number.addingReportingOverflow(step)
            guard !isOver, next < TileCoordinate.numbersEnd, index == 0 || step > 0 else {
                throw Fault("the tile of entry \(index) does not follow the one before it")
            }
            number = next
            entries.append(Entry(number: number))
        }
        for index in entries.indices {
            entries[index].runLength = try reader.next("the run of entry \(index)", atMost: UInt64(UInt32.max))
        }
        for index in entries.indices {
            entries[index].byteCount = try reader.next("the length of entry \(index)", atMost: UInt64(UInt32.max))
        }
        try Self.readOffsets(into: &entries, &reader)
        for (index, entry) in entries.enumerated() {
            let limit = entry.isLeaf ? leafBytes : tileBytes
            guard entry.byteCount > 0, entry.offset <= limit, UInt64(entry.byteCount) <= limit - entry.offset else {
                throw Fault(
                    """
                    entry \(index) has \(entry.byteCount) bytes at \(entry.offset) of a section of \(limit) bytes
                    """)
            }
            let next = index + 1 < entries.count ? entries[index + 1].number : TileCoordinate.numbersEnd
            guard UInt64(entry.runLength) <= next - entry.number else {
                throw Fault("the run of entry \(index) reaches over the next entry")
            }
        }
        self.entries = entries
    }

    private static func readOffsets(
        into entries: inout [Entry], _ reader: inout VarintReader<some Collection<UInt8>>
    ) throws(Fault) {
        for index in entries.indices {
            let value = try reader.next("the offset of entry \(index)")
            if value > 0 {
                entries[index].offset = value - 1
                continue
            }
            // A zero stands for the place right behind the entry before.
            guard index > 0 else { throw Fault("entry 0 follows an entry that is not there") }
            let before = entries[index - 1]
            let (offset, isOver) = before.offset.addingReportingOverflow(UInt64(before.byteCount))
            guard !isOver else { throw Fault("the offset of entry \(index) is too large") }
            entries[index].offset = offset
        }
    }

    /// The entry that has a tile, or leads to the directory that may have it; nil when there is none.
    ///
    /// - Complexity: O(log entries).
    func entry(for number: UInt64) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return entry.isLeaf || number - entry.number < UInt64(entry.runLength) ? entry : nil
    }

    /// What is wrong with a directory, in words.
    struct Fault: Error, Hashable {
        let words: String

        init(_ words: String) { self.words = words }
    }
}

/// Reads numbers of seven bits a byte, the lowest first.
private struct VarintReader<Bytes: Collection<UInt8>> {
    private let bytes: Bytes
    private var index: Bytes.Index

    init(_ bytes: Bytes) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// How many bytes are left.
    var rest: Int { bytes.distance(from: index, to: bytes.endIndex) }

    mutating func next(_ what: @autoclosure () -> String) throws(TileDirectory.Fault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex {
            let byte = bytes[index]
            index = bytes.index(after: index)
            guard shift < 63 || (shift == 63 && byte < 2) else {
                throw TileDirectory.Fault("\(what()) is a number of more than 64 bits")
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw TileDirectory.Fault("it ends before \(what())")
    }

    mutating func next(
        _ what: @autoclosure () -> String, atMost limit: UInt64
    ) throws(TileDirectory.Fault) -> UInt32 {
        let value = try next(what())
        guard value <= limit else { throw TileDirectory.Fault("\(what()) is \(value); \(limit) at most") }
        return UInt32(value)
    }
}
