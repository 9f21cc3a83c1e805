// `ClippedEdge`: an edge of a region cut to a leaf and rounded to 16 bits, for the fast test.

/// The units in which a leaf measures its cell: 16-bit numbers, with some room beside the cell.
enum LeafUnits {
    /// Units of a cell's side.
    static var perCell: Double { 63_488 }
    /// The cell's left and lower side.
    static var origin: Double { 1_024 }
    /// How far beside the cell edges are kept, as a share of its side: 24 units.
    static var margin: Double { 24 / perCell }
    /// The abscissa of an end that leaves through the left side, 24 units left of the cell.
    static var sentinel: Double { origin - 24 }
    /// Where other edges are clipped on the left, so that they never read as the sentinel.
    static var leftLimit: Double { -22 / perCell }
    /// How far the corner, whose parities a leaf stores, lies outside the cell, as a share of its side.
    static var cornerMargin: Double { 1e-6 }
    /// How far outside the cell edges are still listed; more than the corner's margin.
    static var listingMargin: Double { 4e-6 }
    /// How near to an edge, in units, a point must be to be in doubt: rounding to units loses half a unit.
    static var doubt: Float { 0.75 }
}

/// An edge cut to a cell, in leaf units, the lower end first.
///
/// The parity of a point is counted along a path from the cell's lower left corner C up the left side and then
/// eastwards. An edge that crosses the left side above C is stored as one clipped edge: its end beyond the left side is
/// moved along the edge to exactly the sentinel's abscissa, and there its interval of latitudes does not end. So a
/// single test, "within the interval and right of the edge", counts its crossings with both legs of the path. Where the
/// edge goes right as it goes up, the test counts the opposite, and the parity of the corner is flipped instead.
struct ClippedEdge: BitwiseCopyable {
    /// The words of a block: the lower end's number in the lower half.
    let latitudes: UInt32
    let longitudes: UInt32

    /// The filler of a block: an edge that counts for no point and leaves none in doubt.
    static var nothing: ClippedEdge { ClippedEdge(latitudes: 0, longitudes: 0) }

    private init(latitudes: UInt32, longitudes: UInt32) {
        self.latitudes = latitudes
        self.longitudes = longitudes
    }

    /// Converts two shares of the cell's side to leaf units.
    @inline(__always)
    fileprivate init(low: Double, high: Double, lowLongitude: Double, highLongitude: Double) {
        latitudes = Self.units(low) | Self.units(high) << 16
        longitudes = Self.units(lowLongitude) | Self.units(highLongitude) << 16
    }

    /// Converts the same shares, with the longitudes clamped between two others, which are within the margins.
    ///
    /// It compares whole numbers, because for doubles the compiler makes branches, which a processor often mispredicts.
    @inline(__always)
    fileprivate init(
        low: Double, high: Double, lowLongitude: Double, highLongitude: Double, from west: Double, to east: Double
    ) {
        let (least, most) = (Self.wideUnits(west), Self.wideUnits(east))
        latitudes = Self.units(low) | Self.units(high) << 16
        longitudes =
            UInt32(truncatingIfNeeded: max(least, min(most, Self.wideUnits(lowLongitude))))
            | UInt32(truncatingIfNeeded: max(least, min(most, Self.wideUnits(highLongitude)))) << 16
    }

    /// Converts a share of the cell's side that is within the margins to leaf units.
    @inline(__always)
    private static func units(_ share: Double) -> UInt32 { UInt32(truncatingIfNeeded: wideUnits(share)) & 0xFFFF }

    /// Converts a share of the cell's side to leaf units.
    @inline(__always)
    private static func wideUnits(_ share: Double) -> Int64 {
        // Added to so large a number, one is rounded to a whole number, and that is in its lowest bits.
        let large = 0x1.8p52
        let scaled = share * LeafUnits.perCell + (LeafUnits.origin + large)
        return Int64(bitPattern: scaled.bitPattern) &- Int64(bitPattern: large.bitPattern)
    }
}

/// An edge's part in a cell.
///
/// It is computed without branches wherever the next edge may decide otherwise: a mispredicted branch costs as much as
/// the rest.
struct EdgeCut {
    /// Meaningless unless the edge counts.
    let clipped: ClippedEdge
    /// Whether it counts for a point of the cell.
    let counts: Bool
    /// Whether the parity of the cell's corner is flipped because of it.
    let flipsCorner: Bool

    /// Cuts an edge that comes near a cell.
    ///
    /// - Parameter edge: two vertices, longitude first.
    @inline(__always)
    init(_ edge: UnsafePointer<Double>, in cell: MeshCell) {
        let a = (u: (edge[0] - cell.west) * cell.perWidth, v: (edge[1] - cell.south) * cell.perHeight)
        let b = (u: (edge[2] - cell.west) * cell.perWidth, v: (edge[3] - cell.south) * cell.perHeight)
        if min(min(a.u, b.u), min(a.v, b.v)) >= 0 && max(max(a.u, b.u), max(a.v, b.v)) <= 1 {
            // It lies in the cell whole. A level edge runs westwards, as where it is clipped.
            let rises = a.v < b.v || (a.v == b.v && a.u > b.u)
            clipped = ClippedEdge(
                low: rises ? a.v : b.v, high: rises ? b.v : a.v, lowLongitude: rises ? a.u : b.u,
                highLongitude: rises ? b.u : a.u)
            (counts, flipsCorner) = (true, false)
            return
        }
        let goesEast = edge[0] < edge[2]
        let line = Line(west: goesEast ? a : b, east: goesEast ? b : a)
        let meetsLeft = (edge[0] > cell.cornerX) != (edge[2] > cell.cornerX)
        let isRight = (edge[0] > cell.cornerX) || (edge[2] > cell.cornerX)
        // The corner is left of the edge and the edge goes east: then it is above.
        let isAboveCorner = (isLeft(of: edge, cell.cornerX, cell.cornerY) != goesEast) && meetsLeft
        let cut = Cut(line, isAboveCorner: isAboveCorner)
        clipped = cut.clipped
        // Below the corner and falling eastwards it is below all of the cell.
        let isBelow = meetsLeft && !isAboveCorner && !line.rises
        // Above the corner and rising from above the cell it is above all of it.
        let flips = isAboveCorner && line.rises
        counts = isRight && !isBelow && cut.isInReach && !(flips && cut.low > 1)
        flipsCorner = counts && flips
    }

    /// An edge in shares of the cell.
    private struct Line {
        let west: (u: Double, v: Double)
        let east: (u: Double, v: Double)
        /// How far it goes up for each share eastwards; 0 where it is upright.
        let rise: Double
        /// How far it goes east for each share upwards; 0 where it is level.
        let run: Double
        /// Whether it goes up eastwards; where it is upright, whether it counts as if it did.
        let rises: Bool

        @inline(__always)
        init(west: (u: Double, v: Double), east: (u: Double, v: Double)) {
            self.west = west
            self.east = east
            let (du, dv) = (east.u - west.u, east.v - west.v)
            rise = du == 0 ? 0 : dv / du
            run = dv == 0 ? 0 : du / dv
            rises = dv > 0
        }
    }

    /// The part of an edge that lies between the cell's margins.
    private struct Cut {
        let clipped: ClippedEdge
        /// The latitude of the lower end, before it was cut below.
        let low: Double
        /// Whether anything is left.
        let isInReach: Bool

        /// - Parameter isAboveCorner: whether it begins at the sentinel's abscissa, also where it ends before.
        @inline(__always)
        init(_ line: Line, isAboveCorner: Bool) {
            let margin = LeafUnits.margin
            let west = min(max(line.west.u, LeafUnits.leftLimit), isAboveCorner ? -margin : .infinity)
            let east = min(line.east.u, 1 + margin)
            let atWest = line.west.v + (west - line.west.u) * line.rise
            let atEast = line.east.v + (east - line.east.u) * line.rise
            let low = line.rises ? atWest : atEast
            let high = line.rises ? atEast : atWest
            let lowEnd = line.rises ? west : east
            let highEnd = line.rises ? east : west
            let bottom = max(low, -margin)
            let top = min(high, 1 + margin)
            let lowLongitude = lowEnd + (bottom - low) * line.run
            let highLongitude = highEnd + (top - high) * line.run
            clipped = ClippedEdge(
                low: bottom, high: top, lowLongitude: lowLongitude, highLongitude: highLongitude, from: west, to: east)
            self.low = low
            isInReach = low <= 1 + margin && high >= -margin && bottom <= top && west <= 1 + margin
        }
    }
}

/// Whether a point lies left of an edge. Exact; a point on the line counts as moved a hair north and much more, but
/// still a hair, east.
@inline(__always)
func isLeft(of edge: UnsafePointer<Double>, _ x: Double, _ y: Double) -> Bool {
    let side = orientation(edge[0], edge[1], edge[2], edge[3], x, y)
    if side != 0 { return side > 0 }
    let dy = edge[3] - edge[1]
    return dy != 0 ? dy < 0 : edge[2] > edge[0]
}

/// Whether a point lies on an edge, its ends included. Exact.
@inline(__always)
func isOn(_ edge: UnsafePointer<Double>, _ x: Double, _ y: Double) -> Bool {
    if x < min(edge[0], edge[2]) || x > max(edge[0], edge[2]) { return false }
    if y < min(edge[1], edge[3]) || y > max(edge[1], edge[3]) { return false }
    return orientation(edge[0], edge[1], edge[2], edge[3], x, y) == 0
}
