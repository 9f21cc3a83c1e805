/// Whether a person is safe, since when, and by what evidence. Only the engine derives it; it is never merged from
/// clients.
public struct Safety: Hashable, Sendable {
    /// The states of a person's safety.
    public enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// The server never heard of the person, their silence exceeds the team's limit, or the evidence does not
        /// decide.
        case unknown
        /// Every device of the person that is not silent is inside a muster region, or the person was declared safe.
        case safe
        /// A device of the person that is not silent is outside every muster region.
        case unsafe
        /// The person needs help, until someone declares them safe or clears it.
        case needsHelp
        /// The person is in danger, until someone clears it.
        case sos
        /// The person was declared to be elsewhere, so that nobody need look for them.
        case offSite

        /// Whether the person calls for help.
        public var isCall: Bool { self == .sos || self == .needsHelp }
    }

    /// The evidence that a state of safety follows from.
    public enum Source: Hashable, Sendable {
        /// None of their devices has reported for longer than the team's limit.
        case silence
        /// A device of theirs is inside a muster region.
        case region
        /// A device of theirs is outside every muster region.
        case position
        /// The person declared it.
        case ownDeclaration
        /// This user declared it about the person.
        case marked(by: UserNumber)
        /// One of their devices reports, but its positions do not decide: its fixes are old or too inaccurate, it may
        /// have left the region, or its clock is wrong.
        case unlocated
        /// A device of theirs counted as inside a muster region, and its last fixes add up to its having left
        /// (`ShelterEvidence`). It is not yet certain that the person left.
        case seemsToHaveLeft
        /// The regions were edited, and the engine has not yet evaluated one of their devices against the new regions.
        case underReview
        /// Their check-in timer ran out: neither they nor a leader checked in.
        case checkInTimer

        /// Whether a person declared the state.
        var isDeclared: Bool {
            switch self {
            case .ownDeclaration, .marked: true
            case .silence, .region, .position, .unlocated, .seemsToHaveLeft, .underReview, .checkInTimer: false
            }
        }
    }

    /// The person's state.
    public var state: State
    /// Since when the state applies: the sample time that decided it; for silence, the moment when the limit passed.
    public var since: Instant
    /// The muster region that makes the person safe; nil when none does.
    public var region: RegionNumber?
    /// The evidence that the state follows from.
    public var source: Source
    /// The user who acknowledged the call for help; nil while nobody has, and in any other state.
    public var acknowledgedBy: UserNumber?
    /// Why a state derived from devices is unreliable; nil when no doubt is known.
    public var doubt: Doubt?

    /// Creates a person's safety.
    ///
    /// - Parameter source: what the state follows from; nil for the devices, or for the person's own declaration when
    ///   the state cannot follow from devices.
    public init(
        state: State, since: Instant, region: RegionNumber? = nil, source: Source? = nil,
        acknowledgedBy: UserNumber? = nil, doubt: Doubt? = nil
    ) {
        self.state = state
        self.since = since
        self.region = region
        self.source = source ?? Self.usualSource(of: state)
        self.acknowledgedBy = acknowledgedBy
        self.doubt = doubt
    }

    /// Whether the person is accounted for, so that nobody need look for them: safe or off site, without a doubt.
    public var isAccounted: Bool { (state == .safe || state == .offSite) && doubt == nil }
    /// Whether the person is safe with a doubt: neither accounted for nor missing.
    public var isChecking: Bool { state == .safe && doubt != nil }

    private static func usualSource(of state: State) -> Source {
        switch state {
        case .unknown: .silence
        case .safe: .region
        case .unsafe: .position
        case .needsHelp, .sos, .offSite: .ownDeclaration
        }
    }
}
