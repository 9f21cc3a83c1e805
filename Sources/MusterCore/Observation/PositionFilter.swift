import MusterGeometry

/// Which positions a tracker stores and evaluates, so that jitter of a device at rest is not stored. The rules are
/// Amazon Location's; the baseline is the last position that was stored. No rule filters by speed: a fix too far away
/// to be reached is an outlier, and `ConfidentTrack` judges it.
public enum PositionFilter: String, Hashable, Sendable, CaseIterable {
    /// Everything is stored and evaluated.
    case none
    /// Everything is evaluated; at most one position in 30 s is stored for a device.
    case timeBased
    /// A position less than 30 m from the last stored one is neither stored nor evaluated by raw collections.
    case distanceBased
    /// A device that moved less than the accuracies of its last stored position and of this one added up is
    /// ignored; an unknown accuracy counts as 0.
    case accuracyBased

    /// Which stages a position passes.
    enum Passage {
        case ignored, evaluated, stored
    }

    /// Returns which stages a position that is newer than the baseline passes.
    func passage(of position: Position, after baseline: Position?) -> Passage {
        guard let baseline else { return .stored }
        switch self {
        case .none:
            return .stored
        case .timeBased:
            return position.sampleTime.seconds(since: baseline.sampleTime) >= 30 ? .stored : .evaluated
        case .distanceBased:
            return baseline.coordinate.distance(to: position.coordinate) < 30 ? .ignored : .stored
        case .accuracyBased:
            let reach = (baseline.accuracy ?? 0) + (position.accuracy ?? 0)
            return baseline.coordinate.distance(to: position.coordinate) < reach ? .ignored : .stored
        }
    }
}
