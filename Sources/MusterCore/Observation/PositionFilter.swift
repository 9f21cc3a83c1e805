/// Which positions a tracker stores and evaluates. The rules are Amazon Location's.
public enum PositionFilter: String, Hashable, Sendable, CaseIterable {
    /// Everything is stored and evaluated.
    case none
    /// Everything is evaluated; at most one position in 30 s is stored for a device.
    case timeBased
    /// A device that moved less than 30 m since its last accepted position is neither stored nor evaluated.
    case distanceBased
    /// A device that moved less than the accuracies of its last accepted position and of this one added up is
    /// ignored; an unknown accuracy counts as 0.
    case accuracyBased
}
