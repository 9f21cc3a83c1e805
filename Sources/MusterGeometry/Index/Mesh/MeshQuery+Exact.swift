/// Decides by exact arithmetic the places that the rounded edges of a leaf do not decide.
extension OpenMesh {
    /// Writes the names of the regions in a leaf that hold a place, in ascending order, for the leaves and places that
    /// clipped edges alone do not answer: heavy leaves, holes, rims of circles, places near an edge.
    ///
    /// - Parameter names: a buffer with room for as many names as the leaf has entries.
    /// - Returns: the number of names.
    @inline(never)
    func answerExactly(_ local: MeshPlace, _ place: Coordinate, into names: UnsafeMutablePointer<Int32>) -> Int {
        let words = query.pointee.hot + local.word.firstWord
        let header = LeafHeader(bits: words[0])
        let blocks = words + LeafHeader.wordCount
        let entries = blocks + header.blockCount * EdgeBlock.wordCount
        var names = NameList(names)
        var reader = LeafReader(entries, header, cold: query.pointee.cold + Int(words[1]))
        if header.isHeavy {
            collect(&reader, place, into: &names) { locate(reader: &$0, place) }
        } else {
            let crossings = crossings(blocks, blocks: header.blockCount, local.point)
            if crossings.isDoubtful {
                collect(&reader, place, into: &names) { locate(reader: &$0, place) }
            } else {
                collect(&reader, place, into: &names) { reader in
                    let parity = (crossings.parities >> UInt64(reader.entry.end) ^ crossings.parities >> reader.start)
                    return (parity & 1 != 0) != (reader.entry.parity != 0) ? .inside : .outside
                }
            }
        }
        return names.count
    }

    /// Combines the entries of a leaf: an exterior holds a place unless the first of its holes that decides excludes
    /// it, as `PreparedShape.contains` does.
    @inline(__always)
    private func collect(
        _ reader: inout LeafReader, _ place: Coordinate, into names: inout NameList,
        location: (inout LeafReader) -> Location
    ) {
        var point: SpacePoint?
        var isOpen = false
        while reader.next() {
            let entry = reader.entry
            var found: Location
            switch reader.kind {
            case .whole: found = .inside
            case .rim:
                let here = point ?? SpacePoint(place)
                point = here
                found = query.pointee.circles[reader.nextCircle()].contains(place, here) ? .boundary : .outside
            case .edges: found = location(&reader)
            }
            if entry.isHole && reader.kind != .rim {
                guard isOpen && found != .outside else { continue }
                isOpen = false
                if found == .inside { names.removeLast() }
            } else {
                isOpen = found == .inside
                if found != .outside { isOpen = names.append(Int32(truncatingIfNeeded: entry.name)) && isOpen }
            }
        }
    }

    /// Where a place lies to the outline of an entry with edges. Exact.
    private func locate(reader: inout LeafReader, _ place: Coordinate) -> Location {
        let code = reader.cold[0]
        let outline = query.pointee.outlines[Int(code >> 1)]
        let (x, y) = (place.longitude, place.latitude)
        if outline.turnedRing >= 0 {
            reader.skipEdges()
            return query.pointee.turnedRings[Int(outline.turnedRing)].locate(longitude: x, latitude: y)
        }
        var isInside = code & 1 != 0
        var isOnEdge = false
        let (cornerX, cornerY) = (reader.cornerX, reader.cornerY)
        let vertices = query.pointee.vertices
        reader.forEachEdge { vertex in
            let edge = vertices + 2 * vertex
            if isOn(edge, x, y) {
                isOnEdge = true
                return false
            }
            let meetsRow = (edge[1] > y) != (edge[3] > y)
            let meetsColumn = (edge[0] > cornerX) != (edge[2] > cornerX)
            if meetsRow || meetsColumn {
                let knee = isLeft(of: edge, cornerX, y)
                if meetsRow && isLeft(of: edge, x, y) != knee { isInside.toggle() }
                if meetsColumn && isLeft(of: edge, cornerX, cornerY) != knee { isInside.toggle() }
            }
            return true
        }
        if isOnEdge { return .boundary }
        return isInside ? .inside : .outside
    }
}

/// Names being written, ascending and each once.
struct NameList {
    private let base: UnsafeMutablePointer<Int32>
    private(set) var count = 0

    init(_ base: UnsafeMutablePointer<Int32>) { self.base = base }

    /// Adds a name; false when it is there already.
    @inline(__always)
    mutating func append(_ name: Int32) -> Bool {
        if count > 0 && base[count - 1] == name { return false }
        base[count] = name
        count += 1
        return true
    }

    mutating func removeLast() { count -= 1 }
}

/// Reads the entries of a leaf one after the other, and beside them their circles and edges.
struct LeafReader {
    enum Kind {
        case whole
        case rim
        case edges
    }

    private let entries: UnsafePointer<UInt32>
    private let count: Int
    private let isHeavy: Bool
    private var index = -1
    private var circle: UnsafePointer<UInt32>
    private(set) var entry = EntryWord(bits: 0)
    private(set) var kind = Kind.whole
    /// Where the clipped edges of the entry begin.
    private(set) var start: UInt64 = 0
    /// The cold words of the entry, if it has edges.
    private(set) var cold: UnsafePointer<UInt32>
    let cornerX: Double
    let cornerY: Double

    init(_ entries: UnsafePointer<UInt32>, _ header: LeafHeader, cold words: UnsafePointer<UInt32>) {
        self.entries = entries
        count = header.entryCount
        isHeavy = header.isHeavy
        circle = entries + header.entryCount
        cornerX = ColdLeaf.double(at: words)
        cornerY = ColdLeaf.double(at: words + 2)
        cold = words + ColdLeaf.cornerWords
    }

    /// Moves to the next entry; false at the end. The edges of the one before must have been read or skipped if it had
    /// any.
    @inline(__always)
    mutating func next() -> Bool {
        let previous = index >= 0 && !isHeavy ? UInt64(entry.end) : 0
        index += 1
        guard index < count else { return false }
        entry = EntryWord(bits: entries[index])
        start = previous
        if UInt64(entry.end) != previous {
            kind = .edges
        } else {
            kind = entry.isHole && entry.parity == 0 ? .rim : .whole
        }
        return true
    }

    /// The circle of a rim.
    mutating func nextCircle() -> Int {
        defer { circle += 1 }
        return Int(circle[0])
    }

    /// Calls the closure with the first vertex of each edge of the entry until it returns false.
    @inline(__always)
    mutating func forEachEdge(_ body: (Int) -> Bool) { cold = ColdLeaf.forEachEdge(cold + 1, body) }

    mutating func skipEdges() { forEachEdge { _ in false } }
}
