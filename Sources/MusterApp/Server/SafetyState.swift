/// How a person is, as the server says it.
public enum SafetyState: String, Codable, Sendable, CaseIterable {
    case sos, needsHelp, unsafe, unknown, offSite, safe

    /// Whether it is a call for help.
    public var isCall: Bool { self == .sos || self == .needsHelp }
}

/// How a person is shown: the server's state, with what makes it doubtful said apart. A view chooses a mark, a colour
/// and a shape by it, and decides nothing.
///
/// The order is that of a roster: whom a leader must see first.
public enum ShownState: String, Codable, Sendable, CaseIterable, Comparable, Identifiable {
    /// Calls SOS.
    case sos
    /// Calls for help.
    case needsHelp
    /// Outside every assembly point while an incident is open.
    case unsafe
    /// Was in an assembly point, and the newest positions lie outside.
    case seemsToHaveLeft
    /// Nothing recent shows where the person is.
    case unknown
    /// Safe with a doubt.
    case checking
    /// Outside every assembly point, while there is nothing to be safe from.
    case located
    /// Elsewhere: nobody need search for them.
    case offSite
    /// Safe without a doubt.
    case safe

    /// Its name.
    public var id: String { rawValue }

    /// Whether the person counts as accounted for on a roll.
    public var isAccounted: Bool { self == .safe || self == .offSite }

    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether a state comes before another on a roster.
    public static func < (left: ShownState, right: ShownState) -> Bool { left.rank < right.rank }
}

/// What keeps a state from being sure.
public enum StateDoubt: String, Codable, Sendable {
    case checking, stale, poorAccuracy
    /// The server said something that this version of the app does not know.
    case notUnderstood
}
