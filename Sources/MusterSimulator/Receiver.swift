package import MusterGeometry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// `Receiver`: what a phone measures of the place where it truly is.

/// The reading of a receiver at one moment.
package struct Reading: Hashable, Sendable {
    /// The place that the receiver computes.
    package var offset: Offset
    /// The 68 % radius that it claims, metres; nil when it claims none.
    package var accuracyMetres: Double?
    /// The speed in metres a second; nil when it reports none.
    package var speed: Double?
}

/// A person's satellite receiver, which turns true positions into readings.
///
/// Every constant is from the study behind the confident policy of crossings, part "The noise".
package struct Receiver: Sendable {
    /// The ratio of the 68 % radius to the deviation on each axis, for a normal error that is equal in all directions.
    static let radiusOverDeviation = 1.5096

    private let tier: Noise.Tier
    private let environment: Noise.Environment
    /// The radius that holds 68 % of the fixes.
    private let accuracyMetres: Double
    private let claim: Double
    private let saysSpeed: Bool
    private var chance: SeededRandom

    private var lastSeconds: Double?
    private var quickDrift = Offset.zero
    private var slowDrift = Offset.zero
    private var jump = Disturbance()
    private var canyon = Disturbance()

    /// A disturbance that comes and passes.
    private struct Disturbance: Sendable {
        var startSeconds = Double.infinity
        var endSeconds = -Double.infinity
        var shift = Offset.zero
        var claimedMetres: Double?

        func holds(at seconds: Double) -> Bool { startSeconds <= seconds && seconds < endSeconds }
    }

    /// Creates a receiver with this noise and its own random numbers.
    package init(_ noise: Noise, chance: SeededRandom) {
        var chance = chance
        tier = noise.tier
        let drawn = chance.pick(Noise.Environment.allCases) ?? .open
        environment = noise.environment ?? drawn
        accuracyMetres = noise.accuracyMetres ?? environment.accuracyMetres
        let deviation = noise.tier == .honest ? 0.15 : 0.3
        claim = chance.logNormal(mean: noise.tier == .honest ? 0 : -0.1, deviation: deviation)
        let drawnSpeed = chance.chance(0.5)
        saysSpeed = noise.saysSpeed ?? drawnSpeed
        self.chance = chance
        scheduleJump(after: 0)
        scheduleCanyon(after: 0)
    }

    /// Returns the reading at a time, for a person's true place and speed.
    ///
    /// - Precondition: times do not decrease from one call to the next.
    package mutating func reading(of truth: Offset, speed: Double, atSeconds seconds: Double) -> Reading {
        guard tier != .none else { return Reading(offset: truth, accuracyMetres: 3, speed: speed) }
        let deviation = accuracyMetres / Receiver.radiusOverDeviation
        drift(toSeconds: seconds, deviation: deviation)
        var error = quickDrift + slowDrift + normalOffset(deviation: (0.2).squareRoot() * deviation)
        var accuracy = accuracyMetres * claim * chance.logNormal(mean: 0, deviation: 0.15)
        if isInCanyon(at: seconds) {
            error = error * 3
            accuracy *= 2
        }
        if let shift = jumpShift(at: seconds) {
            error = error + shift
            accuracy = jump.claimedMetres ?? accuracy
        }
        let saidSpeed = saysSpeed ? abs(speed + chance.normal(deviation: 0.3)) : nil
        return spoiled(Reading(offset: truth + error, accuracyMetres: accuracy, speed: saidSpeed), truth: truth)
    }

    /// Spoils a few readings: some come from cell towers, far off and with an accuracy to match; fewer claim no
    /// accuracy at all.
    private mutating func spoiled(_ reading: Reading, truth: Offset) -> Reading {
        let draw = chance.fraction()
        if draw < 0.005 {
            let accuracy = chance.logUniform(500, 20_000)
            let isWorse = chance.chance(0.2) && tier == .hostile
            let deviation = (isWorse ? 2 : 1) * accuracy / Receiver.radiusOverDeviation
            return Reading(offset: truth + normalOffset(deviation: deviation), accuracyMetres: accuracy, speed: nil)
        }
        if draw < 0.007 {
            let isOff = chance.chance(0.5)
            let shift = chance.vector(length: chance.uniform(100, 2000))
            return Reading(
                offset: isOff ? reading.offset + shift : reading.offset, accuracyMetres: nil, speed: reading.speed)
        }
        return reading
    }

    /// Advances the two Gauss-Markov parts of the error: 45 % of the variance with a time constant of 45 s, 35 % with
    /// 1,800 s.
    private mutating func drift(toSeconds seconds: Double, deviation: Double) {
        let elapsed = lastSeconds.map { seconds - $0 } ?? .infinity
        lastSeconds = seconds
        quickDrift = step(quickDrift, elapsed: elapsed, over: 45, deviation: (0.45).squareRoot() * deviation)
        slowDrift = step(slowDrift, elapsed: elapsed, over: 1800, deviation: (0.35).squareRoot() * deviation)
    }

    private mutating func step(_ value: Offset, elapsed: Double, over: Double, deviation: Double) -> Offset {
        let kept = exp(-elapsed / over)
        return value * kept + normalOffset(deviation: deviation * (1 - kept * kept).squareRoot())
    }

    private mutating func normalOffset(deviation: Double) -> Offset {
        Offset(east: chance.normal(deviation: deviation), north: chance.normal(deviation: deviation))
    }

    private mutating func jumpShift(at seconds: Double) -> Offset? {
        while seconds >= jump.endSeconds { scheduleJump(after: jump.endSeconds) }
        return jump.holds(at: seconds) ? jump.shift : nil
    }

    /// Schedules a jump of 50 to 500 m for some 30 s. In the hostile tier, 40 % of the jumps keep claiming the usual
    /// accuracy.
    private mutating func scheduleJump(after seconds: Double) {
        let start = max(seconds, 0) + chance.exponential(mean: 3600 / environment.jumpsPerHour)
        let metres = chance.logUniform(50, 500)
        let lies = chance.chance(0.4) && tier == .hostile
        let claimed = metres * chance.uniform(0.7, 1.3)
        jump = Disturbance(
            startSeconds: start, endSeconds: start + 2 + chance.exponential(mean: 30),
            shift: chance.vector(length: metres), claimedMetres: lies ? nil : claimed)
    }

    private mutating func isInCanyon(at seconds: Double) -> Bool {
        guard tier == .hostile, environment == .city else { return false }
        while seconds >= canyon.endSeconds { scheduleCanyon(after: canyon.endSeconds) }
        return canyon.holds(at: seconds)
    }

    private mutating func scheduleCanyon(after seconds: Double) {
        let start = max(seconds, 0) + chance.exponential(mean: 1200)
        canyon = Disturbance(startSeconds: start, endSeconds: start + chance.exponential(mean: 180))
    }
}
