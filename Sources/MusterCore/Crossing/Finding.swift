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
    /// Whether the tracker's filter lets raw collections evaluate the fix.
    var passesFilter = true
    /// Whether nothing was ever decided under the confident policy: what a first decision finds is no crossing.
    var isFirst = false
}

extension Evidence {
    /// What is known of a device.
    ///
    /// - Parameters:
    ///   - sampleTime: of its newest fix, corrected by what is known of its clock.
    ///   - isFirst: whether nothing was ever decided of it under the confident policy before that fix.
    init(
        _ state: DeviceState, of device: DeviceNumber, at sampleTime: Instant, tracker: Atlas.TrackerRule, isFirst: Bool
    ) {
        self.init(device: device, sampleTime: sampleTime, tracker: tracker)
        guard tracker.isFollowed else { return }
        deviationMetres = state.track.deviationMetres
        leastDeviationMetres = state.track.leastDeviationMetres
        isSettled = state.track.isSettled
        isChecking = state.track.isChecking
        self.isFirst = isFirst
    }
}

extension Atlas {
    /// Replaces the bench's findings by the regions that a device may be inside of, in region order.
    func find(_ position: Position, _ evidence: Evidence, _ state: DeviceState, on bench: inout Workbench) {
        let tracker = evidence.tracker
        bench.findings.clear()
        defer { if tracker.collections.count > 1 { bench.findings.withArray { $0.sort { $0.id < $1.id } } } }
        if !tracker.raw.isEmpty && evidence.passesFilter {
            regions(containing: position.coordinate, in: tracker.raw, into: &bench.inside)
            for region in bench.inside {
                bench.findings.append(NearbyRegion(id: region, signedDistanceMetres: .infinity))
            }
        }
        if !evidence.isChecking { addConfident(evidence, state, on: &bench) }
    }

    /// Replaces the bench's findings by the regions of confident collections that a device may be inside of, in region
    /// order.
    func findConfident(_ evidence: Evidence, _ state: DeviceState, on bench: inout Workbench) {
        bench.findings.clear()
        guard !state.track.isEmpty else { return }
        addConfident(evidence, state, on: &bench)
        if evidence.tracker.confident.count > 1 { bench.findings.withArray { $0.sort { $0.id < $1.id } } }
    }

    private func addConfident(_ evidence: Evidence, _ state: DeviceState, on bench: inout Workbench) {
        let tracker = evidence.tracker
        guard !tracker.confident.isEmpty else { return }
        nearby(evidence, state, in: tracker.confident, on: &bench)
        if 4 * evidence.deviationMetres > Self.reachMetres {
            bench.findings.withArray { measureDistant(state.presences, state, tracker.confident, &$0) }
        }
    }

    /// Replaces the bench's findings by the muster regions of raw collections that a device may be inside of, measured
    /// as the confident policy measures, in region order.
    func findRefuges(_ evidence: Evidence, _ state: DeviceState, on bench: inout Workbench) {
        let tracker = evidence.tracker
        bench.findings.clear()
        guard !state.track.isEmpty, !tracker.sheltering.isEmpty else { return }
        nearby(evidence, state, in: tracker.sheltering, on: &bench)
        bench.findings.withArray { findings in
            if 4 * evidence.deviationMetres > Self.reachMetres {
                measureDistant(state.refuges, state, tracker.sheltering, &findings)
            }
            findings.removeAll { rule(of: RegionNumber($0.id))?.isMuster != true }
            if tracker.sheltering.count > 1 { findings.sort { $0.id < $1.id } }
        }
    }

    /// Adds what is so near that it is not certain to be outside.
    private func nearby(
        _ evidence: Evidence, _ state: DeviceState, in collections: [CollectionNumber], on bench: inout Workbench
    ) {
        let reach = Metres(min(4 * evidence.deviationMetres + Self.marginMetres, Self.reachMetres))
        for collection in collections {
            nearby(state.track.estimate, within: reach, in: collection, into: &bench.findings)
        }
    }

    /// Measures what is beyond `reachMetres`, where the place is so uncertain that this decides nothing: the regions
    /// that hold the place, and adds those that the device stood in.
    private func measureDistant(
        _ presences: [Presence], _ state: DeviceState, _ collections: [CollectionNumber],
        _ findings: inout [NearbyRegion]
    ) {
        for index in findings.indices where findings[index].signedDistanceMetres == .infinity {
            let region = RegionNumber(findings[index].id)
            guard let rule = rule(of: region), collections.contains(rule.collection),
                let distance = signedDistance(from: state.track.estimate, to: region)
            else { continue }
            findings[index].signedDistanceMetres = distance.value
        }
        let found = Set(findings.map(\.id))
        for presence in presences where !found.contains(presence.region.rawValue) {
            guard let rule = rule(of: presence.region), collections.contains(rule.collection),
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
