/// Whether a person is safe, since when, and how that is known. Derived by the engine alone, never merged from clients.
public struct Safety: Hashable, Sendable {
    /// How someone is.
    public enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// Nothing recent is known: never heard of, or silent beyond the team's limit.
        case unknown
        /// Inside a muster region with every device that is not silent, or declared safe.
        case safe
        /// A device of theirs that is not silent is outside every muster region.
        case unsafe
        /// They need help, until a person says that they are safe or clears it.
        case needsHelp
        /// They are in danger, until a person clears it.
        case sos
        /// Declared to be elsewhere, so that nobody need look for them.
        case offSite

        /// Whether a person calls for help.
        public var isCall: Bool { self == .sos || self == .needsHelp }
        /// Whether nobody need look for them.
        public var isAccounted: Bool { self == .safe || self == .offSite }
    }

    /// How it is known.
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
        /// One of their devices reports, but gives no recent position: its fixes are old, or its clock is wrong.
        case unlocated
        /// The regions were edited, and the engine has not yet evaluated one of their devices against the new regions.
        case underReview
    }

    /// How they are.
    public var state: State
    /// Since when: the sample time that decided it; for silence, the moment the limit passed.
    public var since: Instant
    /// The muster region that makes them safe; nil where none does.
    public var region: RegionNumber?
    /// How it is known.
    public var source: Source
    /// The user who acknowledged the call for help; nil while nobody has, and in any other state.
    public var acknowledgedBy: UserNumber?
    /// Why a state derived from devices is unreliable; nil when no doubt is known.
    public var doubt: Doubt?

    /// A person's safety.
    ///
    /// - Parameter source: nil: what the devices tell, or where the state cannot come from them, the person itself.
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

    private static func usualSource(of state: State) -> Source {
        switch state {
        case .unknown: .silence
        case .safe: .region
        case .unsafe: .position
        case .needsHelp, .sos, .offSite: .ownDeclaration
        }
    }
}
