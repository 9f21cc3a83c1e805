public import MusterGeometry

/// That a device was in a region between two fixes, though neither fell into it: "passed (inferred)". It is told, and
/// is never a standing: nobody is inside because of it.
///
/// The device is taken to have gone straight and evenly from fix to fix. The farther from both of them, the less sure
/// that is: roads bend. So the deviation at a point of the way is that of the fixes there, and a tenth of the way to
/// the nearer of the two.
public struct InferredPassage: Hashable, Sendable {
    /// When it was deepest in the region.
    public let time: Instant
    /// How sure it is that it was in it then.
    public let probability: Double

    /// Fixes with a worse accuracy in metres, or none, infer nothing.
    public static var worstAccuracyMetres: Double { 50 }
    /// Fixes farther apart in time infer nothing.
    public static var longestGapSeconds: Double { 300 }
    /// What moves faster, in metres a second, has not gone straight on the ground, or not at all.
    public static var greatestSpeed: Double { 70 }
    /// How far a way bends off its chord, as a share of the way to the nearer end.
    private static var bendShare: Double { 0.1 }
    /// How often the distance is asked for.
    private static var mostQuestions: Int { 32 }

    /// The passage between two fixes of one device, one after the other; nil when it is not sure enough, by the mode's
    /// probability of an enter.
    ///
    /// Ask only for regions that the device was outside of before and after, while its track was settled.
    ///
    /// - Parameters:
    ///   - first: the fix before; `second`: the fix after it.
    ///   - signedDistanceMetres: how far a place is from the region's boundary, positive inside; asked 32 times at
    ///     most, twice when the region is out of reach.
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

    /// A place on the way, straight in longitude and latitude and the short way round.
    private static func interpolate(at share: Double, from: Coordinate, to: Coordinate) -> Coordinate {
        let east = (to.longitude - from.longitude).remainder(dividingBy: 360)
        return Coordinate(
            validLatitude: from.latitude + share * (to.latitude - from.latitude),
            longitude: (from.longitude + share * east).remainder(dividingBy: 360))
    }

    /// Where on the way it is deepest in the region, as a share of the way, and how deep; nil when it is not in it,
    /// or an end of it is.
    ///
    /// On a piece of the way the distance to the boundary changes by no more than its length: pieces that cannot hold
    /// a point much deeper are left out, the most promising one is halved.
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
