/// Which of many shapes hold a place. Exact: it answers as `Shape.contains` does.
///
/// A grid of several levels: each level halves the cells of the one before, and a shape lies on the level whose cells
/// are as large as its box, so in at most four of them (twice that across the antimeridian). A question looks at one
/// cell on each level in use. Putting and removing touch those cells alone, and a shape as large as the world costs
/// no more cells than a house.
///
/// A value: a copy keeps its answers while the original changes.
public struct RegionIndex: Sendable {
    /// One shape under its number.
    private struct Slot: Sendable {
        var id: Int32
        var shape: PreparedShape
    }

    private var slots: [Slot?] = []
    private var freeSlots: [Int32] = []
    private var slotOfID = KeyTable()
    private var grid = LevelGrid()

    /// An empty index.
    public init() {}

    /// The number of shapes.
    public var count: Int { slotOfID.count }

    /// Puts a shape under a number, in place of the shape that had it.
    ///
    /// - Complexity: O(n) in the number of the shape's vertices, whatever else is in the index (amortised).
    public mutating func put(_ shape: Shape, as id: Int32) {
        remove(id)
        let prepared = PreparedShape(shape)
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
            slots[Int(slot)] = Slot(id: id, shape: prepared)
        } else {
            slot = Int32(slots.count)
            slots.append(Slot(id: id, shape: prepared))
        }
        slotOfID.set(Self.key(id), to: slot)
        for span in prepared.spans {
            for piece in span.pieces { grid.insert(piece, slot) }
        }
    }

    /// Removes the shape with a number; nothing happens when there is none.
    ///
    /// - Complexity: that of the cells it lies in.
    public mutating func remove(_ id: Int32) {
        guard let slot = slotOfID.value(Self.key(id)), let held = slots[Int(slot)] else { return }
        for span in held.shape.spans {
            for piece in span.pieces { grid.remove(piece, slot) }
        }
        slots[Int(slot)] = nil
        freeSlots.append(slot)
        slotOfID.remove(Self.key(id))
    }

    /// Appends the numbers of the shapes that hold a place, in ascending order; a place on a boundary is inside.
    ///
    /// Nothing is allocated when the array has room.
    public func regions(containing place: Coordinate, into result: inout [Int32]) {
        let start = result.count
        grid.forEachSlot(at: place) { slot in
            if let held = slots[Int(slot)], held.shape.contains(place) { result.append(held.id) }
        }
        result.sortAndRemoveRepeats(from: start)
    }

    /// Appends the numbers of the shapes that hold a place or whose boundary comes within a distance of it, in
    /// ascending order.
    ///
    /// Nothing is appended for a distance below 0. How exactly distances are measured says
    /// `PreparedShape.signedDistanceToBoundary`.
    public func regions(within radius: Metres, of place: Coordinate, into result: inout [Int32]) {
        guard radius.value >= 0 else { return }
        let start = result.count
        // First the slots that may be near, each once; then those that are.
        for piece in Span(around: place, radiusMetres: radius.value).pieces {
            grid.forEachSlot(touching: piece) { result.append($0) }
        }
        result.sortAndRemoveRepeats(from: start)
        var kept = start
        for index in start..<result.count {
            guard let held = slots[Int(result[index])], held.shape.comes(within: radius, of: place) else { continue }
            result[kept] = held.id
            kept += 1
        }
        result.removeLast(result.count - kept)
        result.sortAndRemoveRepeats(from: start)
    }

    private static func key(_ id: Int32) -> UInt64 { UInt64(UInt32(bitPattern: id)) }
}

extension [Int32] {
    /// Puts the elements from an index on in ascending order, each once; in place.
    mutating func sortAndRemoveRepeats(from start: Int) {
        let count = self.count - start
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { all in
            let part = UnsafeMutableBufferPointer(rebasing: all[start...])
            if count <= 32 { part.sortByInsertion() } else { part.sortByHeap() }
        }
        var kept = start
        for index in (start + 1)..<self.count where self[index] != self[kept] {
            kept += 1
            self[kept] = self[index]
        }
        removeLast(self.count - kept - 1)
    }
}

extension UnsafeMutableBufferPointer<Int32> {
    fileprivate func sortByInsertion() {
        for index in 1..<count {
            let value = self[index]
            var at = index
            while at > 0 && self[at - 1] > value {
                self[at] = self[at - 1]
                at -= 1
            }
            self[at] = value
        }
    }

    /// The standard library's sort allocates; this one does not.
    fileprivate func sortByHeap() {
        var root = count / 2
        while root > 0 {
            root -= 1
            sift(root, count)
        }
        var end = count
        while end > 1 {
            end -= 1
            swapAt(0, end)
            sift(0, end)
        }
    }

    private func sift(_ from: Int, _ end: Int) {
        var root = from
        while 2 * root + 1 < end {
            var child = 2 * root + 1
            if child + 1 < end && self[child + 1] > self[child] { child += 1 }
            if self[root] >= self[child] { return }
            swapAt(root, child)
            root = child
        }
    }
}
