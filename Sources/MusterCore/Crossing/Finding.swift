import MusterGeometry

/// What a fix says of its device, to all regions alike.
struct Evidence {
    var device: DeviceNumber
    var sampleTime: Instant
    /// The tracker that the device reports to. The atlas holds it as long as it decides; were it counted, it would be
    /// so with every copy of this, six times an observation.
    unowned(unsafe) let tracker: Atlas.TrackerRule
    /// The standard deviation of the place, metres; 0 where only raw collections are linked.
    var deviationMetres: Double = 0
    /// What would be left of it after many more fixes like the last ones, metres.
    var leastDeviationMetres: Double = 0
    /// Whether the place is known well enough to decide anything.
    var isSettled = true
    /// Whether the last fix does not fit, so that everything stays as it was.
    var isChecking = false
    /// Whether nothing was ever decided under the confident policy: what a first decision finds is no crossing.
    var isFirst = false
}

extension Evidence {
    /// What a fix says. Moves the device's track.
    init(_ position: Position, of device: DeviceNumber, tracker: Atlas.TrackerRule, state: inout DeviceState) {
        self.init(device: device, sampleTime: position.sampleTime, tracker: tracker)
        guard !tracker.confident.isEmpty else { return }
        state.track.take(ConfidentFix(position))
        deviationMetres = state.track.deviationMetres
        leastDeviationMetres = state.track.leastDeviationMetres
        isSettled = state.track.isSettled
        isChecking = state.track.isChecking
        isFirst = !state.hasStood
        if isSettled { state.hasStood = true }
    }
}

extension Atlas {
    /// Replaces the bench's findings by the regions that a device may be inside of, in region order.
    func find(_ position: Position, _ evidence: Evidence, _ state: DeviceState, on bench: inout Workbench) {
        let tracker = evidence.tracker
        bench.findings.clear()
        if !tracker.raw.isEmpty {
            regions(containing: position.coordinate, in: tracker.raw, into: &bench.inside)
            for region in bench.inside {
                bench.findings.append(NearbyRegion(id: region, signedDistanceMetres: .infinity))
            }
        }
        guard !tracker.confident.isEmpty && !evidence.isChecking else { return }
        nearby(state.track.estimate, deviationMetres: evidence.deviationMetres, tracker: tracker, on: &bench)
        if 4 * evidence.deviationMetres > Self.reachMetres { measureDistant(state, tracker, on: &bench) }
        if tracker.collections.count > 1 { bench.findings.withArray { $0.sort { $0.id < $1.id } } }
    }

    /// Adds what is so near that it is not certain to be outside.
    private func nearby(
        _ place: Coordinate, deviationMetres: Double, tracker: TrackerRule, on bench: inout Workbench
    ) {
        let reach = Metres(min(4 * deviationMetres + Self.marginMetres, Self.reachMetres))
        for collection in tracker.confident {
            nearby(place, within: reach, in: collection, into: &bench.findings)
        }
    }

    /// Measures what is beyond `reachMetres`, where the place is so uncertain that this decides nothing: the regions
    /// that hold the place, and adds those that the device stood in.
    private func measureDistant(_ state: DeviceState, _ tracker: TrackerRule, on bench: inout Workbench) {
        bench.findings.withArray { measureDistant(state, tracker, &$0) }
    }

    private func measureDistant(
        _ state: DeviceState, _ tracker: TrackerRule, _ findings: inout [NearbyRegion]
    ) {
        for index in findings.indices where findings[index].signedDistanceMetres == .infinity {
            let region = RegionNumber(findings[index].id)
            guard rule(of: region)?.policy == .confident,
                let distance = signedDistance(from: state.track.estimate, to: region)
            else { continue }
            findings[index].signedDistanceMetres = distance.value
        }
        let found = Set(findings.map(\.id))
        for presence in state.presences where !found.contains(presence.region.rawValue) {
            guard let rule = rule(of: presence.region), rule.policy == .confident,
                tracker.isLinked(to: rule.collection),
                let distance = signedDistance(from: state.track.estimate, to: presence.region)
            else { continue }
            findings.append(
                NearbyRegion(id: presence.region.rawValue, signedDistanceMetres: distance.value))
        }
        findings.sort { $0.id < $1.id }
    }

    /// The largest exit margin of any mode, so that what lies farther than this and four deviations is outside.
    private static let marginMetres = 8.0
    /// How far a region is looked for, however uncertain the place is: within thousands of regions a fix of 20 km
    /// would take milliseconds.
    private static let reachMetres = 3_000.0
}
