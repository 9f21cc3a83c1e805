/// Boxes in grids of halving cells. A level L has 2^L × 2^(L−1) square cells of 360/2^L degrees.
struct LevelGrid: Sendable {
    /// A box in one cell, and the next in the same cell.
    private struct Entry: Sendable {
        var span: Span
        var slot: Int32
        var next: Int32
    }

    /// The finest cells: 360/2^20 degrees, 38 m.
    private static let finest = 20
    private static let none: Int32 = -1

    private var heads = KeyTable()
    private var entries: [Entry] = []
    private var firstFree = LevelGrid.none
    /// How many entries each level has.
    private var population = [Int](repeating: 0, count: LevelGrid.finest + 1)

    /// Adds a box that lies between −180 and 180.
    mutating func insert(_ span: Span, _ slot: Int32) {
        let level = Self.level(of: span)
        let cells = Cells(span, level)
        for row in cells.rows {
            for column in cells.columns { insert(span, slot, level, Self.key(level, column, row)) }
        }
    }

    /// Removes a box that was added for a slot.
    mutating func remove(_ span: Span, _ slot: Int32) {
        let level = Self.level(of: span)
        let cells = Cells(span, level)
        for row in cells.rows {
            for column in cells.columns { remove(slot, level, Self.key(level, column, row)) }
        }
    }

    /// Calls the closure with the slot of every box that holds a place. A slot with several boxes may come twice.
    @inline(__always)
    func forEachSlot(at place: Coordinate, _ body: (Int32) -> Void) {
        let latitude = place.latitude
        // The longitude 180 counts as −180.
        let longitude = place.longitude == 180 ? -180 : place.longitude
        for level in 0...Self.finest where population[level] != 0 {
            let key = Self.key(level, Cells.column(longitude, level), Cells.row(latitude, level))
            guard var at = heads.value(key) else { continue }
            while at != Self.none {
                let entry = entries[Int(at)]
                if entry.span.west <= longitude && longitude <= entry.span.east
                    && entry.span.south <= latitude && latitude <= entry.span.north
                {
                    body(entry.slot)
                }
                at = entry.next
            }
        }
    }

    /// Calls the closure with the slot of every box that touches a box between −180 and 180. A slot may come several
    /// times.
    func forEachSlot(touching span: Span, _ body: (Int32) -> Void) {
        for level in 0...Self.finest where population[level] != 0 {
            let cells = Cells(span, level)
            if cells.columns.count * cells.rows.count > population[level] {
                forEachSlot(touching: span, onLevel: level, body)
                continue
            }
            for row in cells.rows {
                for column in cells.columns {
                    guard var at = heads.value(Self.key(level, column, row)) else { continue }
                    while at != Self.none {
                        let entry = entries[Int(at)]
                        if entry.span.touches(span) { body(entry.slot) }
                        at = entry.next
                    }
                }
            }
        }
    }

    /// Does the same by visiting all entries, for a level that has fewer of them than cells to visit.
    private func forEachSlot(touching span: Span, onLevel level: Int, _ body: (Int32) -> Void) {
        for entry in entries where entry.slot != Self.none && entry.span.touches(span) {
            if Self.level(of: entry.span) == level { body(entry.slot) }
        }
    }

    private mutating func insert(_ span: Span, _ slot: Int32, _ level: Int, _ key: UInt64) {
        let entry = Entry(span: span, slot: slot, next: heads.value(key) ?? Self.none)
        let at: Int32
        if firstFree == Self.none {
            at = Int32(entries.count)
            entries.append(entry)
        } else {
            at = firstFree
            firstFree = entries[Int(at)].next
            entries[Int(at)] = entry
        }
        heads.set(key, to: at)
        population[level] += 1
    }

    private mutating func remove(_ slot: Int32, _ level: Int, _ key: UInt64) {
        var before = Self.none
        var at = heads.value(key) ?? Self.none
        while at != Self.none && entries[Int(at)].slot != slot {
            before = at
            at = entries[Int(at)].next
        }
        guard at != Self.none else { return }
        let next = entries[Int(at)].next
        if before != Self.none {
            entries[Int(before)].next = next
        } else if next != Self.none {
            heads.set(key, to: next)
        } else {
            heads.remove(key)
        }
        entries[Int(at)].slot = Self.none
        entries[Int(at)].next = firstFree
        firstFree = at
        population[level] -= 1
    }

    /// The finest level whose cells are at least as large as a box.
    private static func level(of span: Span) -> Int {
        let extent = max(span.east - span.west, span.north - span.south)
        var level = 0
        var cell = 180.0
        while level < finest && cell >= extent {
            level += 1
            cell /= 2
        }
        return level
    }

    @inline(__always)
    private static func key(_ level: Int, _ column: Int, _ row: Int) -> UInt64 {
        UInt64(level) << 48 | UInt64(column) << 24 | UInt64(row)
    }
}

/// The cells of a level that a box touches.
private struct Cells {
    let columns: ClosedRange<Int>
    let rows: ClosedRange<Int>

    init(_ span: Span, _ level: Int) {
        columns = Self.column(span.west, level)...Self.column(span.east, level)
        rows = Self.row(span.south, level)...Self.row(span.north, level)
    }

    @inline(__always)
    static func column(_ longitude: Double, _ level: Int) -> Int {
        Int((longitude + 180) * (Double(1 << level) / 360))
    }

    @inline(__always)
    static func row(_ latitude: Double, _ level: Int) -> Int {
        Int((latitude + 90) * (Double(1 << level) / 360))
    }
}

extension Span {
    /// Whether two boxes have a point in common.
    @inline(__always)
    func touches(_ other: Span) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }
}
