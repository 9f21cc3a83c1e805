/// Finds how far edges are from one place.
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
    /// Longer edges are looked at in pieces of this many degrees.
    private static var pieceDegrees: Double { 0.25 }

    init(from place: Coordinate) {
        self.place = place
        origin = SpacePoint(place)
    }

    /// Between which distances in metres the nearest point of an edge lies.
    func bounds(_ edge: Edge) -> (least: Double, most: Double) {
        var least = Double.infinity
        var most = Double.infinity
        forEachPiece(of: edge) { piece in
            least = min(least, piece.least)
            most = min(most, piece.most)
        }
        return (least, most)
    }

    /// Metres to the nearest point of an edge; pieces that cannot be nearer than `limit` are left out.
    func distance(to edge: Edge, below limit: Double) -> Double {
        var best = limit
        forEachPiece(of: edge) { piece in
            if piece.least < best { best = min(best, foot(on: edge, piece)) }
        }
        return best
    }

    /// A part of an edge: from which to which fraction, where the nearest point of its chord is, and what follows for
    /// the distance.
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

    /// How far a point of a piece can be from the point of its chord at the same fraction: a bound on |r″|/8.
    private static func deviation(of edge: Edge, _ share: Double) -> Double {
        let eastward = edge.eastward * share * (Double.pi / 180)
        let northward = edge.northward * share * (Double.pi / 180)
        let square = eastward * eastward + 2 * abs(eastward * northward) + northward * northward
        return 1.02 * WGS84.greatestCurvatureRadius * square / 8
    }

    /// The nearest point of a chord to the place: its fraction, and the distance through space.
    private func chord(_ a: SpacePoint, _ b: SpacePoint) -> (fraction: Double, distance: Double) {
        let (dx, dy, dz) = (b.x - a.x, b.y - a.y, b.z - a.z)
        let (px, py, pz) = (origin.x - a.x, origin.y - a.y, origin.z - a.z)
        let square = dx * dx + dy * dy + dz * dz
        let fraction = square > 0 ? max(0, min(1, (px * dx + py * dy + pz * dz) / square)) : 0
        let (ex, ey, ez) = (px - fraction * dx, py - fraction * dy, pz - fraction * dz)
        return (fraction, (ex * ex + ey * ey + ez * ez).squareRoot())
    }

    /// Metres to the foot of the perpendicular on a piece of an edge: step along the edge by what the geodesic to the
    /// place still covers in the edge's direction, until nothing is left.
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
            // What is far away moves less than its distance says.
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
