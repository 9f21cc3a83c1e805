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
        /// Declared to be elsewhere: nobody need look for them.
        case offSite

        /// Whether a person calls for help.
        public var isCall: Bool { self == .sos || self == .needsHelp }
        /// Whether nobody need look for them.
        public var isAccounted: Bool { self == .safe || self == .offSite }
    }

    /// How it is known.
    public enum Source: Hashable, Sendable {
        /// Nothing was heard of any device of theirs for longer than the team's limit.
        case silence
        /// A device of theirs is inside a muster region.
        case region
        /// A device of theirs is outside every muster region.
        case position
        /// They said so themselves.
        case ownDeclaration
        /// This user said so.
        case marked(by: UserNumber)
        /// A device of theirs is heard, and says nothing recent of where it is: what it sends is old, or its clock is
        /// off.
        case unlocated
        /// What they may be inside of was edited, and where a device of theirs stands since is still being worked out.
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
    /// Who has heard the call for help; nil while nobody has, and in any other state.
    public var acknowledgedBy: UserNumber?
    /// Why a state that devices tell is not to be relied on; nil where nothing speaks against it.
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
