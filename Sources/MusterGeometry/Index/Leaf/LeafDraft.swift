/// A leaf that is being written, in arrays that are reused.
struct LeafDraft: ~Copyable {
    /// An entry as it will be.
    struct Entry: BitwiseCopyable {
        var name: UInt32
        var parity: Bool
        /// How many clipped edges there are up to the end of its own.
        var end: Int
        var isHole: Bool
        /// The part with its edges, or −1.
        var part: Int
        /// The circle whose rim crosses the cell, or −1.
        var circle: Int32

        /// Whether it holds the whole cell.
        var isWhole: Bool { part < 0 && circle < 0 }
    }

    var entries = Pile<Entry>()
    var clipped = Pile<ClippedEdge>()

    init() {}

    mutating func clear() {
        entries.truncate(to: 0)
        clipped.truncate(to: 0)
    }
}

extension RegionMeshBuilder {
    /// Writes the leaf of a cell and returns the cell's word; it is empty when no region comes there.
    mutating func writeLeaf(_ list: Range<Int>, _ cell: MeshCell) -> CellWord {
        leaf.clear()
        var area = leaf.entries.count
        var hasExterior = false
        for index in list {
            let part = parts[index]
            let outline = source.outlines[Int(part.outline)]
            if !outline.isHole {
                finishArea(from: area)
                area = leaf.entries.count
                hasExterior = draft(part, index, outline, cell)
            } else if hasExterior {
                // The holes of an exterior that is not in this cell remove nothing.
                _ = draft(part, index, outline, cell)
            }
        }
        finishArea(from: area)
        let count = leaf.entries.count
        if count == 0 { return .empty }
        precondition(count < LeafHeader.entryLimit, "regions are limited")
        var isWhole = true
        for index in 0..<count where !leaf.entries.base[index].isWhole || leaf.entries.base[index].isHole {
            isWhole = false
        }
        return .leaf(unit: isWhole ? internWhole() : write(cell))
    }

    /// Drafts the entry of one part; false when it has nothing in the cell.
    private mutating func draft(_ part: CellPart, _ index: Int, _ outline: MeshOutline, _ cell: MeshCell) -> Bool {
        var entry = LeafDraft.Entry(
            name: outline.name, parity: part.parity, end: leaf.clipped.count, isHole: outline.isHole, part: -1,
            circle: -1)
        if part.isRim {
            entry.circle = outline.circle
        } else if !part.isWhole {
            var parity = part.parity
            // Written in any case, and kept if it counts.
            let clipped = leaf.clipped.extend(by: part.edgeCount)
            var kept = 0
            for number in 0..<part.edgeCount {
                let cut = EdgeCut(source.vertices.base + 2 * Int(part.edge(number, in: edges)), in: cell)
                clipped[kept] = cut.clipped
                kept &+= cut.counts ? 1 : 0
                parity = parity != cut.flipsCorner
            }
            leaf.clipped.truncate(to: entry.end + kept)
            entry.parity = parity
            if leaf.clipped.count > entry.end {
                entry.end = leaf.clipped.count
                entry.part = index
            } else if !parity {
                return false
            }
        }
        leaf.entries.append(entry)
        return true
    }

    /// Drops an exterior that holds the whole cell and its one hole that does so too.
    private mutating func finishArea(from start: Int) {
        guard leaf.entries.count == start + 2 else { return }
        if leaf.entries[start].isWhole && leaf.entries[start + 1].isWhole && leaf.entries[start + 1].isHole {
            leaf.entries.truncate(to: start)
        }
    }

    /// Writes a leaf of whole regions, or finds the one that is equal.
    private mutating func internWhole() -> Int {
        var kept = 0
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<leaf.entries.count {
            let name = leaf.entries.base[index].name
            if kept > 0 && leaf.entries.base[kept - 1].name == name { continue }
            leaf.entries.base[kept].name = name
            kept += 1
            hash = (hash ^ UInt64(name)) &* 0x0000_0100_0000_01B3
        }
        let key = hash >> 1
        if let unit = interned.value(key), isWholeLeaf(at: Int(unit), count: kept) { return Int(unit) }
        let unit = hot.count / CellWord.wordsPerUnit
        precondition(unit < CellWord.offsetLimit, "the references are limited")
        hot.append(LeafHeader(entryCount: kept, blockCount: 0, isHeavy: false, isComposite: false).bits)
        hot.append(0)
        for index in 0..<kept { hot.append(leaf.entries.base[index].name) }
        align()
        interned.set(key, to: Int32(truncatingIfNeeded: unit))
        return unit
    }

    private func isWholeLeaf(at unit: Int, count: Int) -> Bool {
        let words = hot.base + unit * CellWord.wordsPerUnit
        guard LeafHeader(bits: words[0]).entryCount == count else { return false }
        for index in 0..<count where words[LeafHeader.wordCount + index] != leaf.entries.base[index].name {
            return false
        }
        return true
    }

    /// Writes a leaf with edges, holes or rims.
    private mutating func write(_ cell: MeshCell) -> Int {
        let unit = hot.count / CellWord.wordsPerUnit
        precondition(unit < CellWord.offsetLimit, "the references are limited")
        let isHeavy = leaf.clipped.count > EdgeBlock.edgeLimit
        let blocks = isHeavy ? 0 : (leaf.clipped.count + EdgeBlock.edgeCount - 1) / EdgeBlock.edgeCount
        hot.append(
            LeafHeader(
                entryCount: leaf.entries.count, blockCount: blocks, isHeavy: isHeavy, isComposite: isComposite
            ).bits)
        hot.append(leaf.clipped.count > 0 ? UInt32(cold.count) : 0)
        if !isHeavy { writeBlocks(blocks) }
        for index in 0..<leaf.entries.count {
            let entry = leaf.entries.base[index]
            // In a heavy leaf an end other than 0 means that the entry has edges.
            let end = isHeavy ? (entry.part >= 0 ? 1 : 0) : entry.end
            hot.append(
                entry.circle >= 0
                    ? EntryWord.rim(name: entry.name, end: end).bits
                    : EntryWord(name: entry.name, parity: entry.parity, end: end, isHole: entry.isHole).bits)
        }
        for index in 0..<leaf.entries.count where leaf.entries.base[index].circle >= 0 {
            hot.append(UInt32(leaf.entries.base[index].circle))
        }
        align()
        if leaf.clipped.count > 0 { writeCold(cell) }
        return unit
    }

    private var isComposite: Bool {
        for index in 0..<leaf.entries.count {
            let entry = leaf.entries.base[index]
            if entry.isHole || entry.circle >= 0 { return true }
            if index > 0 && leaf.entries.base[index - 1].name == entry.name { return true }
        }
        return false
    }

    private mutating func writeBlocks(_ blocks: Int) {
        let edgeCount = leaf.clipped.count
        leaf.clipped.append(repeating: .nothing, count: blocks * EdgeBlock.edgeCount - edgeCount)
        var edges = leaf.clipped.base
        var target = hot.extend(by: blocks * EdgeBlock.wordCount)
        for _ in 0..<blocks {
            for lane in 0..<EdgeBlock.edgeCount {
                target[lane] = edges[lane].latitudes
                target[EdgeBlock.edgeCount + lane] = edges[lane].longitudes
            }
            edges += EdgeBlock.edgeCount
            target += EdgeBlock.wordCount
        }
        leaf.clipped.truncate(to: edgeCount)
    }

    /// Writes the corner and the edges of each entry.
    private mutating func writeCold(_ cell: MeshCell) {
        ColdLeaf.append(cell.cornerX, to: &cold)
        ColdLeaf.append(cell.cornerY, to: &cold)
        for index in 0..<leaf.entries.count where leaf.entries.base[index].part >= 0 {
            let part = parts[leaf.entries.base[index].part]
            cold.append(ColdLeaf.outline(part.outline, parity: part.parity))
            if part.isRun {
                ColdLeaf.appendRun(part.firstEdge, count: part.edgeCount, to: &cold)
            } else {
                ColdLeaf.appendRuns(edges.base + Int(part.firstEdge), count: part.edgeCount, to: &cold)
            }
        }
    }

    private mutating func align() {
        while hot.count % CellWord.wordsPerUnit != 0 { hot.append(0) }
    }
}
