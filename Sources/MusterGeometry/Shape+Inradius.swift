extension Shape {
    /// The radius of the largest circle that fits into the shape: how far from the boundary one can be inside it.
    ///
    /// Of a circle its radius. Of polygons it is searched for on a plane and found to a few per cent; what is answered
    /// is that of a circle that does fit, so that it errs to the small side. Each polygon counts for itself, a polygon
    /// that was cut at the antimeridian as its parts. Of a polygon with a pole inside, the distance of the pole from
    /// the boundary, which may be less.
    ///
    /// - Complexity: at most 4,000 searches for the nearest edge, each of them O(n) but passing over most of the n
    ///   edges. About 2 µs for a square, 2 ms for 100,000 vertices; so ask once, not with each fix.
    public var inradius: Metres {
        if case .circle(let circle) = self { return circle.radius }
        let shape = PreparedShape(self)
        return shape.areas.map { Metres(shape.inradius(of: $0)) }.max() ?? 0
    }
}

extension PreparedShape {
    fileprivate func inradius(of area: Area) -> Double {
        if let pole = area.exterior.pole {
            let place = Coordinate(validLatitude: pole == .north ? 90 : -90, longitude: 0)
            return max(0, signedDistanceToBoundary(from: place).value)
        }
        var search = InscribedCircleSearch(PlanarBoundary(area))
        return search.radius()
    }
}

/// Looks for the largest circle in a polygon: squares are cut into four, and those are left out whose points cannot be
/// farther from the boundary than what was found already.
///
/// In each round the most promising square is left uphill, away from the boundary, so that what is found is good long
/// before the squares are small. Where there are many equally good places, as in a long strip, squares that are no
/// worse than others are left out too: that costs nothing there, and bounds the work.
private struct InscribedCircleSearch {
    private struct Square {
        var centre: PlanarBoundary.Point
        /// The farthest that any of its points can be from the boundary, inside.
        var promise: Double
    }

    private let boundary: PlanarBoundary
    private var best = 0.0
    /// What is not better by this factor is not looked for.
    private static let tolerance = 1.02
    private static let squaresInRound = 64
    private static let rounds = 16

    init(_ boundary: PlanarBoundary) { self.boundary = boundary }

    mutating func radius() -> Double {
        var halfSide = boundary.halfSide
        var squares = [square(boundary.middle, halfSide)]
        for _ in 0..<Self.rounds {
            squares.sort { $0.promise > $1.promise }
            guard let most = squares.first, most.promise > best * Self.tolerance else { break }
            climb(from: most.centre, atMost: halfSide)
            halfSide /= 2
            squares = squares.prefix(Self.squaresInRound).filter { $0.promise > best * Self.tolerance }.flatMap {
                quarters(of: $0, halfSide)
            }
        }
        return best
    }

    private mutating func quarters(of whole: Square, _ halfSide: Double) -> [Square] {
        var result: [Square] = []
        for (x, y) in [(-1.0, -1.0), (1, -1), (-1, 1), (1, 1)] {
            let centre = PlanarBoundary.Point(x: whole.centre.x + x * halfSide, y: whole.centre.y + y * halfSide)
            result.append(square(centre, halfSide))
        }
        return result
    }

    private mutating func square(_ centre: PlanarBoundary.Point, _ halfSide: Double) -> Square {
        let distance = boundary.nearness(of: centre).signedDistance
        best = max(best, distance)
        return Square(centre: centre, promise: distance + halfSide * 2.0.squareRoot())
    }

    /// Goes away from the nearest point of the boundary for as long as that leads farther from all of it.
    private mutating func climb(from start: PlanarBoundary.Point, atMost reach: Double) {
        var point = start
        var here = boundary.nearness(of: point)
        var step = reach
        for _ in 0..<24 where step > 0.01 * best {
            let length = abs(here.signedDistance)
            guard length > 0 else { return }
            // From outside the way in leads towards the boundary.
            let share = step / here.signedDistance
            let next = PlanarBoundary.Point(
                x: point.x + (point.x - here.nearest.x) * share, y: point.y + (point.y - here.nearest.y) * share)
            let there = boundary.nearness(of: next)
            if there.signedDistance > here.signedDistance {
                (point, here) = (next, there)
                best = max(best, there.signedDistance)
            } else {
                step /= 2
            }
        }
    }
}
