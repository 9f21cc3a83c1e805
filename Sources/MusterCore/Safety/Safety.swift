/// Whether a person is safe, since when, and why. Derived by the engine alone, never merged from clients.
public struct Safety: Hashable, Sendable {
    /// How someone is.
    public enum State: UInt8, Hashable, Sendable, CaseIterable {
        /// Nothing recent is known: never heard of, or silent beyond the team's limit.
        case unknown
        /// Every device of theirs that is not silent is inside a muster region.
        case safe
        /// A device of theirs that is not silent is outside every muster region.
        case unsafe
    }

    /// How they are.
    public var state: State
    /// Since when: the sample time that decided it; for silence, the moment the limit passed.
    public var since: Instant
    /// The muster region that makes them safe; nil in any other state.
    public var region: RegionNumber?

    /// A person's safety.
    public init(state: State, since: Instant, region: RegionNumber? = nil) {
        self.state = state
        self.since = since
        self.region = region
    }
}
