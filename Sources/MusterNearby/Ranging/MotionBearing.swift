import Foundation
import MusterCore
import MusterGeometry

/// Finds the bearing towards a peer from successive distances and the motion of both ends: range-only localisation by
/// the posterior over a grid of places (Thrun, Burgard and Fox, *Probabilistic Robotics*, 2005, chapters 6 and 8;
/// Blanco, Fernández-Madrigal and González, *Efficient probabilistic range-only SLAM*, 2008).
///
/// Distances from a straight path are the same for a peer on its left and for the mirror image on its right. Until the
/// path turns, the posterior has two peaks, and the estimate contains both. At most `capacity` distances are stored.
struct MotionBearing: Sendable {
    /// The bearing, as far as the distances determine it.
    enum Estimate: Hashable, Sendable {
        /// The path is too short to determine a bearing.
        case tooLittleMotion
        /// One bearing, degrees clockwise from north, and its standard deviation.
        case bearing(Degrees, error: Degrees)
        /// Two bearings, the likelier first, and the larger standard deviation of the two.
        case ambiguous([Degrees], error: Degrees)
    }

    private struct Sample {
        /// This device's position relative to the peer's, less the peer's motion.
        var place: Offset
        var range: WeighedRange
        var time: Instant
    }

    /// The most distances that are kept.
    static let capacity = 64
    /// A distance older than this is dropped, seconds, because a peer that reports no motion may have walked away.
    static let memorySeconds = 60.0
    /// The least path between two kept distances, metres, because errors at one place are not independent.
    static let spacingMetres = 0.25
    /// The error of a path's length, of odometry by steps: 5 % of it.
    static let driftShare = 0.05
    /// The share of distances that an obstacle lengthens, and by how much it lengthens them on average, metres.
    static let (obstructedShare, biasMetres) = (0.2, 0.6)
    /// The angle between two cells of the grid, degrees.
    static let cellDegrees = 4.0
    /// Half the width of a peak, degrees.
    static let peakDegrees = 60.0
    /// The share of the posterior that a bearing must hold.
    static let sureShare = 0.95
    /// The error of a compass, degrees, which no number of distances makes smaller.
    static let compassDegrees = 3.0
    /// The largest error of a bearing, degrees. A bearing that is less certain is left out.
    static let worstDegrees = 35.0
    /// The largest coordinate, metres from the origin.
    static let farthestMetres = 1e6

    private var samples: [Sample] = []

    /// The number of stored distances.
    var count: Int { samples.count }

    /// Adds a distance.
    ///
    /// - Parameters:
    ///   - place: this device's position minus the peer's, each in metres from an origin of its own that does not move.
    ///   - range: the distance at that moment.
    ///   - time: the time of the distance; not earlier than that of the previous call.
    mutating func add(_ range: WeighedRange, at place: Offset, time: Instant) {
        samples.removeAll { time.seconds(since: $0.time) > Self.memorySeconds }
        let sample = Sample(place: place, range: range, time: time)
        if let last = samples.last, samples.count > 1,
            (last.place - samples[samples.count - 2].place).length < Self.spacingMetres
        {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        if samples.count > Self.capacity { samples.removeFirst(samples.count - Self.capacity) }
    }

    /// Returns the bearing that the distances determine now. Complexity: O(`capacity`), 450 places for each distance.
    func estimate() -> Estimate {
        guard samples.count > 2, let now = samples.last else { return .tooLittleMotion }
        let cells = Int(360 / Self.cellDegrees)
        var logs = [Double](repeating: -.infinity, count: cells)
        for index in 0..<cells {
            let turn = Double(index) * Self.cellDegrees * .pi / 180
            let ahead = Offset(east: sin(turn), north: cos(turn))
            for step in -2...2 {
                let distance = max(now.range.distance + Double(step) * now.range.error, 0.01)
                logs[index] = max(logs[index], likelihood(of: now.place + ahead * distance, from: now.place))
            }
        }
        let highest = logs.max() ?? 0
        let weights = logs.map { exp($0 - highest) }
        let sum = weights.reduce(0, +)
        return Self.read(weights.map { $0 / sum })
    }

    /// The logarithm of the probability of all distances if the peer is at a place.
    private func likelihood(of peer: Offset, from here: Offset) -> Double {
        samples.reduce(0) { sum, sample in
            let residual = sample.range.distance - (peer - sample.place).length
            let drift = Self.driftShare * (here - sample.place).length
            let deviation = (sample.range.error * sample.range.error + drift * drift).squareRoot()
            let free = exp(-residual * residual / (2 * deviation * deviation)) / (deviation * (2 * .pi).squareRoot())
            let blocked = residual > 0 ? exp(-residual / Self.biasMetres) / Self.biasMetres : 0
            return sum + log((1 - Self.obstructedShare) * free + Self.obstructedShare * blocked + 1e-6)
        }
    }

    private static func read(_ shares: [Double]) -> Estimate {
        func apart(_ left: Int, _ right: Int) -> Double {
            abs(Degrees(Double(left - right) * cellDegrees).turned.value)
        }
        let all = shares.indices
        guard let first = all.max(by: { shares[$0] < shares[$1] }) else { return .tooLittleMotion }
        let second = all.filter { apart($0, first) > peakDegrees / 2 }.max { shares[$0] < shares[$1] } ?? first
        let near = all.filter { apart($0, first) <= peakDegrees && apart($0, first) <= apart($0, second) }
        let far = all.filter { apart($0, second) <= peakDegrees && apart($0, second) < apart($0, first) }
        let (one, other) = (summary(near, shares), summary(far, shares))
        // Two peaks side by side, or one broad peak: the peer is about straight ahead, or straight behind.
        let middle = summary(all.filter { apart($0, first) <= peakDegrees }, shares)
        if middle.share >= sureShare, middle.error <= worstDegrees {
            return .bearing(Degrees(middle.bearing), error: Degrees(middle.error))
        }
        if one.share >= sureShare, one.error <= worstDegrees {
            return .bearing(Degrees(one.bearing), error: Degrees(one.error))
        }
        guard one.share + other.share >= sureShare, max(one.error, other.error) <= worstDegrees else {
            return .tooLittleMotion
        }
        let both = one.share >= other.share ? [one, other] : [other, one]
        return .ambiguous(both.map { Degrees($0.bearing) }, error: Degrees(max(one.error, other.error)))
    }

    /// The share, mean and standard deviation of some cells. The width of a cell and the compass are part of the error.
    private static func summary(_ cells: [Int], _ shares: [Double]) -> (share: Double, bearing: Double, error: Double) {
        var (share, east, north) = (0.0, 0.0, 0.0)
        for index in cells {
            let turn = Double(index) * cellDegrees * .pi / 180
            share += shares[index]
            east += shares[index] * sin(turn)
            north += shares[index] * cos(turn)
        }
        guard share > 0 else { return (0, 0, 0) }
        let bearing = atan2(east, north) * 180 / .pi
        let variance = cells.reduce(0) { sum, index in
            let off = Degrees(Double(index) * cellDegrees - bearing).turned.value
            return sum + shares[index] * off * off
        }
        let rounding = cellDegrees * cellDegrees / 12
        return (share, bearing, (variance / share + rounding + compassDegrees * compassDegrees).squareRoot())
    }
}
