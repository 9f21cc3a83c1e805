// `RangeFusion`: one distance from those of several sources.

/// A distance with its error, of one source.
struct WeighedRange: Hashable, Sendable {
    /// Metres.
    var distance: Double
    /// One standard deviation, metres; above 0.
    var error: Double
}

/// Combines distances that several sources measured between the same two devices.
///
/// - The weights are the inverse variances, and when the distances scatter more than their errors allow, the error is
///   enlarged by a scale factor (Particle Data Group, *Review of Particle Physics*, introduction, "Unconstrained
///   averaging").
/// - An obstacle between two radios lengthens a distance and never shortens it. So among ranges of similar error the
///   longest is dropped when it exceeds the combination of the others by more than three standard deviations (Wylie and
///   Holtzman, *The non-line of sight problem in mobile location estimation*, 1996).
/// - A range with more than three times the error of the best one cannot outvote it: it is left out when it differs
///   from the combination of the good ones by more than three standard deviations, in either direction.
enum RangeFusion {
    /// The number of standard deviations by which a trusted range may differ.
    static let gate = 3.0
    /// A range is rough if its error is more than this many times that of the best one.
    static let roughness = 3.0
    /// The least error of a range, metres. A smaller stated error is raised to it.
    static let leastError = 0.01

    /// Returns the combination; nil for no ranges. Complexity: O(n²), with at most one range for each source.
    static func combine(_ ranges: [WeighedRange]) -> WeighedRange? {
        guard let best = ranges.map(\.error).min() else { return nil }
        var good = ranges.filter { $0.error <= best * roughness }.sorted { $0.distance < $1.distance }
        while good.count > 1, let longest = good.last {
            let others = mean(good.dropLast())
            guard longest.distance - others.distance > gate * deviation(longest, others) else { break }
            good.removeLast()
        }
        let base = mean(good)
        let rough = ranges.filter {
            $0.error > best * roughness && abs($0.distance - base.distance) <= gate * deviation($0, base)
        }
        return mean(good + rough)
    }

    /// Combines the distances that the two ends measured with the same kind of radio.
    ///
    /// The peer's report cannot make the result more certain than this end's own radio allows. The peer's error counts
    /// as at least the own one, and the two errors are not assumed to be independent. When the two distances contradict
    /// each other, the own one counts, with their difference as its error.
    static func bothEnds(_ own: WeighedRange, _ peer: WeighedRange) -> WeighedRange {
        let difference = abs(own.distance - peer.distance)
        if difference > gate * deviation(own, peer) {
            return WeighedRange(distance: own.distance, error: max(own.error, difference))
        }
        let error = max(own.error, peer.error)
        let share = error * error / (own.error * own.error + error * error)
        return WeighedRange(
            distance: own.distance * share + peer.distance * (1 - share),
            error: own.error * share + error * (1 - share))
    }

    private static func deviation(_ left: WeighedRange, _ right: WeighedRange) -> Double {
        (left.error * left.error + right.error * right.error).squareRoot()
    }

    private static func mean(_ ranges: some Collection<WeighedRange>) -> WeighedRange {
        var (weights, sum) = (0.0, 0.0)
        for range in ranges {
            let weight = 1 / (range.error * range.error)
            weights += weight
            sum += weight * range.distance
        }
        let centre = sum / weights
        let excess = ranges.reduce(0) { sum, range in
            let deviations = (range.distance - centre) / range.error
            return sum + deviations * deviations
        }
        let scale = ranges.count > 1 ? max(1, (excess / Double(ranges.count - 1)).squareRoot()) : 1
        return WeighedRange(distance: centre, error: scale / weights.squareRoot())
    }
}
