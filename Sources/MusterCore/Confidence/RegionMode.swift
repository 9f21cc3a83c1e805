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

    /// A device that moves into the region is inside once the probability of it is above this.
    public var movingEnterProbability: Double {
        switch self {
        case .standard: 0.55
        case .insideIsSafe: 0.80
        case .insideIsDanger: 0.50
        }
    }

    /// A device that moves out of the region is outside once the probability that it is inside, or within the margin
    /// of it for one that moves, is below this.
    public var movingExitProbability: Double {
        switch self {
        case .standard: 0.45
        case .insideIsSafe: 0.40
        case .insideIsDanger: 0.20
        }
    }

    /// Metres around the region that count as inside for an exit of a device that moves out.
    public var movingExitMarginMetres: Double {
        switch self {
        case .standard, .insideIsSafe: 0
        case .insideIsDanger: 4
        }
    }

    /// All of these.
    package var thresholds: CrossingThresholds {
        CrossingThresholds(
            enter: enterProbability, exit: exitProbability, exitMarginMetres: exitMarginMetres,
            movingEnter: movingEnterProbability, movingExit: movingExitProbability,
            movingExitMarginMetres: movingExitMarginMetres)
    }
}

/// The probabilities at which a standing changes. `movingEnter` is 0.5 or more, `movingExit` below it: the engine looks
/// only at regions that hold the estimate, and leaves alone who is deep inside or far outside.
package struct CrossingThresholds: Hashable, Sendable {
    /// Of a device that does not move across the boundary.
    package var enter: Double
    package var exit: Double
    package var exitMarginMetres: Double
    /// Of one that does.
    package var movingEnter: Double
    package var movingExit: Double
    package var movingExitMarginMetres: Double

    /// Thresholds.
    package init(
        enter: Double, exit: Double, exitMarginMetres: Double, movingEnter: Double, movingExit: Double,
        movingExitMarginMetres: Double
    ) {
        self.enter = enter
        self.exit = exit
        self.exitMarginMetres = exitMarginMetres
        self.movingEnter = movingEnter
        self.movingExit = movingExit
        self.movingExitMarginMetres = movingExitMarginMetres
    }
}
