import MusterCore
package import MusterGeometry

// `StudyPhone`: when a phone in the study takes fixes, and how it errs.

/// When a phone in the study takes fixes.
package struct StudySampling: Hashable, Sendable {
    /// The seconds from one fix to the next, ±20 %.
    package var intervalSeconds: Double
    /// The number of pauses of 5 to 30 minutes an hour: phones that lie still are put to sleep.
    package var gapsPerHour = 0.0
    /// A time during which it takes no fixes, seconds since the beginning.
    package var silence: Range<Double>?
    /// Whether it reports a speed of 0 with every fix, however fast it moves.
    package var alwaysSaysZero = false
    /// The lie of its fixes; nil for none.
    package var lie: StudyLie?

    /// Creates a sampling, in which 5 % of the fixes are lost.
    package init(intervalSeconds: Double, gapsPerHour: Double = 0) {
        self.intervalSeconds = intervalSeconds
        self.gapsPerHour = gapsPerHour
    }
}

/// A lie: fixes that are all wrong by the same amount, and claim a good accuracy.
package struct StudyLie: Hashable, Sendable {
    /// When the fixes lie, seconds.
    package var seconds: Range<Double>
    /// How far the fixes are off.
    package var shift: Offset
    /// The accuracy that the fixes claim, metres.
    package var accuracyMetres = 8.0
}

/// A phone on its way: its receiver, and the track that the confident policy makes of its readings.
struct StudyPhone {
    /// A fix, and the track after it.
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
        // A random start, or else every phone would pass a region between the same two fixes.
        seconds = -sampling.intervalSeconds * self.chance.fraction()
    }

    /// Returns the next fix; nil at the end of the way.
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
