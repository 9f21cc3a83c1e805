/// A position whose longitude continues beyond the antimeridian.
struct UnrolledPoint {
    var longitude: TurnedLongitude
    var latitude: Double

    /// Whether two positions are the same, exactly.
    func equals(_ other: UnrolledPoint) -> Bool {
        latitude == other.latitude && longitude.compared(with: other.longitude) == 0
    }

    /// Compares by latitude and then longitude, exactly: −1, 0 or 1. Along any line this is the order of its points.
    func compared(with other: UnrolledPoint) -> Int {
        if latitude != other.latitude { return latitude < other.latitude ? -1 : 1 }
        return longitude.compared(with: other.longitude)
    }

    /// Returns the same position `turns` turns further east.
    func turned(by turns: Int) -> UnrolledPoint {
        UnrolledPoint(
            longitude: TurnedLongitude(degrees: longitude.degrees, turns: longitude.turns + turns), latitude: latitude)
    }

    /// The position as a pair of numbers between −180 and 180.
    var raw: RawVertex { RawVertex(longitude: longitude.degrees, latitude: latitude) }
}

/// Returns the side of the line from a to b on which the point p lies: > 0 left, < 0 right, 0 exactly on it. The sign
/// is exact.
@inline(__always)
func orientation(_ a: UnrolledPoint, _ b: UnrolledPoint, _ p: UnrolledPoint) -> Int {
    orientation(a.longitude, a.latitude, b.longitude, b.latitude, p.longitude, p.latitude)
}

/// Whether b and c lie in the same direction from a, or one of them is at a. Exact, for three points on one line.
func isSameDirection(_ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint) -> Bool {
    b.compared(with: a) == c.compared(with: a)
}

/// The points that two segments have in common.
enum SegmentContact {
    case none
    /// The segments cross in a point inside both.
    case crossing
    /// The segments have one point in common, which is an end of at least one of them.
    case touch(UnrolledPoint)
    /// The segments lie on one line and share a piece of it; the flag says whether they run in the same direction.
    case overlap(UnrolledPoint, isSameDirection: Bool)

    /// Finds the points that the segments a–b and c–d have in common, exactly. Neither may have length 0.
    init(_ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint, _ d: UnrolledPoint) {
        let sideC = orientation(a, b, c)
        let sideD = orientation(a, b, d)
        if sideC == 0 && sideD == 0 {
            self = Self.onOneLine(a, b, c, d)
            return
        }
        if sideC * sideD > 0 {
            self = .none
            return
        }
        let sideA = orientation(c, d, a)
        let sideB = orientation(c, d, b)
        if sideA * sideB > 0 {
            self = .none
        } else if sideC == 0 {
            self = .touch(c)
        } else if sideD == 0 {
            self = .touch(d)
        } else if sideA == 0 {
            self = .touch(a)
        } else if sideB == 0 {
            self = .touch(b)
        } else {
            self = .crossing
        }
    }

    private static func onOneLine(
        _ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint, _ d: UnrolledPoint
    ) -> SegmentContact {
        let forward = a.compared(with: b) < 0
        let otherForward = c.compared(with: d) < 0
        let (low, high) = forward ? (a, b) : (b, a)
        let (otherLow, otherHigh) = otherForward ? (c, d) : (d, c)
        let start = low.compared(with: otherLow) < 0 ? otherLow : low
        let end = high.compared(with: otherHigh) < 0 ? high : otherHigh
        let order = start.compared(with: end)
        if order > 0 { return .none }
        return order == 0 ? .touch(start) : .overlap(start, isSameDirection: forward == otherForward)
    }

    /// Returns the rounded point where two segments cross.
    static func crossingPoint(
        _ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint, _ d: UnrolledPoint
    ) -> RawVertex {
        let (ax, bx) = (a.longitude.rounded, b.longitude.rounded)
        let (cx, dx) = (c.longitude.rounded, d.longitude.rounded)
        let (ux, uy) = (bx - ax, b.latitude - a.latitude)
        let (vx, vy) = (dx - cx, d.latitude - c.latitude)
        let determinant = ux * vy - uy * vx
        let share = determinant == 0 ? 0 : ((cx - ax) * vy - (c.latitude - a.latitude) * vx) / determinant
        let fraction = max(0, min(1, share))
        let longitude = ax + fraction * ux
        return RawVertex(
            longitude: abs(longitude) <= 180 ? longitude : longitude.remainder(dividingBy: 360),
            latitude: a.latitude + fraction * uy)
    }
}
