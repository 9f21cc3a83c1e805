/// The few regions that are not in the mesh: put since it was built, or of a shape that a mesh cannot hold.
///
/// A grid of several levels: each level halves the cells of the one before, and a shape lies on the level whose cells
/// are as large as its box, so in at most four of them (twice that across the antimeridian). A query visits one cell on
/// each level in use. Putting and removing touch only those cells, and a shape as large as the world costs no more
/// cells than a house.
struct DeltaRegions: Sendable {
    /// One region, and its shape unrolled.
    private struct Slot: Sendable {
        var region: IndexedRegion
        var shape: PreparedShape
        var isForMesh: Bool
    }

    private var slots: [Slot?] = []
    private var freeSlots: [Int32] = []
    private var slotOfID = KeyTable()
    private var grid = LevelGrid()

    /// How many of the regions a mesh could hold.
    private(set) var meshCount = 0

    init() {}

    /// The number of regions.
    var count: Int { slotOfID.count }

    /// All regions, in no particular order.
    var regions: [IndexedRegion] { slots.compactMap { $0?.region } }

    /// Returns the number of the change that put a region; nil when there is no such region.
    func stamp(of id: Int32) -> UInt64? {
        slotOfID.value(KeyTable.key(id)).flatMap { slots[Int($0)]?.region.stamp }
    }

    /// Returns the region of a number; nil when there is none.
    func region(of id: Int32) -> IndexedRegion? {
        slotOfID.value(KeyTable.key(id)).flatMap { slots[Int($0)]?.region }
    }

    /// Returns the shape under a number, unrolled; nil when there is none.
    func shape(of id: Int32) -> PreparedShape? {
        slotOfID.value(KeyTable.key(id)).flatMap { slots[Int($0)]?.shape }
    }

    /// Adds a region.
    ///
    /// - Precondition: it has no region of that number.
    mutating func put(_ region: IndexedRegion) {
        let prepared = PreparedShape(region.shape)
        let held = Slot(region: region, shape: prepared, isForMesh: region.shape.isForMesh)
        if held.isForMesh { meshCount += 1 }
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
            slots[Int(slot)] = held
        } else {
            slot = Int32(slots.count)
            slots.append(held)
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
        if held.isForMesh { meshCount -= 1 }
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

    /// Appends the regions that hold a place or whose boundary comes within a distance of it; each once, in no
    /// particular order.
    func append(nearby place: Coordinate, within radius: Metres, to result: inout [NearbyRegion]) {
        guard count > 0 else { return }
        var near: [Int32] = []
        for piece in Span(around: place, radiusMetres: radius.value).pieces {
            grid.forEachSlot(touching: piece) { near.append($0) }
        }
        near.sortAndRemoveRepeats(from: 0)
        for slot in near {
            guard let held = slots[Int(slot)] else { continue }
            let distance = held.shape.signedDistanceToBoundary(from: place).value
            if distance < -radius.value { continue }
            result.append(
                NearbyRegion(
                    id: held.region.id, signedDistanceMetres: distance > radius.value ? .infinity : distance))
        }
    }

    /// Calls the closure with the shape of each region whose box may come within a distance of a place; in no
    /// particular order, and with one maybe twice.
    func forEachShape(near place: Coordinate, within radius: Metres, _ body: (PreparedShape) -> Void) {
        for piece in Span(around: place, radiusMetres: radius.value).pieces {
            grid.forEachSlot(touching: piece) { slot in
                if let held = slots[Int(slot)] { body(held.shape) }
            }
        }
    }

    /// Calls the closure with the number and shape of each region whose box a segment may touch, in no particular
    /// order.
    func forEachRegion(touching path: PathSegment, _ body: (Int32, PreparedShape) -> Void) {
        let isAtPole = path.north == 90 || path.south == -90
        var near: [Int32] = []
        if isAtPole {
            // A pole has all longitudes.
            grid.forEachSlot(touching: Span(west: -180, east: 180, south: path.south, north: path.north)) {
                near.append($0)
            }
        } else if let turns = path.turns(into: -180, 180) {
            for turn in turns {
                let turned = path.turned(by: turn)
                let box = Span(
                    west: max(-180, turned.west), east: min(180, turned.east), south: path.south, north: path.north)
                if box.west > box.east { continue }
                grid.forEachSlot(touching: box) { near.append($0) }
            }
        }
        near.sortAndRemoveRepeats(from: 0)
        for slot in near {
            if let held = slots[Int(slot)] { body(held.region.id, held.shape) }
        }
    }
}
