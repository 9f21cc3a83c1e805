import MusterGeometry

/// What one observation after the other is worked out on: the changes so far, and room that is kept from one to the
/// next, so that an observation that crosses nothing allocates nothing.
struct Scratch: Sendable {
    /// What is to be appended to the log, in order.
    var changes: [Change] = []
    /// Whether the observation at hand changed its device's presences.
    var presencesChanged = false
    /// Whether it was told of the observation at hand that its device's fixes are believed, or no longer.
    var beliefChanged = false

    var inside = Answers<Int32>()
    /// The regions that a fix may be inside of, in region order; where the boundary is far, or nobody asks how far it
    /// is, its distance is infinite.
    var nearbyRegions = Answers<NearbyRegion>()
    /// The regions near the place where a moving device was.
    var places = Answers<NearbyRegion>()
    var presences: [Presence] = []
    /// What is told after the exits of the observation at hand: its enters, its dwells, then its reports.
    var enters: [Crossing] = []
    var dwells: [Crossing] = []
    var reports: [PresenceReport] = []

    /// Appends what was gathered behind the exits.
    mutating func tellGathered() {
        if enters.isEmpty && dwells.isEmpty && reports.isEmpty { return }
        for crossing in enters { changes.append(.crossing(crossing)) }
        for crossing in dwells { changes.append(.crossing(crossing)) }
        for report in reports { changes.append(.presence(report)) }
        enters.removeAll(keepingCapacity: true)
        dwells.removeAll(keepingCapacity: true)
        reports.removeAll(keepingCapacity: true)
    }
}
