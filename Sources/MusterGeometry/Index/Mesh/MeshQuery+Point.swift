/// Which clipped edges of a leaf the path from the cell's corner to a point crosses.
struct Crossings {
    /// Bit k: whether an odd number of the first k edges are crossed.
    var parities: UInt64
    /// Whether the point is too near to an edge to tell.
    var isDoubtful: Bool
}

extension OpenMesh {

    /// Writes the names of the regions in a leaf that hold a place, in ascending order.
    ///
    /// - Parameter names: a buffer with room for as many names as the leaf has entries, and for `slack` more.
    /// - Returns: the number of names.
    @inline(__always)
    func writeNames(_ place: MeshPlace, _ coordinate: Coordinate, into names: UnsafeMutablePointer<Int32>) -> Int {
        let words = query.pointee.hot + place.word.firstWord
        let header = LeafHeader(bits: words[0])
        let count = header.entryCount
        if header.isWhole {
            copyFour(words + LeafHeader.wordCount, to: names)
            if count > 4 { copyInFours(words + LeafHeader.wordCount, to: names, count: count) }
            return count
        }
        if header.isIntricate { return answerExactly(place, coordinate, into: names) }
        let crossings = crossings(words + LeafHeader.wordCount, blocks: header.blockCount, place.point)
        if crossings.isDoubtful { return answerExactly(place, coordinate, into: names) }
        let entries = words + (LeafHeader.wordCount &+ header.blockCount &* EdgeBlock.wordCount)
        var written = 0
        var previous: UInt32 = 0
        var index = 0
        repeat {
            let entry = EntryWord(bits: entries[index])
            let parity = UInt32(truncatingIfNeeded: crossings.parities &>> UInt64(entry.end)) & 1
            names[written] = Int32(truncatingIfNeeded: entry.name)
            written &+= Int(parity ^ previous ^ entry.parity)
            previous = parity
            index &+= 1
        } while index < count
        return written
    }

    /// Compares a point with all clipped edges of a leaf, four at a time.
    @inline(__always)
    func crossings(_ blocks: UnsafePointer<UInt32>, blocks count: Int, _ point: LeafPoint) -> Crossings {
        let four = FourWords(repeating: 4)
        let firstLanes = FourWords(1, 2, 4, 8)
        let u = FourFloats(repeating: point.x)
        let v = FourFloats(repeating: point.y)
        var at = UnsafeRawPointer(blocks)
        var crossed = FourWords(repeating: 0)
        var firstCrossed = crossed
        var doubtful = crossed
        var lanes = firstLanes
        var block = 0
        while block < count {
            let edges = FourEdges(at)
            at += EdgeBlock.byteCount
            let aboveLow = v - edges.lowLatitude
            let aboveHigh = aboveLow - edges.rise
            let side = (u - edges.lowLongitude) * edges.rise - aboveLow * edges.run
            crossed |=
                lanes & (bits(aboveLow .>= 0) | edges.lowIsOpen) & (bits(aboveHigh .< 0) | edges.highIsOpen)
                & bits(side .> 0)
            doubtful |=
                bits(magnitude(aboveLow) .< LeafUnits.doubt) | bits(magnitude(aboveHigh) .< LeafUnits.doubt)
                | (bits(magnitude(side) .<= (magnitude(edges.run) + edges.rise) * LeafUnits.doubt)
                    & bits(aboveLow * aboveHigh .<= 0))
            block &+= 1
            lanes = lanes &<< four
            if block == 8 {
                firstCrossed = crossed
                crossed = FourWords(repeating: 0)
                lanes = firstLanes
            }
        }
        let anyDoubt = doubtful.lowHalf | doubtful.highHalf
        let merged = crossed.lowHalf | crossed.highHalf
        var mask = UInt64(merged[0] | merged[1])
        if count >= 8 {
            let first = firstCrossed.lowHalf | firstCrossed.highHalf
            mask = mask << 32 | UInt64(first[0] | first[1])
        }
        // The parity of all edges up to each, and a 0 before the first.
        mask ^= mask << 1
        mask ^= mask << 2
        mask ^= mask << 4
        mask ^= mask << 8
        mask ^= mask << 16
        mask ^= mask << 32
        return Crossings(parities: mask << 1, isDoubtful: anyDoubt[0] | anyDoubt[1] != 0)
    }

    /// Copies four words.
    @inline(__always)
    private func copyFour(_ words: UnsafePointer<UInt32>, to names: UnsafeMutablePointer<Int32>) {
        UnsafeMutableRawPointer(names).storeBytes(
            of: UnsafeRawPointer(words).loadUnaligned(as: FourWords.self), as: FourWords.self)
    }

    /// Copies words in fours: both sides have room for some more.
    @inline(never)
    private func copyInFours(_ words: UnsafePointer<UInt32>, to names: UnsafeMutablePointer<Int32>, count: Int) {
        var index = 0
        while index < count {
            copyFour(words + index, to: names + index)
            index &+= 4
        }
    }
}
