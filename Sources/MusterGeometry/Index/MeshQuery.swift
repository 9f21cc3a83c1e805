/// A mesh opened for questions: its arrays as bare pointers, valid while `RegionMesh.withQuery` runs.
struct MeshQuery {
    let root: UnsafePointer<UInt32>
    let hot: UnsafePointer<UInt32>
    let cold: UnsafePointer<UInt32>
    let vertices: UnsafePointer<Double>
    let mesh: Unmanaged<RegionMesh>
    let west: Double
    let south: Double
    let perWidth: Double
    let perHeight: Double
    let columns: Int
    let width: Double
    let height: Double

    /// How many names `answer` may write, and how many more it may write over.
    static var room: Int { 192 }
    static var slack: Int { 8 }
}

extension RegionMesh {
    /// Opens the mesh; costs nothing worth saving.
    @inline(__always)
    func withQuery<Result>(_ body: (MeshQuery) -> Result) -> Result {
        root.withUnsafeBufferPointer { root in
            hot.withUnsafeBufferPointer { hot in
                cold.withUnsafeBufferPointer { cold in
                    vertices.withUnsafeBufferPointer { vertices in
                        guard let hotWords = hot.baseAddress, let rootWords = root.baseAddress else {
                            fatalError("a mesh has a root")
                        }
                        let none = UnsafeRawPointer(hotWords)
                        return body(
                            MeshQuery(
                                root: rootWords, hot: hotWords, cold: cold.baseAddress ?? hotWords,
                                vertices: vertices.baseAddress ?? none.assumingMemoryBound(to: Double.self),
                                mesh: .passUnretained(self), west: grid.west, south: grid.south,
                                perWidth: perWidth, perHeight: perHeight, columns: grid.columns,
                                width: Double(grid.columns), height: Double(grid.rows)))
                    }
                }
            }
        }
    }
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
        let x = (place.longitude - west) * perWidth
        let y = (place.latitude - south) * perHeight
        guard x >= 0, y >= 0, x < width, y < height else { return MeshPlace(word: .empty, u: 0, v: 0) }
        let column = Int(x)
        let row = Int(y)
        return MeshPlace(
            word: CellWord(bits: root[row &* columns &+ column]), u: x - Double(column), v: y - Double(row))
    }

    /// Goes down to the smallest cell.
    @inline(__always)
    func descend(_ place: inout MeshPlace) {
        while place.word.isSubgrid {
            let levels = place.word.levels
            let side = Double(1 &<< levels)
            place.u *= side
            place.v *= side
            let column = Int(place.u)
            let row = Int(place.v)
            place.u -= Double(column)
            place.v -= Double(row)
            place.word = CellWord(bits: hot[place.word.firstWord &+ (row &<< levels) &+ column])
        }
    }
}
