/// Measures the distances from one place to edges.
struct BoundarySearch {
    /// An edge straight in longitude and latitude, in degrees.
    struct Edge {
        var longitude: Double
        var latitude: Double
        var eastward: Double
        var northward: Double
    }

    private let place: Coordinate
    private let origin: SpacePoint
    /// A longer edge is divided into pieces of this many degrees.
    private static var pieceDegrees: Double { 0.25 }

    init(from place: Coordinate) {
        self.place = place
        origin = SpacePoint(place)
    }

    /// Returns bounds in metres on the distance to the nearest point of an edge.
    func bounds(_ edge: Edge) -> (least: Double, most: Double) {
        var least = Double.infinity
        var most = Double.infinity
        forEachPiece(of: edge) { piece in
            least = min(least, piece.least)
            most = min(most, piece.most)
        }
        return (least, most)
    }

    /// Returns the distance in metres to the nearest point of an edge, or `limit` if the edge is not nearer.
    func distance(to edge: Edge, below limit: Double) -> Double {
        var best = limit
        forEachPiece(of: edge) { piece in
            if piece.least < best { best = min(best, foot(on: edge, piece)) }
        }
        return best
    }

    /// A part of an edge: the fractions at which it begins and ends, the nearest point of its chord, and the bounds on
    /// the distance that follow.
    private struct Piece {
        var start: Double
        var end: Double
        var nearest: Double
        var least: Double
        var most: Double
    }

    private func forEachPiece(of edge: Edge, _ body: (Piece) -> Void) {
        let extent = max(abs(edge.eastward), abs(edge.northward))
        let count = max(1, Int((extent / Self.pieceDegrees).rounded(.up)))
        let share = 1 / Double(count)
        let deviation = Self.deviation(of: edge, share)
        var from = SpacePoint(latitude: edge.latitude, longitude: edge.longitude)
        for index in 0..<count {
            let start = Double(index) * share
            let end = index == count - 1 ? 1 : start + share
            let to = SpacePoint(
                latitude: edge.latitude + end * edge.northward, longitude: edge.longitude + end * edge.eastward)
            let chord = chord(from, to)
            body(
                Piece(
                    start: start, end: end, nearest: start + chord.fraction * (end - start),
                    least: SpacePoint.leastOnGround(max(0, chord.distance - deviation)),
                    most: SpacePoint.mostOnGround(chord.distance + deviation)))
            from = to
        }
    }

    /// Returns how far a point of a piece can be from the point of its chord at the same fraction: a bound on |r″|/8.
    private static func deviation(of edge: Edge, _ share: Double) -> Double {
        let eastward = edge.eastward * share * (Double.pi / 180)
        let northward = edge.northward * share * (Double.pi / 180)
        let square = eastward * eastward + 2 * abs(eastward * northward) + northward * northward
        return 1.02 * WGS84.greatestCurvatureRadius * square / 8
    }

    /// Returns the nearest point of a chord to the place: its fraction, and the distance through space.
    private func chord(_ a: SpacePoint, _ b: SpacePoint) -> (fraction: Double, distance: Double) {
        let (dx, dy, dz) = (b.x - a.x, b.y - a.y, b.z - a.z)
        let (px, py, pz) = (origin.x - a.x, origin.y - a.y, origin.z - a.z)
        let square = dx * dx + dy * dy + dz * dz
        let fraction = square > 0 ? max(0, min(1, (px * dx + py * dy + pz * dz) / square)) : 0
        let (ex, ey, ez) = (px - fraction * dx, py - fraction * dy, pz - fraction * dz)
        return (fraction, (ex * ex + ey * ey + ez * ez).squareRoot())
    }

    /// Returns the distance in metres to the foot of the perpendicular on a piece of an edge. Each step moves along the
    /// edge by the part of the geodesic to the place that lies in the edge's direction, until nothing is left.
    private func foot(on edge: Edge, _ piece: Piece) -> Double {
        var fraction = piece.nearest
        var best = Double.infinity
        for _ in 0..<12 {
            let latitude = max(-90, min(90, edge.latitude + fraction * edge.northward))
            let longitude = (edge.longitude + fraction * edge.eastward).remainder(dividingBy: 360)
            let line = InverseSolution(
                from: Coordinate(validLatitude: latitude, longitude: longitude), to: place)
            best = min(best, line.distance)
            let phi = latitude * (Double.pi / 180)
            let s = sine(phi)
            let w2 = 1 - WGS84.eccentricitySquared * s * s
            let normal = WGS84.equatorialRadius / w2.squareRoot()
            let east = normal * cosine(phi) * edge.eastward * (Double.pi / 180)
            let north = normal * (1 - WGS84.eccentricitySquared) / w2 * edge.northward * (Double.pi / 180)
            let square = east * east + north * north
            guard square > 0 else { break }
            // On the round Earth, the foot of a far place moves by less than on a plane.
            let reach = 6_371_000 * sine(min(line.distance / 6_371_000, Double.pi / 2))
            let step = reach * (line.departure.sine * east + line.departure.cosine * north) / square
            let next = max(piece.start, min(piece.end, fraction + step))
            let moved = abs(next - fraction) * square.squareRoot()
            fraction = next
            if moved < 1e-3 || moved * moved < 1e-3 * line.distance * 1e-3 { break }
        }
        return best
    }
}
