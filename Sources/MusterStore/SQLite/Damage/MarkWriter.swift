import MusterDocuments

/// Encodes the marks of a block's positions, in the order of the positions. Each mark is the signed difference to the
/// one before, as a varint.
struct MarkWriter {
    private var writer = ByteWriter()
    private var previous: Int64 = 0
    /// The lowest sequence of the marks; 0 if there are none.
    private(set) var first: Int64 = 0
    /// The highest sequence of the marks; 0 if there are none.
    private(set) var last: Int64 = 0
    /// The number of positions that no document brought.
    private(set) var told: Int64 = 0

    init() {}

    /// Makes a writer of the last `count` marks of an encoded block.
    ///
    /// - Throws: `CodecError`.
    init(lastOf bytes: UnsafeRawBufferPointer, count: Int) throws(CodecError) {
        for mark in try Self.marks(in: bytes).suffix(count) { add(mark) }
    }

    var bytes: [UInt8] { writer.bytes }

    mutating func add(_ mark: PositionMark) {
        let sequence = mark.sequence
        first = first == 0 ? sequence : min(first, sequence)
        last = max(last, sequence)
        if !mark.isOfDocument { told += 1 }
        writer.put(signed: mark.rawValue &- previous)
        previous = mark.rawValue
    }

    /// Decodes the marks of a block.
    ///
    /// - Throws: `CodecError`.
    static func marks(in bytes: UnsafeRawBufferPointer) throws(CodecError) -> [PositionMark] {
        var reader = ByteReader(bytes)
        var marks: [PositionMark] = []
        var previous: Int64 = 0
        while !reader.isAtEnd {
            previous &+= try reader.signed()
            marks.append(PositionMark(rawValue: previous))
        }
        return marks
    }
}
