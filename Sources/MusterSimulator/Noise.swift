/// The errors of simulated fixes: an error that drifts, jumps, street canyons, coarse fixes and unknown accuracies. The
/// model is that of the study behind the confident policy.
package struct Noise: Hashable, Sendable {
    /// How far errors exceed what receivers promise.
    package enum Tier: Hashable, Sendable, CaseIterable {
        /// Every fix is exact.
        case none
        /// Fixes err, but their accuracies are about right.
        case honest
        /// Some fixes claim a wrong accuracy, some are twice as bad as they claim, and streets are narrow.
        case hostile
    }

    /// The surroundings of a receiver, which decide how well it sees the sky.
    package enum Environment: Hashable, Sendable, CaseIterable {
        case open, suburb, city

        /// The radius that holds 68 % of the fixes, metres.
        package var accuracyMetres: Double {
            switch self {
            case .open: 5
            case .suburb: 12
            case .city: 25
            }
        }

        /// The number of jumps an hour.
        package var jumpsPerHour: Double {
            switch self {
            case .open: 0.05
            case .suburb: 0.3
            case .city: 1
            }
        }
    }

    /// How far errors exceed what receivers promise.
    package var tier: Tier
    /// Everyone's surroundings; nil to choose each person's at random, once for the whole simulation.
    package var environment: Environment?
    /// The radius that holds 68 % of the fixes, metres; nil for that of the environment.
    package var accuracyMetres: Double?
    /// Whether everyone's phone sends a speed; nil to have every second one do so, by chance.
    package var saysSpeed: Bool?

    /// Creates a noise, by default none.
    package init(
        _ tier: Tier = .none, environment: Environment? = nil, accuracyMetres: Double? = nil, saysSpeed: Bool? = nil
    ) {
        self.tier = tier
        self.environment = environment
        self.accuracyMetres = accuracyMetres
        self.saysSpeed = saysSpeed
    }
}
