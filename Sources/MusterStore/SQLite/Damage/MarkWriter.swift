import MusterDocuments

/// The marks of a block's positions, in their order: the difference to the mark before, signed, in as few bytes as it
/// needs.
struct MarkWriter {
    private var writer = ByteWriter()
    private var previous: Int64 = 0
    /// The lowest number of a change; 0 without any.
    private(set) var first: Int64 = 0
    /// The highest.
    private(set) var last: Int64 = 0
    /// How many positions are told as documents.
    private(set) var told: Int64 = 0

    init() {}

    /// The last `count` marks of a block.
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

    /// The marks that were written.
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
