/// How the engine derives crossings of a collection's regions from fixes.
public enum CrossingPolicy: String, Hashable, Sendable, CaseIterable {
    /// The engine believes every fix: the first one inside is an enter, the first one outside an exit. This is Amazon
    /// Location's rule.
    case raw
    /// The engine filters positions first, and reports a crossing when it is probable enough.
    ///
    /// Source: docs/truth.md.
    case confident
}
