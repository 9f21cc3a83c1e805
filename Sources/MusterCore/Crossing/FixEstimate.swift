import MusterGeometry

/// What a fix says of its device, to all regions alike.
struct FixEstimate {
    var device: DeviceNumber
    var sampleTime: Instant
    /// The tracker that the device reports to. The catalog holds it as long as it decides; were it counted, it would be
    /// so with every copy of this, six times an observation.
    unowned(unsafe) let tracker: RegionCatalog.TrackerRule
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

extension FixEstimate {
    /// What is known of a device.
    ///
    /// - Parameters:
    ///   - sampleTime: of its newest fix, corrected by what is known of its clock.
    ///   - isFirst: whether nothing was ever decided of it under the confident policy before that fix.
    init(
        _ state: DeviceState, of device: DeviceNumber, at sampleTime: Instant, tracker: RegionCatalog.TrackerRule,
        isFirst: Bool
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

extension RegionCatalog {
    /// Replaces the scratch's nearbyRegions by the regions that a device may be inside of, in region order.
    func find(_ position: Position, _ estimate: FixEstimate, _ state: DeviceState, on scratch: inout Scratch) {
        let tracker = estimate.tracker
        scratch.nearbyRegions.clear()
        defer { if tracker.collections.count > 1 { scratch.nearbyRegions.withArray { $0.sort { $0.id < $1.id } } } }
        if !tracker.raw.isEmpty && estimate.passesFilter {
            regions(containing: position.coordinate, in: tracker.raw, into: &scratch.inside)
            for region in scratch.inside {
                scratch.nearbyRegions.append(NearbyRegion(id: region, signedDistanceMetres: .infinity))
            }
        }
        if !estimate.isChecking { addConfident(estimate, state, on: &scratch) }
    }

    /// Replaces the scratch's nearbyRegions by the regions of confident collections that a device may be inside of, in
    /// region order.
    func findConfident(_ estimate: FixEstimate, _ state: DeviceState, on scratch: inout Scratch) {
        scratch.nearbyRegions.clear()
        guard !state.track.isEmpty else { return }
        addConfident(estimate, state, on: &scratch)
        if estimate.tracker.confident.count > 1 { scratch.nearbyRegions.withArray { $0.sort { $0.id < $1.id } } }
    }

    private func addConfident(_ estimate: FixEstimate, _ state: DeviceState, on scratch: inout Scratch) {
        let tracker = estimate.tracker
        guard !tracker.confident.isEmpty else { return }
        nearby(estimate, state, in: tracker.confident, on: &scratch)
        if 4 * estimate.deviationMetres > Self.reachMetres {
            scratch.nearbyRegions.withArray { measureDistant(state.presences, state, tracker.confident, &$0) }
        }
    }

    /// Replaces the scratch's nearbyRegions by the muster regions of raw collections that a device may be inside of,
    /// measured as the confident policy measures, in region order.
    func findRefuges(_ estimate: FixEstimate, _ state: DeviceState, on scratch: inout Scratch) {
        let tracker = estimate.tracker
        scratch.nearbyRegions.clear()
        guard !state.track.isEmpty, !tracker.sheltering.isEmpty else { return }
        nearby(estimate, state, in: tracker.sheltering, on: &scratch)
        scratch.nearbyRegions.withArray { nearbyRegions in
            if 4 * estimate.deviationMetres > Self.reachMetres {
                measureDistant(state.refuges, state, tracker.sheltering, &nearbyRegions)
            }
            nearbyRegions.removeAll { rule(of: RegionNumber($0.id))?.isMuster != true }
            if tracker.sheltering.count > 1 { nearbyRegions.sort { $0.id < $1.id } }
        }
    }

    /// Adds what is so near that it is not certain to be outside.
    private func nearby(
        _ estimate: FixEstimate, _ state: DeviceState, in collections: [CollectionNumber], on scratch: inout Scratch
    ) {
        let reach = Metres(min(4 * estimate.deviationMetres + Self.marginMetres, Self.reachMetres))
        for collection in collections {
            nearby(state.track.estimate, within: reach, in: collection, into: &scratch.nearbyRegions)
        }
    }

    /// Measures what is beyond `reachMetres`, where the place is so uncertain that this decides nothing: the regions
    /// that hold the place, and adds those that the device stood in.
    private func measureDistant(
        _ presences: [Presence], _ state: DeviceState, _ collections: [CollectionNumber],
        _ nearbyRegions: inout [NearbyRegion]
    ) {
        for index in nearbyRegions.indices where nearbyRegions[index].signedDistanceMetres == .infinity {
            let region = RegionNumber(nearbyRegions[index].id)
            guard let rule = rule(of: region), collections.contains(rule.collection),
                let distance = signedDistance(from: state.track.estimate, to: region)
            else { continue }
            nearbyRegions[index].signedDistanceMetres = distance.value
        }
        let found = Set(nearbyRegions.map(\.id))
        for presence in presences where !found.contains(presence.region.rawValue) {
            guard let rule = rule(of: presence.region), collections.contains(rule.collection),
                let distance = signedDistance(from: state.track.estimate, to: presence.region)
            else { continue }
            nearbyRegions.append(
                NearbyRegion(id: presence.region.rawValue, signedDistanceMetres: distance.value))
        }
        nearbyRegions.sort { $0.id < $1.id }
    }

    /// The largest exit margin of any mode, so that what lies farther than this and four deviations is outside.
    private static let marginMetres = 8.0
    /// How far a region is looked for, however uncertain the place is: within thousands of regions a fix of 20 km
    /// would take milliseconds.
    private static let reachMetres = 3_000.0
}
