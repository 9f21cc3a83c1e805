import MusterCore
import MusterGeometry

/// How often a phone in the study takes a fix.
package struct StudySampling: Hashable, Sendable {
    /// Seconds from one fix to the next, ± 20 %.
    package var intervalSeconds: Double
    /// Pauses of 5 to 30 minutes, an hour: phones that lie still are put to sleep.
    package var gapsPerHour = 0.0
    /// When it takes none.
    package var silence: Range<Double>?
    /// Whether it says a speed of 0 with every fix, however fast it moves.
    package var alwaysSaysZero = false
    /// When its fixes lie.
    package var lie: StudyLie?

    /// So many seconds apart; 5 % of the fixes are lost.
    package init(intervalSeconds: Double, gapsPerHour: Double = 0) {
        self.intervalSeconds = intervalSeconds
        self.gapsPerHour = gapsPerHour
    }
}

/// Fixes that are all wrong alike, and claim a good accuracy.
package struct StudyLie: Hashable, Sendable {
    /// When.
    package var seconds: Range<Double>
    /// By how much.
    package var shift: Offset
    /// Metres.
    package var accuracyMetres = 8.0
}

/// A phone on its way: what its receiver says, and what the confident policy makes of that.
struct StudyPhone {
    /// A fix, after the track has taken it.
    struct Fix {
        var seconds: Double
        var truth: Offset
        var reading: Reading
        var reported: ConfidentFix
        var estimate: Offset
        var deviation: Double
        var isSettled: Bool
        var motion: Motion?
    }

    static let plane = LocalPlane(origin: Coordinate(validLatitude: 46, longitude: 14))
    private let path: StudyPath
    private let sampling: StudySampling
    private var receiver: Receiver
    private var chance: SeededRandom
    private var seconds = 0.0
    private var track = ConfidentTrack()

    init(_ path: StudyPath, _ noise: Noise, _ sampling: StudySampling, chance: SeededRandom) {
        self.path = path
        self.sampling = sampling
        self.chance = chance
        receiver = Receiver(noise, chance: SeededRandom(seed: self.chance.next()))
        // Else everyone would be passing a region between the same two fixes.
        seconds = -sampling.intervalSeconds * self.chance.fraction()
    }

    /// The next fix; nil when the way is over.
    mutating func next() -> Fix? {
        repeat {
            let step = sampling.intervalSeconds * chance.uniform(0.8, 1.2)
            seconds += step
            if sampling.gapsPerHour > 0, chance.chance(step * sampling.gapsPerHour / 3600) {
                seconds += chance.uniform(300, 1800)
            }
        } while seconds < 0 || chance.chance(0.05) || sampling.silence?.contains(seconds) == true
        guard seconds <= path.seconds else { return nil }
        let (truth, speed) = path.motion(at: seconds)
        var reading = receiver.reading(of: truth, speed: speed, atSeconds: seconds)
        if sampling.alwaysSaysZero { reading.speed = 0 }
        if let lie = sampling.lie, lie.seconds.contains(seconds) {
            reading.offset = reading.offset + lie.shift
            reading.accuracyMetres = lie.accuracyMetres
        }
        let reported = ConfidentFix(
            coordinate: Self.plane.coordinate(reading.offset), sampleTime: Instant(seconds: seconds),
            accuracyMetres: reading.accuracyMetres, speedMetresPerSecond: reading.speed)
        track.advance(reported)
        return Fix(
            seconds: seconds, truth: truth, reading: reading, reported: reported,
            estimate: Self.plane.offset(track.estimate), deviation: track.deviationMetres, isSettled: track.isSettled,
            motion: track.motion)
    }
}
