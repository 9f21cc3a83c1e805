/// How many people of a roll are accounted for. Each person of the roll counts as exactly one of accounted for,
/// checking and unaccounted.
public struct RollCounts: Hashable, Sendable {
    /// The people that the incident waits for.
    public var people = 0
    /// Those who are safe or off site without a doubt.
    public var accounted = 0
    /// Those who are safe with a doubt.
    public var checking = 0
    /// All others.
    public var unaccounted: Int { people - accounted - checking }

    /// Creates counts that were made earlier.
    public init(people: Int, accounted: Int, checking: Int) {
        self.people = people
        self.accounted = accounted
        self.checking = checking
    }

    /// Counts people by their safety.
    public init(of people: some Sequence<Safety>) {
        for safety in people {
            self.people += 1
            if safety.isAccounted { accounted += 1 }
            if safety.isChecking { checking += 1 }
        }
    }
}
