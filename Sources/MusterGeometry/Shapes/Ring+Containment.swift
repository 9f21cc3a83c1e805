/// Point in polygon, exactly, for one ring, by ray casting.
extension Ring {
    /// Returns where a point lies in respect of the area that the ring bounds, exactly.
    ///
    /// It counts the edges that a ray to the east meets (even-odd rule), over every turn of the point that the unrolled
    /// ring reaches. `locatePole` decides for the poles themselves.
    func locate(longitude: Double, latitude: Double) -> Location {
        if pole == nil {
            if latitude < south || latitude > north { return .outside }
            if turns.isEmpty && abs(longitude) < 180 {
                if longitude < west || longitude > east { return .outside }
                return locatePlain(longitude, latitude)
            }
        }
        return locateTurned(longitude, latitude)
    }

    /// Whether a pole belongs to the ring's region: as a vertex, or because the ring goes round it.
    func locatePole(_ sought: Pole) -> Location {
        if (sought == .north ? north : south) == (sought == .north ? 90 : -90) { return .boundary }
        return pole == sought ? .inside : .outside
    }

    private func locatePlain(_ x: Double, _ y: Double) -> Location {
        longitudes.withUnsafeBufferPointer { xs in
            latitudes.withUnsafeBufferPointer { ys in
                var isInside = false
                for index in 1..<xs.count {
                    switch crossing(xs[index - 1], ys[index - 1], xs[index], ys[index], x, y) {
                    case .outside: continue
                    case .inside: isInside.toggle()
                    case .boundary: return .boundary
                    }
                }
                return isInside ? .inside : .outside
            }
        }
    }

    private func locateTurned(_ x: Double, _ y: Double) -> Location {
        var isInside = false
        if let pole {
            // The seam from the first vertex to the pole: of all turns of the point exactly one lies just west of it.
            isInside = pole == .north ? latitudes[0] <= y : y < latitudes[0]
        }
        let first = Int(((west - x) / 360).rounded(.up))
        let last = Int(((east - x) / 360).rounded(.down))
        guard first <= last else { return isInside ? .inside : .outside }
        for turn in first...last {
            let point = TurnedLongitude(degrees: x, turns: turn)
            for index in 1..<longitudes.count {
                switch turnedCrossing(index, point, y) {
                case .outside: continue
                case .inside: isInside.toggle()
                case .boundary: return .boundary
                }
            }
        }
        return isInside ? .inside : .outside
    }

    /// Whether a ray to the east of the point crosses the edge that ends at `index`: `.inside` for yes, `.boundary`
    /// when the point is on the edge.
    private func turnedCrossing(_ index: Int, _ point: TurnedLongitude, _ y: Double) -> Location {
        let ya = latitudes[index - 1]
        let yb = latitudes[index]
        if max(ya, yb) < y || min(ya, yb) > y { return .outside }
        let a = longitude(index - 1)
        let b = longitude(index)
        let fromA = point.compared(with: a)
        let fromB = point.compared(with: b)
        if (ya <= y) != (yb <= y) {
            if fromA < 0 && fromB < 0 { return .inside }
            if fromA > 0 && fromB > 0 { return .outside }
            let side = orientation(a, ya, b, yb, point, y)
            if side == 0 { return .boundary }
            return (side > 0) == (ya < yb) ? .inside : .outside
        }
        if ya == yb { return fromA * fromB <= 0 ? .boundary : .outside }
        let isVertex = (ya == y && fromA == 0) || (yb == y && fromB == 0)
        return isVertex ? .boundary : .outside
    }
}

/// Whether a ray to the east of (x, y) crosses the edge a–b: `.inside` for yes, `.boundary` when the point is on it.
/// An edge has its lower end and not its upper one, so that a vertex is counted once.
@inline(__always)
private func crossing(
    _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ x: Double, _ y: Double
) -> Location {
    if (ay <= y) != (by <= y) {
        if x < ax && x < bx { return .inside }
        if x > ax && x > bx { return .outside }
        let side = orientation(ax, ay, bx, by, x, y)
        if side == 0 { return .boundary }
        return (side > 0) == (ay < by) ? .inside : .outside
    }
    if by == y {
        if bx == x { return .boundary }
        if ay == y && (ax <= x) == (x <= bx) { return .boundary }
    }
    // The upper end a of an edge that falls is the end b of the edge before it: the ring is closed.
    return .outside
}
