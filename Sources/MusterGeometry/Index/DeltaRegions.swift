/// The few regions that are not in the mesh: put since it was built, or not for it.
///
/// A grid of several levels: each level halves the cells of the one before, and a shape lies on the level whose cells
/// are as large as its box, so in at most four of them (twice that across the antimeridian). A question looks at one
/// cell on each level in use. Putting and removing touch those cells alone, and a shape as large as the world costs
/// no more cells than a house.
struct DeltaRegions: Sendable {
    /// One region, and its shape unrolled.
    private struct Slot: Sendable {
        var region: IndexedRegion
        var shape: PreparedShape
    }

    private var slots: [Slot?] = []
    private var freeSlots: [Int32] = []
    private var slotOfID = KeyTable()
    private var grid = LevelGrid()

    init() {}

    /// The number of regions.
    var count: Int { slotOfID.count }

    /// All regions, in no particular order.
    var regions: [IndexedRegion] { slots.compactMap { $0?.region } }

    /// The number of the change that put a region.
    func stamp(of id: Int32) -> UInt64? {
        slotOfID.value(KeyTable.key(id)).flatMap { slots[Int($0)]?.region.stamp }
    }

    /// The shape under a number.
    func shape(of id: Int32) -> PreparedShape? {
        slotOfID.value(KeyTable.key(id)).flatMap { slots[Int($0)]?.shape }
    }

    /// Adds a region.
    ///
    /// - Precondition: it has no region of that number.
    mutating func put(_ region: IndexedRegion) {
        let prepared = PreparedShape(region.shape)
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
            slots[Int(slot)] = Slot(region: region, shape: prepared)
        } else {
            slot = Int32(slots.count)
            slots.append(Slot(region: region, shape: prepared))
        }
        slotOfID.set(KeyTable.key(region.id), to: slot)
        for span in prepared.spans {
            for piece in span.pieces { grid.insert(piece, slot) }
        }
    }

    /// Removes the region with a number; false when there is none.
    mutating func remove(_ id: Int32) -> Bool {
        guard let slot = slotOfID.value(KeyTable.key(id)), let held = slots[Int(slot)] else { return false }
        for span in held.shape.spans {
            for piece in span.pieces { grid.remove(piece, slot) }
        }
        slots[Int(slot)] = nil
        freeSlots.append(slot)
        slotOfID.remove(KeyTable.key(id))
        return true
    }

    /// Appends the numbers of the regions that hold a place; in no particular order, and one may come twice.
    func append(containing place: Coordinate, to result: inout [Int32]) {
        grid.forEachSlot(at: place) { slot in
            if let held = slots[Int(slot)], held.shape.contains(place) { result.append(held.region.id) }
        }
    }

    /// Appends the numbers of the regions that hold a place or whose boundary comes within a distance of it.
    func append(within radius: Metres, of place: Coordinate, to result: inout [Int32]) {
        let start = result.count
        // First the slots that may be near, each once; then those that are.
        for piece in Span(around: place, radiusMetres: radius.value).pieces {
            grid.forEachSlot(touching: piece) { result.append($0) }
        }
        result.sortAndRemoveRepeats(from: start)
        var kept = start
        for index in start..<result.count {
            guard let held = slots[Int(result[index])], held.shape.comes(within: radius, of: place) else { continue }
            result[kept] = held.region.id
            kept += 1
        }
        result.removeLast(result.count - kept)
    }
}
