/// Which mistake about being inside a region is the worse one. The mode sets the thresholds of the confident policy.
public enum RegionMode: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither mistake is worse.
    case standard
    /// A device believed to be inside counts as safe: an enter needs more certainty, and some doubt is already an exit.
    /// Muster regions have this mode.
    case insideIsSafe
    /// A device inside is in danger: an enter needs less certainty, and a device that stays near stays inside.
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

    /// The six thresholds of the mode.
    package var thresholds: CrossingThresholds {
        CrossingThresholds(
            enter: enterProbability, exit: exitProbability, exitMarginMetres: exitMarginMetres,
            movingEnter: movingEnterProbability, movingExit: movingExitProbability,
            movingExitMarginMetres: movingExitMarginMetres)
    }
}

/// The probabilities and margins at which a standing changes. `movingEnter` must be 0.5 or more and `movingExit` below
/// it: the evaluator looks only at regions that hold the estimate, and skips devices deep inside or far outside.
package struct CrossingThresholds: Hashable, Sendable {
    /// For a device that does not move across the boundary.
    package var enter: Double
    package var exit: Double
    package var exitMarginMetres: Double
    /// For a device that does.
    package var movingEnter: Double
    package var movingExit: Double
    package var movingExitMarginMetres: Double

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
