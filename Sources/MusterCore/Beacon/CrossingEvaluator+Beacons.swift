/// The standing of a device in one beacon region that follows from the sightings.
struct BeaconVerdict {
    var region: RegionNumber
    var rule: RegionCatalog.RegionRule
    /// The standing before this decision.
    var former: Standing
    var standing: Standing
    var probability: Double
    /// The moment from which the standing holds, by the listener's clock.
    var time: Instant
    /// The signal strength of the device in this region, dBm; used to choose among rooms.
    var signal: Double
    var isRoom: Bool
}

extension CrossingEvaluator {
    /// Updates a device's presences in beacon regions and reports the crossings: exits, then enters, then dwells, each
    /// in region order. Presences in other regions stay as they are.
    ///
    /// - Parameter verdicts: the new standings, in region order.
    static func applyVerdicts(
        _ verdicts: [BeaconVerdict], to presences: inout [Presence], of device: DeviceNumber,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) {
        let changedBefore = scratch.presencesChanged
        scratch.presencesChanged = false
        defer { scratch.presencesChanged = scratch.presencesChanged || changedBefore }
        scratch.presences.removeAll(keepingCapacity: true)
        var rest = presences[...]
        for verdict in verdicts {
            while let first = rest.first, first.region < verdict.region {
                scratch.presences.append(rest.removeFirst())
            }
            let former = rest.first?.region == verdict.region ? rest.removeFirst() : nil
            let estimate = FixEstimate(device: device, sampleTime: verdict.time, tracker: tracker)
            CrossingEvaluator(estimate: estimate, scope: .beacons).cross(
                from: former ?? Presence(outside: verdict.region, at: verdict.time), isNew: former == nil,
                verdict.rule, to: verdict.standing, probability: verdict.probability, on: &scratch)
        }
        scratch.presences += rest
        scratch.tellGathered()
        if scratch.presencesChanged { presences = Array(scratch.presences) }
    }
}
