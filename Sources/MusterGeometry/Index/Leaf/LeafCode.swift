// How the cells of a mesh are packed into 32-bit words; see `RegionMesh`.

/// The word of one cell: nothing, a leaf, or a grid of smaller cells.
///
/// Offsets count units of four words, so that 28 bits reach 4 GB.
struct CellWord {
    let bits: UInt32

    static var wordsPerUnit: Int { 4 }
    /// The greatest offset that fits.
    static var offsetLimit: Int { 1 << 28 }
    private static var offsetShift: UInt32 { 4 }

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    /// A cell that no region touches.
    static var empty: CellWord { CellWord(bits: 0) }

    /// A cell with a leaf. No leaf is at unit 0.
    static func leaf(unit: Int) -> CellWord { CellWord(bits: UInt32(unit) << offsetShift) }

    /// A cell that is cut into 2^levels × 2^levels cells, whose words begin at a unit.
    static func subgrid(unit: Int, levels: Int) -> CellWord {
        CellWord(bits: UInt32(unit) << offsetShift | UInt32(levels) << 1 | 1)
    }

    @inline(__always) var isEmpty: Bool { bits == 0 }
    @inline(__always) var isSubgrid: Bool { bits & 1 != 0 }
    /// The first word of the leaf or of the subgrid.
    @inline(__always) var firstWord: Int { Int(bits >> Self.offsetShift) &* Self.wordsPerUnit }
    /// How often a subgrid halves the cell.
    @inline(__always) var levels: Int { Int(bits >> 1 & 7) }
}

/// The first word of a leaf. The second is the offset of its cold part; then come the blocks of clipped edges, the
/// entries, and the numbers of the circles whose rim crosses the cell.
struct LeafHeader {
    let bits: UInt32

    /// How many words stand before the blocks.
    static var wordCount: Int { 2 }
    static var entryLimit: Int { 1 << 24 }
    private static var blockShift: UInt32 { 24 }
    // The two highest bits used, so that one comparison tells whether any is set.
    private static var heavyBit: UInt32 { 1 << 29 }
    private static var compositeBit: UInt32 { 1 << 30 }

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    init(entryCount: Int, blockCount: Int, isHeavy: Bool, isComposite: Bool) {
        bits =
            UInt32(entryCount) | UInt32(blockCount) << Self.blockShift | (isHeavy ? Self.heavyBit : 0)
            | (isComposite ? Self.compositeBit : 0)
    }

    @inline(__always) var entryCount: Int { Int(bits & 0xFF_FFFF) }
    @inline(__always) var blockCount: Int { Int(bits >> Self.blockShift & 31) }
    /// Whether the leaf has too many edges for clipped ones, so that queries use doubles.
    @inline(__always) var isHeavy: Bool { bits & Self.heavyBit != 0 }
    /// Whether the leaf has holes, rims of circles, or one region several times.
    @inline(__always) var isComposite: Bool { bits & Self.compositeBit != 0 }
    /// Whether the leaf is heavy or composite, so that clipped edges alone do not answer.
    @inline(__always) var isIntricate: Bool { bits >= Self.heavyBit }
    /// Whether the leaf has only whole regions: its entries are their bare names.
    @inline(__always) var isWhole: Bool { bits >> Self.blockShift == 0 }
}

/// One outline in a leaf: the name of its region, whether the cell's corner is in it, and up to which clipped edge the
/// leaf's edges are its own. One without edges holds the whole cell, or is a circle whose rim crosses it.
struct EntryWord {
    let bits: UInt32

    /// The limit of names, which are below it.
    static var nameLimit: Int { 1 << 24 }
    private static var parityShift: UInt32 { 24 }
    private static var endShift: UInt32 { 25 }
    private static var holeShift: UInt32 { 31 }

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    init(name: UInt32, parity: Bool, end: Int, isHole: Bool) {
        bits =
            name | (parity ? 1 << Self.parityShift : 0) | UInt32(end) << Self.endShift
            | (isHole ? 1 << Self.holeShift : 0)
    }

    @inline(__always) var name: UInt32 { bits & 0xFF_FFFF }
    /// 1 when the cell's corner is inside.
    @inline(__always) var parity: UInt32 { bits >> Self.parityShift & 1 }
    /// How many of the leaf's clipped edges are before the end of this entry's.
    @inline(__always) var end: UInt32 { bits >> Self.endShift & 63 }
    @inline(__always) var isHole: Bool { bits >> Self.holeShift != 0 }

    /// The mark of a circle's rim: a hole without edges that does not hold the cell.
    static func rim(name: UInt32, end: Int) -> EntryWord {
        EntryWord(name: name, parity: false, end: end, isHole: true)
    }
}

/// Clipped edges come in blocks of four: four words of their latitudes, then four of their longitudes.
enum EdgeBlock {
    static var edgeCount: Int { 4 }
    static var wordCount: Int { 8 }
    static var byteCount: Int { 32 }
    /// The most clipped edges in a leaf: the parities of all must fit 64 bits, with one to spare.
    static var edgeLimit: Int { 63 }
}
