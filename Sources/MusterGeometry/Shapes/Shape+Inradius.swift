/// Finds the largest circle that fits into a shape.
extension Shape {
    /// The radius of the largest circle that fits into the shape, in metres.
    ///
    /// For a circle this is its radius. For polygons it is found by a search on a plane, to a few per cent. The result
    /// belongs to a circle that does fit, so that it errs on the small side. Each polygon is searched separately, and
    /// so is each part of a polygon that was cut at the antimeridian. For a polygon that contains a pole, it is the
    /// distance of the pole from the boundary, which may be less than the true value.
    ///
    /// - Complexity: at most 4,000 searches for the nearest edge, each of them O(n) but passing over most of the n
    ///   edges. About 25 µs for 32 ragged corners; so ask once, not with each fix.
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

/// Searches for the largest circle in a polygon. It divides squares into four, the most promising first, and skips
/// squares whose points cannot be farther from the boundary than the best point found so far.
///
/// From the middle, and from every better point found, it climbs away from the boundary, so that it finds a good
/// result long before the squares are small. A limit bounds the work where many places are equally good, as in a long
/// strip; the places that it leaves out are hardly better.
private struct InscribedCircleSearch {
    private struct Square: Comparable {
        var centre: PlanarBoundary.Point
        var halfSide: Float
        /// The farthest that any of its points can be from the boundary, inside.
        var promise: Float

        static func < (left: Square, right: Square) -> Bool { left.promise < right.promise }
        static func == (left: Square, right: Square) -> Bool { left.promise == right.promise }
    }

    private let boundary: PlanarBoundary
    private var best: Float = 0
    private var questions = 0
    /// The search ignores results that are not better by this factor.
    private static let tolerance: Float = 1.02
    private static let mostQuestions = 4_000

    init(_ boundary: PlanarBoundary) { self.boundary = boundary }

    mutating func radius() -> Double {
        let middle = PlanarBoundary.Point(x: 0, y: 0)
        climb(from: middle, boundary.halfSide)
        var squares = Heap()
        squares.insert(square(middle, boundary.halfSide))
        while let most = squares.popMost(), most.promise > best * Self.tolerance, questions < Self.mostQuestions {
            let halfSide = most.halfSide / 2
            for (x, y) in [(-halfSide, -halfSide), (halfSide, -halfSide), (-halfSide, halfSide), (halfSide, halfSide)] {
                let before = best
                let quarter = square(PlanarBoundary.Point(x: most.centre.x + x, y: most.centre.y + y), halfSide)
                if best > before * Self.tolerance { climb(from: quarter.centre, halfSide) }
                if quarter.promise > best * Self.tolerance { squares.insert(quarter) }
            }
        }
        // The result is reduced by more than rounding can have added.
        return Double(best) * (1 - 1e-6)
    }

    private mutating func square(_ centre: PlanarBoundary.Point, _ halfSide: Float) -> Square {
        let distance = nearness(of: centre).signedDistance
        return Square(centre: centre, halfSide: halfSide, promise: distance + halfSide * Float(2).squareRoot())
    }

    private mutating func nearness(of point: PlanarBoundary.Point) -> PlanarBoundary.Nearness {
        let nearness = boundary.nearness(of: point)
        best = max(best, nearness.signedDistance)
        questions += 1
        return nearness
    }

    /// Moves away from the nearest point of the boundary for as long as that leads farther from all of it.
    private mutating func climb(from start: PlanarBoundary.Point, _ reach: Float) {
        var point = start
        var here = nearness(of: point)
        var step = reach / 2
        for _ in 0..<24 where step > 0.02 * best {
            guard here.signedDistance != 0 else { return }
            // From outside, the way in leads towards the boundary.
            let share = step / here.signedDistance
            let next = PlanarBoundary.Point(
                x: point.x + (point.x - here.nearest.x) * share, y: point.y + (point.y - here.nearest.y) * share)
            let there = nearness(of: next)
            if there.signedDistance > here.signedDistance {
                (point, here) = (next, there)
            } else {
                step /= 2
            }
        }
    }

    /// A heap of squares with the most promising one first: each promises at least as much as the two below it.
    private struct Heap {
        private var squares: [Square] = []

        mutating func insert(_ square: Square) {
            var at = squares.count
            squares.append(square)
            while at > 0 && squares[(at - 1) / 2] < squares[at] {
                squares.swapAt(at, (at - 1) / 2)
                at = (at - 1) / 2
            }
        }

        mutating func popMost() -> Square? {
            guard let most = squares.first else { return nil }
            let last = squares.removeLast()
            if squares.isEmpty { return most }
            squares[0] = last
            var at = 0
            while 2 * at + 1 < squares.count {
                var child = 2 * at + 1
                if child + 1 < squares.count && squares[child] < squares[child + 1] { child += 1 }
                if !(squares[at] < squares[child]) { break }
                squares.swapAt(at, child)
                at = child
            }
            return most
        }
    }
}
