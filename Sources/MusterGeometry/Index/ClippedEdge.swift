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
    /// How far the corner that parities are told for lies outside the cell, as a share of its side.
    static var cornerMargin: Double { 1e-6 }
    /// How far outside the cell edges are still listed; more than the corner's margin.
    static var listingMargin: Double { 4e-6 }
    /// How near in units an edge must be to leave the answer open: half a unit is lost by rounding to units.
    static var doubt: Float { 0.75 }
}

/// An edge cut to a cell, in leaf units, the lower end first.
///
/// The parity of a point is told along a path from the cell's lower left corner C up the left side and then eastwards.
/// An edge that crosses the left side above C is kept as one clipped edge: its end beyond the left side is moved along
/// the edge to exactly the sentinel's abscissa, and there its interval of latitudes does not end. So a single test,
/// "within the interval and right of the edge", counts its crossings with both legs of the path. Where the edge goes
/// right as it goes up, what is counted is the opposite, and the parity of the corner is flipped instead.
struct ClippedEdge: BitwiseCopyable {
    var lowLatitude: UInt16
    var highLatitude: UInt16
    var lowLongitude: UInt16
    var highLongitude: UInt16

    /// The words of a block.
    var latitudes: UInt32 { UInt32(lowLatitude) | UInt32(highLatitude) << 16 }
    var longitudes: UInt32 { UInt32(lowLongitude) | UInt32(highLongitude) << 16 }

    /// The edge that begins at a vertex, in a cell.
    ///
    /// - Parameters:
    ///   - edge: two vertices, longitude first.
    ///   - parity: the corner's; flipped where the clipped edge asks for it.
    /// - Returns: nothing when the edge counts for no point of the cell, or for all (then the parity is flipped).
    @inline(__always)
    init?(_ edge: UnsafePointer<Double>, in cell: MeshCell, parity: inout Bool) {
        var au = (edge[0] - cell.west) * cell.perWidth
        var av = (edge[1] - cell.south) * cell.perHeight
        var bu = (edge[2] - cell.west) * cell.perWidth
        var bv = (edge[3] - cell.south) * cell.perHeight
        if au >= 0 && au <= 1 && av >= 0 && av <= 1 && bu >= 0 && bu <= 1 && bv >= 0 && bv <= 1 {
            // It lies in the cell whole. A level edge runs westwards, as where it is clipped.
            if av > bv || (av == bv && au < bu) {
                swap(&au, &bu)
                swap(&av, &bv)
            }
            (lowLatitude, highLatitude) = (Self.units(av), Self.units(bv))
            (lowLongitude, highLongitude) = (Self.units(au), Self.units(bu))
            return
        }
        let meetsLeft = (edge[0] > cell.cornerX) != (edge[2] > cell.cornerX)
        if !meetsLeft && edge[0] <= cell.cornerX { return nil }
        // The corner is left of the edge and the edge goes east: then it is above.
        let isAboveCorner =
            meetsLeft && isLeft(of: edge, cell.cornerX, cell.cornerY) != (edge[2] > edge[0])
        if av > bv {
            swap(&au, &bu)
            swap(&av, &bv)
        }
        let (du, dv) = (bu - au, bv - av)
        if meetsLeft && !isAboveCorner && (du < 0 || dv == 0) { return nil }
        let goesRight = dv > 0 && du >= 0
        var line = Line(u: au, v: av, du: du, dv: dv, low: av, high: bv)
        line.clip(to: isAboveCorner ? -LeafUnits.margin : LeafUnits.leftLimit, extends: isAboveCorner)
        guard line.low <= 1 + LeafUnits.margin, line.high >= -LeafUnits.margin else { return nil }
        let bottom = max(line.low, -LeafUnits.margin)
        let top = min(line.high, 1 + LeafUnits.margin)
        guard bottom <= top else { return nil }
        let least = isAboveCorner ? LeafUnits.sentinel : LeafUnits.sentinel + 1
        lowLatitude = Self.units(bottom, atLeast: LeafUnits.sentinel)
        highLatitude = Self.units(top, atLeast: LeafUnits.sentinel)
        lowLongitude = Self.units(dv > 0 ? line.longitude(at: bottom) : max(au, bu), atLeast: least)
        highLongitude = Self.units(dv > 0 ? line.longitude(at: top) : min(au, bu), atLeast: least)
        guard isAboveCorner else { return }
        if goesRight {
            if line.low > 1 { return nil }
            parity.toggle()
            if line.low >= -LeafUnits.margin { lowLongitude = UInt16(LeafUnits.sentinel) }
        } else if line.high <= 1 + LeafUnits.margin {
            highLongitude = UInt16(LeafUnits.sentinel)
        }
    }

    /// A share from 0 to 1 in units.
    @inline(__always)
    private static func units(_ share: Double) -> UInt16 {
        UInt16(truncatingIfNeeded: Int32(share * LeafUnits.perCell + (LeafUnits.origin + 0.5)))
    }

    @inline(__always)
    private static func units(_ share: Double, atLeast least: Double) -> UInt16 {
        let scaled = share * LeafUnits.perCell + (LeafUnits.origin + 0.5)
        return UInt16(max(least, min(LeafUnits.origin + (1 + LeafUnits.margin) * LeafUnits.perCell, scaled)))
    }

    /// The edge in shares of the cell, rising from (u, v), and the latitudes between which it is kept.
    private struct Line {
        var u: Double
        var v: Double
        var du: Double
        var dv: Double
        var low: Double
        var high: Double

        /// Keeps what is right of a limit and left of the cell's right margin, or makes it begin at the limit.
        @inline(__always)
        mutating func clip(to left: Double, extends: Bool) {
            guard dv > 0 else { return }
            let rise = dv / du
            if extends || min(u, u + du) < left {
                // Where the edge is upright this is infinite, on the side that leaves all of it.
                let crossing = v + (left - u) * rise
                if du >= 0 {
                    low = extends ? crossing : max(low, crossing)
                } else {
                    high = extends ? crossing : min(high, crossing)
                }
            }
            let right = 1 + LeafUnits.margin
            if max(u, u + du) > right {
                let crossing = v + (right - u) * rise
                if du > 0 { high = min(high, crossing) } else { low = max(low, crossing) }
            }
        }

        @inline(__always)
        func longitude(at latitude: Double) -> Double {
            let most = max(u, u + du)
            return min(most, max(min(u, u + du, LeafUnits.leftLimit), u + (latitude - v) / dv * du))
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
