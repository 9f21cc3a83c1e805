package import MusterGeometry

/// How sure it is that a device is where a radio was heard. The thresholds are those of the region's mode, as for
/// positions.
///
/// A sighting may be a stray one: `strayShare` is how often. So the probability after n sightings at different moments
/// of the last half minute is 1 - strayShare^n: three of them enter a region of standard mode, four a muster region.
/// Once the listener hears others and not this one, the probability halves every `halfLifeSeconds`. A listener that
/// reports nothing at all lets no time pass.
///
/// Source: docs/truth.md, judged by `muster-bench beacons`.
public enum BeaconPolicy {
    /// The share of sightings that come from outside of a region.
    public static let strayShare = 0.4
    /// For how long a sighting counts towards an enter, seconds.
    public static let windowSeconds = 30.0
    /// Sightings that are nearer to each other than this are of one moment, seconds.
    public static let momentSeconds = 0.5
    /// In which time of listening without a sighting the probability halves, seconds.
    public static let halfLifeSeconds = 7.0
    /// After which silence of a listener a standing is unknown, seconds. A sighting that is received later than this
    /// after its sample time moves no standing.
    public static let silenceSeconds = 120.0
    /// For how long the device's own position outweighs a beacon that is elsewhere, seconds.
    public static let fixSeconds = 120.0
    /// In which time the filtered signal follows a change for the larger part, seconds.
    public static let filterSeconds = 3.0
    /// By how much another room must be heard better, dB.
    public static let roomMargin = 5.0
    /// For how long another room must be heard better, seconds.
    public static let roomSeconds = 3.0
    /// For how long a room that hears nothing keeps its last signal, seconds; then it fades by 1 dB a second.
    public static let fadeAfterSeconds = 12.0
    /// How much weaker than its limit a signal may become before a device inside is no longer near, dB.
    public static let reachMargin = 6.0

    /// Returns the probability after this many sightings at different moments.
    static func probability(sightings: Int) -> Double {
        var stray = 1.0
        for _ in 0..<sightings { stray *= strayShare }
        return 1 - stray
    }

    /// Returns 2 to the power of minus a number of half-lives, straight between whole ones.
    static func decay(seconds: Double) -> Double {
        guard seconds > 0 else { return 1 }
        let halfLives = seconds / halfLifeSeconds
        guard halfLives < 60 else { return 0 }
        let whole = halfLives.rounded(.down)
        return (1 - (halfLives - whole) / 2) / Double(UInt64(1) << UInt64(whole))
    }

    /// The strength of a beacon at 1 m that signals are compared at, dBm.
    package static let referencePower = -59.0
    /// How many dB a signal loses in ten times the distance: 27 indoors.
    static let lossPerDecade = 27.0

    /// Returns the strength in dBm with which a beacon of the reference strength is heard at a distance.
    static func signal(atMetres distance: Double) -> Double {
        referencePower - lossPerDecade * decimalLogarithm(max(distance, 0.01))
    }

    /// The weakest signal that is within a reach, dBm: that of half a metre, and of three metres.
    static func weakestSignal(within reach: BeaconArea.Reach) -> Double {
        switch reach {
        case .immediate: -50.9
        case .near: -71.9
        case .far: -.infinity
        }
    }

    /// Returns the distance at which a beacon would be heard with a strength.
    ///
    /// - Parameters:
    ///   - signal: the strength that was received, dBm.
    ///   - power: the strength that is received at 1 m, dBm; by default the one that signals are compared at.
    package static func distance(signal: Double, power: Double = referencePower) -> Metres {
        let decades = min(max((power - signal) / lossPerDecade, -2), 4)
        // 10^d = 2^n e^r, where r is below 0.35 in magnitude.
        let binary = decades * 3.321_928_094_887_362_3
        let whole = binary.rounded()
        let rest = (binary - whole) * 0.693_147_180_559_945_3
        var (term, sum) = (1.0, 1.0)
        for index in 1...9 {
            term *= rest / Double(index)
            sum += term
        }
        return Metres(Double(sign: .plus, exponent: Int(whole), significand: sum))
    }

    /// Returns the decimal logarithm of a positive number, to 0.00001.
    static func decimalLogarithm(_ value: Double) -> Double {
        // ln m = 2 artanh((m - 1) / (m + 1)), for the significand m.
        let ratio = (value.significand - 1) / (value.significand + 1)
        let square = ratio * ratio
        let series = 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9))))
        return Double(value.exponent) * 0.301_029_995_663_981_2 + 2 * ratio * series * 0.434_294_481_903_251_8
    }
}
