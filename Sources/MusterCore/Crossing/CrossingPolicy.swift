/// How fixes become crossings of a collection's regions.
public enum CrossingPolicy: String, Hashable, Sendable, CaseIterable {
    /// Every fix is believed as it is: the first inside is an enter, the first outside an exit. Amazon Location's rule.
    case raw
    /// Positions are filtered first, and a crossing is told when it is probable enough.
    ///
    /// Source: docs/truth.md.
    case confident
}
