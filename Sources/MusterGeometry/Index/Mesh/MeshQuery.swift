/// The arrays of a mesh as raw pointers, for queries: a query takes less time than retaining and releasing an array
/// would. The pointers are valid as long as the mesh that owns the arrays lives; see `OpenMesh`.
struct MeshQuery {
    let root: UnsafePointer<UInt32>
    let hot: UnsafePointer<UInt32>
    let cold: UnsafePointer<UInt32>
    let vertices: UnsafePointer<Double>
    let outlines: UnsafePointer<MeshOutline>
    let circles: UnsafePointer<MeshCircle>
    let turnedRings: UnsafePointer<Ring>
    /// The edges, each by its first vertex and ascending, that are cuts along the antimeridian and no boundary.
    let cuts: UnsafePointer<UInt32>
    let cutCount: Int
    let grid: CellGrid
    /// Cells a degree.
    let perWidth: Double
    let perHeight: Double
    /// The first distance from the west, and from the south, that is beyond the cells; 0 where there is no mesh.
    let columnsEnd: CellDistance
    let rowsEnd: CellDistance

    /// How many words beyond the names of a leaf `writeNames` may overwrite.
    static var slack: Int { 8 }
}

/// How far from the first cell of a row or column a place is: whole cells, and behind them the share of the next one
/// in `shareBits` bits.
struct CellDistance: BitwiseCopyable {
    private let bits: UInt64

    /// A double of 2¹² or more, up to twice that, has as many bits behind the point.
    private static var shareBits: UInt64 { 40 }
    private static var offset: Double { 0x1p12 }

    /// A distance in cells. One that is negative, not less than `MeshSizing.rootLimit` or no number becomes greater
    /// than all others.
    @inline(__always)
    init(cells: Double) { bits = (cells + Self.offset).bitPattern &- Self.offset.bitPattern }

    /// A number of whole cells, also one beyond all distances.
    init(count: Int) { bits = UInt64(count) << Self.shareBits }

    @inline(__always) var cell: Int { Int(truncatingIfNeeded: bits &>> Self.shareBits) }
    /// How much of the next cell lies before the place, of 2⁶⁴.
    @inline(__always) var share: UInt64 { bits &<< (64 - Self.shareBits) }

    @inline(__always)
    static func < (left: CellDistance, right: CellDistance) -> Bool { left.bits < right.bits }
}

/// Where a place is in a mesh: the word of its smallest cell, and how far right and up it is in it, of 2⁶⁴.
///
/// In whole numbers it takes two shifts to go down to a smaller cell.
struct MeshPlace: BitwiseCopyable {
    var word: CellWord
    var across: UInt64
    var along: UInt64

    /// The place in the units of the cell, if it is a leaf.
    @inline(__always) var point: LeafPoint { LeafPoint(across: across, along: along) }
}

/// A place in the units of a leaf, rounded; the error is at most `LeafUnits.doubt`.
struct LeafPoint: BitwiseCopyable {
    var x: Float
    var y: Float

    /// - Parameter u: how far right in the cell, as a share of its side; `v` how far up. Both may be beside the cell.
    @inline(__always)
    init(u: Double, v: Double) {
        x = Float(u * LeafUnits.perCell + LeafUnits.origin)
        y = Float(v * LeafUnits.perCell + LeafUnits.origin)
    }

    /// - Parameter across: how far right in the cell, of 2⁶⁴; `along` how far up.
    @inline(__always)
    fileprivate init(across: UInt64, along: UInt64) {
        x = Self.units(across)
        y = Self.units(along)
    }

    @inline(__always)
    private static func units(_ share: UInt64) -> Float {
        // So many bits as a float has.
        Float(Int32(truncatingIfNeeded: share &>> 40)) * (Float(LeafUnits.perCell) * 0x1p-24) + Float(LeafUnits.origin)
    }
}

extension MeshQuery {
    /// The cell of the root that holds a place; an empty one beside the root.
    @inline(__always)
    func locate(_ place: Coordinate) -> MeshPlace {
        let x = CellDistance(cells: (place.longitude - grid.west) * perWidth)
        let y = CellDistance(cells: (place.latitude - grid.south) * perHeight)
        guard x < columnsEnd, y < rowsEnd else { return MeshPlace(word: .empty, across: 0, along: 0) }
        return MeshPlace(
            word: CellWord(bits: root[y.cell &* grid.columns &+ x.cell]), across: x.share, along: y.share)
    }

    /// Moves a place down to its smallest cell.
    ///
    /// - Returns: how many of those cells fit side by side into a cell of the root.
    @inline(__always) @discardableResult
    func descend(_ place: inout MeshPlace) -> Double {
        var halvings = 0
        while place.word.isSubgrid {
            let levels = place.word.levels
            halvings &+= levels
            let column = Int(truncatingIfNeeded: place.across &>> UInt64(64 &- levels))
            let row = Int(truncatingIfNeeded: place.along &>> UInt64(64 &- levels))
            place.across = place.across &<< UInt64(levels)
            place.along = place.along &<< UInt64(levels)
            place.word = CellWord(bits: hot[place.word.firstWord &+ (row &<< levels) &+ column])
        }
        return Double(1 << halvings)
    }

    /// The header of a place's leaf.
    @inline(__always)
    func header(_ place: MeshPlace) -> LeafHeader { LeafHeader(bits: hot[place.word.firstWord]) }
}
