/// Which mistake about being inside a region is the worse one. The mode sets the thresholds of the confident policy.
public enum RegionMode: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither mistake is worse.
    case standard
    /// A device believed to be inside counts as safe: an enter needs more certainty, and some doubt is already an exit.
    /// Muster regions have this mode.
    case insideIsSafe
    /// A device inside is in danger: an enter needs less certainty, and a device that stays near stays inside.
    case insideIsDanger

    /// The probability of being inside above which a device is inside.
    public var enterProbability: Double {
        switch self {
        case .standard: 0.85
        case .insideIsSafe: 0.95
        case .insideIsDanger: 0.70
        }
    }

    /// The probability of being inside, or within the margin of the region, below which a device is outside.
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

    /// The probability of being inside above which a device that moves into the region is inside.
    public var movingEnterProbability: Double {
        switch self {
        case .standard: 0.55
        case .insideIsSafe: 0.80
        case .insideIsDanger: 0.50
        }
    }

    /// The probability of being inside, or within `movingExitMarginMetres` of the region, below which a device that
    /// moves out of the region is outside.
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
