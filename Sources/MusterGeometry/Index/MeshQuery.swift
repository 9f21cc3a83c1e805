/// The arrays of a mesh as bare pointers, for questions that cost less than counting a reference; see `OpenMesh`.
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
    /// The numbers of columns and rows, to compare with; 0 where there is no mesh.
    let width: Double
    let height: Double
    /// See `RegionMesh`.
    let namesAreIDs: Bool

    /// How many names more than a leaf has `answer` may write over.
    static var slack: Int { 8 }
}

/// Where a place is in a mesh: the word of its smallest cell, and how far right and up it is in it, 0 to 1.
struct MeshPlace {
    var word: CellWord
    var u: Double
    var v: Double
}

extension MeshQuery {
    /// The cell of the root that holds a place; an empty one beside the root.
    @inline(__always)
    func locate(_ place: Coordinate) -> MeshPlace {
        let x = (place.longitude - grid.west) * perWidth
        let y = (place.latitude - grid.south) * perHeight
        guard x >= 0, y >= 0, x < width, y < height else { return MeshPlace(word: .empty, u: 0, v: 0) }
        let column = Int(x)
        let row = Int(y)
        return MeshPlace(
            word: CellWord(bits: root[row &* grid.columns &+ column]), u: x - Double(column), v: y - Double(row))
    }

    /// Goes down to the smallest cell.
    ///
    /// - Returns: how many of them fit side by side into a cell of the root.
    @inline(__always) @discardableResult
    func descend(_ place: inout MeshPlace) -> Double {
        var cells = 1.0
        while place.word.isSubgrid {
            let levels = place.word.levels
            let side = Double(1 &<< levels)
            cells *= side
            place.u *= side
            place.v *= side
            let column = Int(place.u)
            let row = Int(place.v)
            place.u -= Double(column)
            place.v -= Double(row)
            place.word = CellWord(bits: hot[place.word.firstWord &+ (row &<< levels) &+ column])
        }
        return cells
    }

    /// The header of a place's leaf.
    @inline(__always)
    func header(_ place: MeshPlace) -> LeafHeader { LeafHeader(bits: hot[place.word.firstWord]) }
}
