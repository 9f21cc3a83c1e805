public import MusterGeometry

/// An inferred passage: a device was in a region between two fixes, neither of which lies in the region. It is reported
/// as "passed (inferred)" and changes no standing.
///
/// The inference assumes that the device went straight and evenly from fix to fix. That is less sure the farther a
/// point is from both fixes, because roads bend. So the deviation at a point combines that of the fixes with a tenth of
/// the way to the nearer one.
public struct InferredPassage: Hashable, Sendable {
    /// When the device was deepest in the region.
    public let time: Instant
    /// The probability that the device was in the region at that time.
    public let probability: Double

    /// The worst accuracy of fixes that a passage is inferred from, metres. No passage is inferred from a fix of
    /// unknown accuracy.
    public static var worstAccuracyMetres: Double { 50 }
    /// The longest time between two fixes that a passage is inferred from, seconds.
    public static var longestGapSeconds: Double { 300 }
    /// The greatest speed between them, metres a second. A device that seems faster did not go straight on the ground,
    /// or did not go at all.
    public static var greatestSpeed: Double { 70 }
    /// How far a way bends off its chord, as a share of the way to the nearer end.
    private static var bendShare: Double { 0.1 }
    /// The largest number of distances that the search computes.
    private static var mostQuestions: Int { 32 }

    /// Infers the passage between two consecutive fixes of a device; nil when its probability is not above the mode's
    /// probability of an enter.
    ///
    /// Use this only for regions that the device was outside of before and after, while its track was settled.
    ///
    /// - Parameters:
    ///   - first: the earlier fix.
    ///   - second: the later fix.
    ///   - signedDistanceMetres: returns the distance from a place to the region's boundary, positive inside. Called 32
    ///     times at most, and twice when the region is out of reach.
    public init?(
        from first: ConfidentFix, to second: ConfidentFix, mode: RegionMode = .standard,
        signedDistanceMetres: (Coordinate) -> Double
    ) {
        let seconds = second.sampleTime.seconds(since: first.sampleTime)
        guard let accuracies = Self.usable(first, second), seconds > 0, seconds <= Self.longestGapSeconds else {
            return nil
        }
        let length = first.coordinate.distance(to: second.coordinate).value
        guard length <= Self.greatestSpeed * seconds else { return nil }
        guard
            let (share, depth) = Self.deepest(
                length: length,
                { share in
                    signedDistanceMetres(Self.interpolate(at: share, from: first.coordinate, to: second.coordinate))
                })
        else { return nil }
        let accuracy = (1 - share) * accuracies.first + share * accuracies.second
        let fixes = 1.6 * accuracy / 1.5096
        let bend = Self.bendShare * length * min(share, 1 - share)
        probability = normalProbability(below: depth / (fixes * fixes + bend * bend).squareRoot())
        guard probability > mode.enterProbability else { return nil }
        time = first.sampleTime.advanced(bySeconds: share * seconds)
    }

    private static func usable(_ first: ConfidentFix, _ second: ConfidentFix) -> (first: Double, second: Double)? {
        guard let one = first.accuracyMetres, let other = second.accuracyMetres, one > 0, other > 0,
            max(one, other) <= worstAccuracyMetres
        else { return nil }
        return (max(one, 5), max(other, 5))
    }

    /// Returns the place at a share of the way, straight in longitude and latitude and the short way round.
    private static func interpolate(at share: Double, from: Coordinate, to: Coordinate) -> Coordinate {
        let east = (to.longitude - from.longitude).remainder(dividingBy: 360)
        return Coordinate(
            validLatitude: from.latitude + share * (to.latitude - from.latitude),
            longitude: (from.longitude + share * east).remainder(dividingBy: 360))
    }

    /// Returns where on the way the device is deepest in the region, as a share of the way, and how deep; nil when the
    /// way misses the region, or when an end of it lies inside.
    ///
    /// Along a piece of the way the distance to the boundary changes by no more than the length of the piece. The
    /// search leaves out pieces that cannot hold a much deeper point, and halves the most promising one.
    private static func deepest(length: Double, _ depth: (Double) -> Double) -> (share: Double, depth: Double)? {
        let (start, end) = (End(share: 0, depth: depth(0)), End(share: 1, depth: depth(1)))
        var best = max(start, end)
        guard best.depth < 0 else { return nil }
        var pieces = [Piece(from: start, to: end, length: length)]
        for _ in 2..<mostQuestions {
            guard let next = pieces.indices.max(by: { pieces[$0].promise < pieces[$1].promise }),
                pieces[next].promise > max(0, best.depth * 1.02)
            else { break }
            let piece = pieces[next]
            let share = (piece.from.share + piece.to.share) / 2
            let middle = End(share: share, depth: depth(share))
            best = max(best, middle)
            pieces[next] = Piece(from: piece.from, to: middle, length: length)
            pieces.append(Piece(from: middle, to: piece.to, length: length))
        }
        return best.depth > 0 ? (best.share, best.depth) : nil
    }

    /// A point of the way and how deep it is in the region.
    private struct End: Comparable {
        var share: Double
        var depth: Double
        static func < (left: End, right: End) -> Bool { left.depth < right.depth }
    }

    /// A piece of the way between two points.
    private struct Piece {
        var from: End
        var to: End
        /// The deepest that any of its points can be.
        var promise: Double

        init(from: End, to: End, length: Double) {
            self.from = from
            self.to = to
            promise = (from.depth + to.depth + (to.share - from.share) * length) / 2
        }
    }
}
