/// A grid of equal cells in degrees: the root of a mesh, or the division of a cell.
struct CellGrid: BitwiseCopyable, Sendable {
    /// The lower left corner.
    var west: Double
    var south: Double
    /// The size of a cell.
    var width: Double
    var height: Double
    var columns: Int
    var rows: Int

    /// The cell in a column and a row.
    @inline(__always)
    func cell(_ column: Int, _ row: Int) -> MeshCell {
        MeshCell(
            west: west + Double(column) * width, south: south + Double(row) * height, width: width, height: height,
            perWidth: 1 / width, perHeight: 1 / height, cornerX: cornerX(column), cornerY: cornerY(row))
    }

    /// The longitude of the corners of a column's cells.
    @inline(__always)
    func cornerX(_ column: Int) -> Double {
        west + Double(column) * width - LeafUnits.cornerMargin * width
    }

    /// The latitude of the corners of a row's cells.
    @inline(__always)
    func cornerY(_ row: Int) -> Double {
        south + Double(row) * height - LeafUnits.cornerMargin * height
    }

    /// The columns that a stretch of longitudes may touch; empty when it is beside the grid.
    func columns(from low: Double, to high: Double) -> Range<Int> {
        Self.cells(from: (low - west) / width, to: (high - west) / width, count: columns)
    }

    /// The rows that a stretch of latitudes may touch; empty when it is beside the grid.
    func rows(from low: Double, to high: Double) -> Range<Int> {
        Self.cells(from: (low - south) / height, to: (high - south) / height, count: rows)
    }

    private static func cells(from low: Double, to high: Double, count: Int) -> Range<Int> {
        // More than the margin of what is listed in a cell.
        let margin = 1e-5
        guard high + margin >= 0, low - margin < Double(count) else { return 0..<0 }
        let first = max(0, floor(low - margin))
        return first..<max(first, min(count, floor(min(high, Double(count)) + margin) + 1))
    }

    /// The grid of 2^levels × 2^levels cells in one of its cells.
    func subgrid(_ cell: MeshCell, levels: Int) -> CellGrid {
        let count = 1 << levels
        return CellGrid(
            west: cell.west, south: cell.south, width: cell.width / Double(count),
            height: cell.height / Double(count), columns: count, rows: count)
    }
}

/// One cell in degrees, and its corner: the point near its lower left end whose parities a leaf stores.
struct MeshCell: BitwiseCopyable {
    var west: Double
    var south: Double
    var width: Double
    var height: Double
    /// Cells a degree.
    var perWidth: Double
    var perHeight: Double
    var cornerX: Double
    var cornerY: Double
}

/// The greatest whole number not above another, for numbers below 2⁵¹; without a call of the C library.
@inline(__always)
func floor(_ value: Double) -> Int {
    // Added to so large a number, one is rounded to a whole number, and that is in its lowest bits. Which way it was
    // rounded cannot be foreseen, so no branch asks: the sign bit of what is lost becomes 0 or −1.
    let large = 0x1.8p52
    let sum = value + large
    let nearest = Int64(bitPattern: sum.bitPattern) &- Int64(bitPattern: large.bitPattern)
    let lost = value - (sum - large)
    return Int(truncatingIfNeeded: nearest &+ (Int64(bitPattern: lost.bitPattern) >> 63))
}
