/// What it means to be inside a region, and so which mistake about it is the worse one.
public enum RegionMode: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither mistake is worse.
    case standard
    /// Who is believed inside is believed safe: an enter needs more, a doubt already is an exit. Muster regions.
    case insideIsSafe
    /// Who is inside is in danger: an enter needs less, and who stays near stays in.
    case insideIsDanger

    /// A device is inside once the probability of it is above this.
    public var enterProbability: Double {
        switch self {
        case .standard: 0.85
        case .insideIsSafe: 0.95
        case .insideIsDanger: 0.70
        }
    }

    /// A device is outside once the probability that it is inside, or within the margin of it, is below this.
    public var exitProbability: Double {
        switch self {
        case .standard, .insideIsDanger: 0.05
        case .insideIsSafe: 0.15
        }
    }

    /// Metres around the region that count as inside for an exit.
    public var exitMarginMetres: Double {
        switch self {
        case .standard: 5
        case .insideIsSafe: 0
        case .insideIsDanger: 8
        }
    }
}
