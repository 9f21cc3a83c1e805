import MusterGeometry

/// The working memory of a decision: the changes so far, and buffers that the engine reuses for each observation, so
/// that an observation that crosses nothing allocates nothing.
struct Scratch: Sendable {
    /// The changes to append to the log, in order.
    var changes: [Change] = []
    /// Whether the present observation changed its device's presences.
    var presencesChanged = false
    /// Whether the present observation made the engine report a `Belief`.
    var beliefChanged = false
    /// Whether the present observation changed the device's `ShelterEvidence`.
    var evidenceChanged = false

    var inside = Answers<Int32>()
    /// The regions that the present fix may be inside, in region order. The distance to a boundary is infinite when
    /// the boundary is far, or when no policy needs the distance.
    var nearbyRegions = Answers<NearbyRegion>()
    /// The regions near the place where a moving device was earlier.
    var places = Answers<NearbyRegion>()
    var presences: [Presence] = []
    /// The changes to append after the exits of the present observation: enters, then dwells, then reports.
    var enters: [Crossing] = []
    var dwells: [Crossing] = []
    var reports: [PresenceReport] = []

    /// Appends the gathered enters, dwells and reports to the changes, and empties their buffers.
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
