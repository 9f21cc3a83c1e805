package import MusterGeometry

/// The constants and formulas that turn sightings into the probability that a device is inside a beacon region. The
/// thresholds for entering and leaving are those of the region's mode, as for positions.
///
/// A share of all sightings, `strayShare`, comes from devices outside the region. So the probability after n sightings
/// at different moments of the last half minute is 1 - strayShare^n: three sightings enter a region of standard mode,
/// four enter a muster region. While the listener hears other beacons and not this one, the probability halves every
/// `halfLifeSeconds`. While the listener reports nothing at all, the probability stays as it is.
///
/// Source: docs/truth.md, judged by `muster-bench beacons`.
public enum BeaconPolicy {
    /// The share of sightings whose device is outside of the region.
    public static let strayShare = 0.4
    /// The age up to which a sighting counts towards an enter, seconds.
    public static let windowSeconds = 30.0
    /// Two sightings closer together than this count as one moment, seconds.
    public static let momentSeconds = 0.5
    /// The time of listening without a sighting after which the probability halves, seconds.
    public static let halfLifeSeconds = 7.0
    /// The time without reports from a listener after which a standing becomes unknown, seconds. A scanner's report
    /// that the server receives later than this changes no standing; a device's own late report is judged by its sample
    /// times.
    public static let silenceSeconds = 120.0
    /// The age up to which the device's own position outweighs a beacon whose place is elsewhere, seconds.
    public static let fixSeconds = 120.0
    /// The time constant of the filter that smooths the signal, seconds.
    public static let filterSeconds = 3.0
    /// How much stronger the signal of another room must be before the device moves there, dB.
    public static let roomMargin = 5.0
    /// How long the signal of another room must be stronger before the device moves there, seconds.
    public static let roomSeconds = 3.0
    /// How long the last signal of a room counts in full after the last sighting there, seconds; then it fades by 1 dB
    /// a second.
    public static let fadeAfterSeconds = 12.0
    /// How far below the limit of its reach the signal may fall while the device still counts as inside, dB.
    public static let reachMargin = 6.0

    /// Returns the probability that a device is inside after this number of sightings at different moments.
    static func probability(sightings: Int) -> Double {
        var stray = 1.0
        for _ in 0..<sightings { stray *= strayShare }
        return 1 - stray
    }

    /// Returns 2^(-seconds / halfLifeSeconds), with linear interpolation between whole half-lives.
    static func decay(seconds: Double) -> Double {
        guard seconds > 0 else { return 1 }
        let halfLives = seconds / halfLifeSeconds
        guard halfLives < 60 else { return 0 }
        let whole = halfLives.rounded(.down)
        return (1 - (halfLives - whole) / 2) / Double(UInt64(1) << UInt64(whole))
    }

    /// The strength at 1 m of the reference beacon, to which all signals are converted, dBm.
    package static let referencePower = -59.0
    /// The loss of signal strength for ten times the distance, dB: 27 indoors.
    static let lossPerDecade = 27.0

    /// Returns the strength in dBm at which the reference beacon is received at a distance.
    static func signal(atMetres distance: Double) -> Double {
        referencePower - lossPerDecade * decimalLogarithm(max(distance, 0.01))
    }

    /// Returns the weakest signal within a reach, dBm: the signal at half a metre for immediate, at three metres for
    /// near.
    static func weakestSignal(within reach: BeaconArea.Reach) -> Double {
        switch reach {
        case .immediate: -50.9
        case .near: -71.9
        case .far: -.infinity
        }
    }

    /// Returns the distance at which a beacon's signal has a given strength.
    ///
    /// - Parameters:
    ///   - signal: the received strength, dBm.
    ///   - power: the strength that is received at 1 m, dBm; by default that of the reference beacon.
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
