package import MusterGeometry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// `SafetyPhone`: how the phones of the safety study measure and send.

/// How a phone of the safety study measures and sends.
package struct SafetyPhone: Sendable {
    /// What a phone says about its speed.
    package enum Speed: Hashable, Sendable {
        case none, measured, alwaysZero
    }

    /// The deviation of a fix on each axis, metres.
    package var errorMetres = 4.0
    /// The share of the error's variance that drifts, with a time constant of 45 s; the rest is new with each fix.
    package var driftShare = 0.0
    /// The 68 % radius that a fix reports, in deviations, drawn for each phone: 1.51 is honest.
    package var claim = 0.9...2.0
    /// The seconds from one fix to the next, ±25 %.
    package var intervalSeconds = 5.0
    /// What it says about its speed.
    package var speed = Speed.none
    /// How far all of its fixes are off, metres, in a direction drawn for each phone.
    package var biasMetres = 0.0
    /// The share of fixes that are of cell towers, 500 to 2,000 m.
    package var coarseShare = 0.0
    /// The share of fixes that it sends twice.
    package var doubledShare = 0.0
    /// The share of fixes that arrive late, by up to this many seconds, and so out of their order.
    package var lateShare = 0.0
    package var lateSeconds = 0.0
    /// The share of fixes whose time is this many seconds ahead.
    package var aheadShare = 0.0
    package var aheadSeconds = 59.0
    /// The share of fixes that err by as many metres as this, and say so.
    package var poorShare = 0.0
    package var poorErrorMetres = 50.0
    /// How far its clock is off, seconds.
    package var clockOffSeconds = 0.0
    /// The times during which it takes no fixes, seconds since the beginning.
    package var silences: [Range<Double>] = []
    /// The fixes that lie elsewhere than the person is.
    package var lies: [Lie] = []
    /// The network that locates it instead of its own receiver; nil for none.
    package var network: Network?

    /// Some fixes that lie at one place, and claim to be good.
    package struct Lie: Hashable, Sendable {
        /// The time of the first, seconds since the beginning.
        package var fromSeconds: Double
        /// How many there are.
        package var fixes: Int
        package var place: Offset
        /// The accuracy that they claim, metres.
        package var accuracyMetres = 6.0
    }

    /// A network that locates a phone at one place, wherever the phone is: that of its antennas, for example.
    package struct Network: Hashable, Sendable {
        /// The time of the first such fix, seconds since the beginning.
        package var fromSeconds: Double
        package var place: Offset
        /// The 68 % radii that its fixes report, metres.
        package var accuracyMetres = 30.0...60
        /// How often the phone locates itself meanwhile, seconds.
        package var ownFixEverySeconds: Double
    }

    package init() {}

    /// A phone that promises about what it keeps, and reports no speed.
    package static func honest(
        _ errorMetres: Double, _ intervalSeconds: Double = 5, driftShare: Double = 0
    ) -> SafetyPhone {
        var phone = SafetyPhone()
        phone.errorMetres = errorMetres
        phone.intervalSeconds = intervalSeconds
        phone.driftShare = driftShare
        return phone
    }

    /// A fix as the server receives it.
    struct Fix: Hashable, Sendable {
        var sampledAt: Double
        var arrivesAt: Double
        var offset: Offset
        var accuracyMetres: Double
        var speed: Double?
    }

    /// Returns all fixes on a way, in the order in which they arrive.
    func fixes(on way: SafetyWay, chance: inout SeededRandom) -> [Fix] {
        let claimed = chance.uniform(claim.lowerBound, claim.upperBound)
        let bias = chance.vector(length: biasMetres)
        var drift = normal(&chance, errorMetres * driftShare.squareRoot())
        var liesLeft = lies.map(\.fixes)
        var ownFixAt = (network?.fromSeconds ?? 0) + (network?.ownFixEverySeconds ?? 0)
        var fixes: [Fix] = []
        var time = -intervalSeconds * chance.fraction()
        while true {
            let step = intervalSeconds * chance.uniform(0.75, 1.25)
            time += step
            if time > way.seconds { break }
            let kept = exp(-step / 45)
            drift =
                drift * kept
                + normal(&chance, errorMetres * driftShare.squareRoot() * (1 - kept * kept).squareRoot())
            let white = normal(&chance, errorMetres * (1 - driftShare).squareRoot())
            guard time >= 0, !silences.contains(where: { $0.contains(time) }) else { continue }
            let (truth, pace) = way.motion(at: time)
            var fix = Fix(
                sampledAt: time, arrivesAt: time, offset: truth + drift + white + bias,
                accuracyMetres: max(claimed * errorMetres * chance.logNormal(mean: 0, deviation: 0.1), 2),
                speed: speed == .measured ? abs(pace + chance.normal(deviation: 0.3)) : speed == .none ? nil : 0)
            if poorShare > 0, chance.chance(poorShare) {
                fix.offset = truth + normal(&chance, poorErrorMetres)
                fix.accuracyMetres = poorErrorMetres * Receiver.radiusOverDeviation
            }
            if coarseShare > 0, chance.chance(coarseShare) {
                let accuracy = chance.logUniform(500, 2_000)
                fix.offset = truth + normal(&chance, accuracy / Receiver.radiusOverDeviation)
                (fix.accuracyMetres, fix.speed) = (accuracy, nil)
            }
            if let network, time >= network.fromSeconds {
                if time >= ownFixAt {
                    ownFixAt += network.ownFixEverySeconds
                } else {
                    let accuracy = chance.uniform(network.accuracyMetres.lowerBound, network.accuracyMetres.upperBound)
                    fix.offset = network.place + normal(&chance, accuracy / Receiver.radiusOverDeviation / 2)
                    (fix.accuracyMetres, fix.speed) = (accuracy, nil)
                }
            }
            if let lie = lies.indices.first(where: { lies[$0].fromSeconds <= time && liesLeft[$0] > 0 }) {
                liesLeft[lie] -= 1
                fix.offset = lies[lie].place + normal(&chance, 2)
                fix.accuracyMetres = lies[lie].accuracyMetres
            }
            if lateShare > 0, chance.chance(lateShare) { fix.arrivesAt += chance.uniform(0, lateSeconds) }
            fix.sampledAt += clockOffSeconds
            if aheadShare > 0, chance.chance(aheadShare) { fix.sampledAt += aheadSeconds }
            fixes.append(fix)
            if doubledShare > 0, chance.chance(doubledShare) { fixes.append(fix) }
        }
        return fixes.enumerated().sorted { ($0.element.arrivesAt, $0.offset) < ($1.element.arrivesAt, $1.offset) }
            .map(\.element)
    }

    private func normal(_ chance: inout SeededRandom, _ deviation: Double) -> Offset {
        Offset(east: chance.normal(deviation: deviation), north: chance.normal(deviation: deviation))
    }
}
