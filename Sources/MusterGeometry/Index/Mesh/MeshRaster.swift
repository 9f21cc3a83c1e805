// `MeshRaster`: finds the cells of a grid that each edge crosses, and the corners that lie inside.

/// One outline's part in a cell: the edges in the cell, and whether the cell's corner is inside.
///
/// Without edges: the whole cell is inside where the corner is; else it is the rim of a circle.
struct CellPart: BitwiseCopyable {
    var outline: UInt32
    /// The first of its edges: where they follow each other its first vertex, else its place in the builder's list.
    let firstEdge: UInt32
    private let code: UInt32

    init(outline: UInt32, firstEdge: Int, edgeCount: Int, isRun: Bool, parity: Bool) {
        self.outline = outline
        self.firstEdge = UInt32(truncatingIfNeeded: firstEdge)
        code = UInt32(edgeCount) << 2 | (isRun ? 2 : 0) | (parity ? 1 : 0)
    }

    static func whole(_ outline: UInt32) -> CellPart {
        CellPart(outline: outline, firstEdge: 0, edgeCount: 0, isRun: false, parity: true)
    }

    static func rim(_ outline: UInt32) -> CellPart {
        CellPart(outline: outline, firstEdge: 0, edgeCount: 0, isRun: false, parity: false)
    }

    var edgeCount: Int { Int(code >> 2) }
    /// Whether its edges follow each other, as they nearly always do: then they are in no list.
    var isRun: Bool { code & 2 != 0 }
    var parity: Bool { code & 1 != 0 }
    var isWhole: Bool { code == 1 }
    var isRim: Bool { code == 0 }

    /// The first vertex of one of its edges.
    @inline(__always)
    func edge(_ index: Int, in list: borrowing Pile<UInt32>) -> UInt32 {
        isRun ? firstEdge &+ UInt32(truncatingIfNeeded: index) : list.base[Int(firstEdge) &+ index]
    }
}

/// Finds in which cells of a grid each edge of an outline lies, and which corners are inside it.
///
/// Edges are listed with a margin, so that a cell has all edges that come near it; corners are decided exactly.
struct MeshRaster: ~Copyable {
    /// The edges to look at, each by its first vertex.
    var edges = Pile<UInt32>()
    /// The parts found, ordered by outline in the order of the requests. `cells` has the cell of each part.
    private(set) var parts: Pile<CellPart>
    private(set) var cells: Pile<UInt32>
    /// How often an edge was found in a cell.
    private(set) var references = 0
    /// Scratch of one outline: an edge and the cell it is in; how many edges a cell has; between which columns of a
    /// row the parity of the corners changes.
    private var pairs = Pile<UInt64>()
    private var counts = Pile<UInt32>()
    private var changes = Pile<UInt8>()

    /// A raster for a mesh of so many edges.
    init(edgeCount: Int) {
        parts = Pile(capacity: edgeCount)
        cells = Pile(capacity: edgeCount)
    }

    /// The corner from which parities are counted, in degrees, and the parity there.
    struct Reference {
        var x: Double
        var y: Double
        var parity: Bool
    }

    /// The cells of a grid to visit.
    struct Window {
        var grid: CellGrid
        var columns: Range<Int>
        var rows: Range<Int>
    }

    mutating func forgetParts() {
        parts.truncate(to: 0)
        cells.truncate(to: 0)
        references = 0
    }

    /// Adds a part to a cell as it is.
    @inline(__always)
    mutating func append(_ part: CellPart, cell: Int) {
        parts.append(part)
        cells.append(UInt32(cell))
    }

    /// Finds the parts of one outline and appends their edges to a list.
    mutating func add(
        outline: UInt32, vertices: UnsafePointer<Double>, from reference: Reference, over window: Window,
        edgesTo list: inout Pile<UInt32>
    ) {
        let width = window.columns.count
        let height = window.rows.count
        guard width > 0 && height > 0 else { return }
        pairs.truncate(to: 0)
        counts.reset(to: 0, count: width * height)
        changes.reset(to: 0, count: (width + 1) * height)
        let frame = RasterFrame(window, reference)
        for index in 0..<edges.count {
            let edge = edges.base[index]
            let ends = vertices + 2 * Int(edge)
            let local = frame.local(ends)
            if let cell = frame.onlyCell(local) {
                pairs.append(UInt64(cell) << 32 | UInt64(edge))
                counts.base[cell] += 1
            } else {
                listCells(of: edge, local, frame)
                frame.markChanges(ends, local, changes.base)
            }
        }
        gather(outline, window, reference.parity, &list)
    }

    /// Lists an edge in every cell that it comes near.
    private mutating func listCells(of edge: UInt32, _ local: LocalEdge, _ frame: RasterFrame) {
        let margin = LeafUnits.listingMargin
        let (low, high) = (min(local.av, local.bv), max(local.av, local.bv))
        let (west, east) = (min(local.au, local.bu), max(local.au, local.bu))
        let (columns, rows) = (Double(frame.columns), Double(frame.rows))
        guard high >= -margin, low <= rows + margin, east >= -margin, west <= columns + margin else { return }
        let first = max(0, floor(max(low, -1) - margin))
        let last = min(frame.rows - 1, floor(min(high, rows) + margin))
        guard first <= last else { return }
        for row in first...last {
            var (left, right) = (west, east)
            if high - low > 1e-9 && last > first {
                let bottom = max(low, Double(row) - margin)
                let top = min(high, Double(row) + 1 + margin)
                let one = local.au + (bottom - local.av) * local.slope
                let other = local.au + (top - local.av) * local.slope
                left = max(left, min(one, other))
                right = min(right, max(one, other))
            }
            let from = max(0, floor(max(left, -1) - 2 * margin))
            let to = min(frame.columns - 1, floor(min(right, columns) + 2 * margin))
            guard from <= to else { continue }
            for column in from...to {
                let cell = row * frame.columns + column
                pairs.append(UInt64(cell) << 32 | UInt64(edge))
                counts.base[cell] += 1
            }
        }
    }

    /// Orders the pairs by cell and appends a part for every cell that has edges or is inside; edges that do not follow
    /// each other go to the list.
    private mutating func gather(
        _ outline: UInt32, _ window: Window, _ parity: Bool, _ list: inout Pile<UInt32>
    ) {
        let start = list.count
        let target = list.extend(by: pairs.count)
        var sum: UInt32 = 0
        for cell in 0..<counts.count {
            let count = counts.base[cell]
            counts.base[cell] = sum
            sum += count
        }
        for index in 0..<pairs.count {
            let pair = pairs.base[index]
            let cell = Int(pair >> 32)
            target[Int(counts.base[cell])] = UInt32(truncatingIfNeeded: pair)
            counts.base[cell] += 1
        }
        references += pairs.count
        let width = window.columns.count
        var previous = 0
        var kept = 0
        var at = 0
        for row in window.rows {
            var isInside = parity
            let change = changes.base + (row - window.rows.lowerBound) * (width + 1)
            for column in 0..<width {
                if change[column] != 0 { isInside.toggle() }
                let end = Int(counts.base[at])
                at += 1
                guard end > previous || isInside else { continue }
                let count = end - previous
                let isRun = count > 0 && target[end - 1] == target[previous] + UInt32(count - 1)
                let first = isRun ? Int(target[previous]) : start + kept
                if !isRun && count > 0 {
                    if kept != previous { (target + kept).update(from: target + previous, count: count) }
                    kept += count
                }
                append(
                    CellPart(outline: outline, firstEdge: first, edgeCount: count, isRun: isRun, parity: isInside),
                    cell: row * window.grid.columns + window.columns.lowerBound + column)
                previous = end
            }
        }
        list.truncate(to: start + kept)
    }
}

/// An edge in cells of a window.
struct LocalEdge {
    var au: Double
    var av: Double
    var bu: Double
    var bv: Double

    /// Columns a row.
    var slope: Double { av != bv ? (bu - au) / (bv - av) : 0 }
}

/// A window of a grid and the corner from which parities are counted.
struct RasterFrame {
    let columns: Int
    let rows: Int
    private let window: MeshRaster.Window
    private let reference: MeshRaster.Reference
    private let west: Double
    private let south: Double
    private let perWidth: Double
    private let perHeight: Double
    /// More than the margins of corners and of listing.
    private static var safety: Double { 1e-5 }

    init(_ window: MeshRaster.Window, _ reference: MeshRaster.Reference) {
        self.window = window
        self.reference = reference
        columns = window.columns.count
        rows = window.rows.count
        west = window.grid.west + Double(window.columns.lowerBound) * window.grid.width
        south = window.grid.south + Double(window.rows.lowerBound) * window.grid.height
        perWidth = 1 / window.grid.width
        perHeight = 1 / window.grid.height
    }

    @inline(__always)
    func local(_ ends: UnsafePointer<Double>) -> LocalEdge {
        LocalEdge(
            au: (ends[0] - west) * perWidth, av: (ends[1] - south) * perHeight, bu: (ends[2] - west) * perWidth,
            bv: (ends[3] - south) * perHeight)
    }

    /// The cell in which an edge lies whole, well off its sides: most edges, where cells are large.
    @inline(__always)
    func onlyCell(_ edge: LocalEdge) -> Int? {
        let low = Self.safety
        let high = 1 - Self.safety
        guard edge.au >= 0, edge.av >= 0, edge.au < Double(columns), edge.av < Double(rows) else { return nil }
        let column = Int(edge.au)
        let row = Int(edge.av)
        let (x, y) = (Double(column), Double(row))
        let (ax, ay, bx, by) = (edge.au - x, edge.av - y, edge.bu - x, edge.bv - y)
        guard ax >= low, ax <= high, bx >= low, bx <= high, ay >= low, ay <= high, by >= low, by <= high else {
            return nil
        }
        return row * columns + column
    }

    /// Marks between which columns an edge changes the parity of the corners, along the path from the reference up and
    /// then eastwards.
    func markChanges(_ ends: UnsafePointer<Double>, _ local: LocalEdge, _ changes: UnsafeMutablePointer<UInt8>) {
        let stride = columns + 1
        if (ends[0] > reference.x) != (ends[2] > reference.x) {
            let side = isLeft(of: ends, reference.x, reference.y)
            for row in 0..<rows where isLeft(of: ends, reference.x, cornerY(row)) != side {
                changes[row * stride] ^= 1
            }
        }
        let (low, high) = (min(local.av, local.bv), max(local.av, local.bv))
        let margin = LeafUnits.listingMargin
        guard high >= -1, low <= Double(rows) + 1 else { return }
        let first = max(0, floor(max(low, -1) - margin))
        let last = min(rows - 1, floor(min(high, Double(rows) + 1) + 2 * margin) + 1)
        guard first <= last else { return }
        let isEast = min(ends[0], ends[2]) > reference.x
        let slope = local.slope
        // Far more than is lost in cells, and that many times more the flatter the edge is.
        let doubt = Self.safety * (1 + abs(slope))
        for row in first...last {
            let y = cornerY(row)
            if (ends[1] > y) == (ends[3] > y) { continue }
            let isUpwards = ends[3] > ends[1]
            // An edge that goes up has on its left what is west of it: else the path begins east of the edge.
            if !isEast && isLeft(of: ends, reference.x, y) != isUpwards { continue }
            let u = local.au + (Double(row) - LeafUnits.cornerMargin - local.av) * slope
            let column = max(0, min(columns, floor(max(-1, min(u, Double(columns)))) + 1))
            changes[row * stride + (isCertain(u, doubt) ? column : exactColumn(ends, column, y, isUpwards))] ^= 1
        }
    }

    /// Whether it is certain between which corners of a row an edge passes.
    @inline(__always)
    private func isCertain(_ u: Double, _ doubt: Double) -> Bool {
        guard u > 0, u < Double(columns) else { return false }
        let share = u - Double(floor(u))
        return share > doubt && share < 1 - doubt
    }

    /// The first column of a row whose corner is not west of an edge.
    ///
    /// - Parameter guess: about where that is.
    @inline(never)
    private func exactColumn(_ ends: UnsafePointer<Double>, _ guess: Int, _ y: Double, _ side: Bool) -> Int {
        var column = guess
        while column > 0 && isLeft(of: ends, cornerX(column - 1), y) != side { column -= 1 }
        while column < columns && isLeft(of: ends, cornerX(column), y) == side { column += 1 }
        return column
    }

    @inline(__always)
    private func cornerX(_ column: Int) -> Double { window.grid.cornerX(window.columns.lowerBound + column) }
    @inline(__always)
    private func cornerY(_ row: Int) -> Double { window.grid.cornerY(window.rows.lowerBound + row) }
}
