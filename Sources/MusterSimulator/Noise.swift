/// How wrong fixes are. The model is the study's behind the confident policy of crossings: an error that drifts,
/// jumps, street canyons, coarse fixes, unknown accuracies.
package struct Noise: Hashable, Sendable {
    /// How far reality departs from what receivers promise.
    package enum Tier: Hashable, Sendable, CaseIterable {
        /// Every fix is the truth.
        case none
        /// Fixes err, but what they say of their accuracy is about right.
        case honest
        /// Some fixes lie about their accuracy, some are twice as bad as they say, and streets are narrow.
        case hostile
    }

    /// What surrounds a receiver, and so how well it sees the sky.
    package enum Environment: Hashable, Sendable, CaseIterable {
        case open, suburb, city

        /// Metres: the radius that holds 68 % of the fixes.
        package var accuracyMetres: Double {
            switch self {
            case .open: 5
            case .suburb: 12
            case .city: 25
            }
        }

        /// Jumps an hour.
        package var jumpsPerHour: Double {
            switch self {
            case .open: 0.05
            case .suburb: 0.3
            case .city: 1
            }
        }
    }

    /// How far reality departs from what receivers promise.
    package var tier: Tier
    /// What surrounds everyone; nil: each person is given one by chance, for good.
    package var environment: Environment?
    /// Metres: the radius that holds 68 % of the fixes, where it is not the environment's own.
    package var accuracyMetres: Double?
    /// Whether everyone's phone sends a speed; nil: every second one does, by chance.
    package var saysSpeed: Bool?

    /// A noise, by default none.
    package init(
        _ tier: Tier = .none, environment: Environment? = nil, accuracyMetres: Double? = nil, saysSpeed: Bool? = nil
    ) {
        self.tier = tier
        self.environment = environment
        self.accuracyMetres = accuracyMetres
        self.saysSpeed = saysSpeed
    }
}
