import MusterGeometry

/// Collects the regions that a device may be inside, for `CrossingEvaluator`.
extension RegionCatalog {
    /// Replaces the scratch's `nearbyRegions` with the regions that a device may be inside, in region order.
    ///
    /// - Parameter presences: the device's presences before the fix.
    func collectNearbyRegions(
        at position: Position, by estimate: FixEstimate, presences: [Presence], on scratch: inout Scratch
    ) {
        let tracker = estimate.tracker
        scratch.nearbyRegions.clear()
        defer { if tracker.collections.count > 1 { scratch.nearbyRegions.withArray { $0.sort { $0.id < $1.id } } } }
        if !tracker.raw.isEmpty && estimate.passesFilter {
            regions(containing: position.coordinate, in: tracker.raw, into: &scratch.inside)
            for region in scratch.inside {
                scratch.nearbyRegions.append(NearbyRegion(id: region, signedDistanceMetres: .infinity))
            }
        }
        if !estimate.isChecking { addConfidentRegions(by: estimate, presences: presences, on: &scratch) }
    }

    /// Replaces the scratch's `nearbyRegions` with the regions of confident collections that a device may be inside, in
    /// region order.
    func collectConfidentRegions(by estimate: FixEstimate, presences: [Presence], on scratch: inout Scratch) {
        scratch.nearbyRegions.clear()
        guard estimate.deviationMetres.isFinite else { return }
        addConfidentRegions(by: estimate, presences: presences, on: &scratch)
        if estimate.tracker.confident.count > 1 { scratch.nearbyRegions.withArray { $0.sort { $0.id < $1.id } } }
    }

    private func addConfidentRegions(
        by estimate: FixEstimate, presences: [Presence], on scratch: inout Scratch
    ) {
        let tracker = estimate.tracker
        guard !tracker.confident.isEmpty else { return }
        let reach = Self.reach(of: estimate)
        for collection in tracker.confident {
            nearby(estimate.place, within: reach, in: collection, into: &scratch.nearbyRegions)
        }
        if 4 * estimate.deviationMetres > Self.reachMetres {
            scratch.nearbyRegions.withArray { measureDistant(presences, estimate, tracker.confident, &$0) }
        }
    }

    /// Replaces the scratch's `nearbyRegions` with the muster regions of raw collections that a device may be inside,
    /// measured for the confident policy, in region order.
    ///
    /// - Parameter presences: the device's presences there before the fix.
    func collectMusterRegions(by estimate: FixEstimate, presences: [Presence], on scratch: inout Scratch) {
        let tracker = estimate.tracker
        scratch.nearbyRegions.clear()
        guard estimate.deviationMetres.isFinite, !tracker.sheltering.isEmpty else { return }
        let reach = Self.reach(of: estimate)
        for collection in tracker.sheltering {
            nearbyShelters(estimate.place, within: reach, in: collection, into: &scratch.nearbyRegions)
        }
        if 4 * estimate.deviationMetres > Self.reachMetres {
            scratch.nearbyRegions.withArray {
                measureDistant(presences, estimate, tracker.sheltering, &$0)
                $0.removeAll { policy(ofShelter: RegionNumber($0.id)) == nil }
            }
        }
        if tracker.sheltering.count > 1 { scratch.nearbyRegions.withArray { $0.sort { $0.id < $1.id } } }
    }

    /// How far from the estimate a region's boundary may be for which the device is not certain to be outside.
    private static func reach(of estimate: FixEstimate) -> Metres {
        Metres(min(4 * estimate.deviationMetres + marginMetres, reachMetres))
    }

    /// Measures regions whose boundary is beyond `reachMetres`: the regions that contain the estimate, and the regions
    /// of the device's presences, which this function adds. With so large a deviation no others can matter.
    private func measureDistant(
        _ presences: [Presence], _ estimate: FixEstimate, _ collections: [CollectionNumber],
        _ nearbyRegions: inout [NearbyRegion]
    ) {
        for index in nearbyRegions.indices where nearbyRegions[index].signedDistanceMetres == .infinity {
            let region = RegionNumber(nearbyRegions[index].id)
            guard let rule = rule(of: region), collections.contains(rule.collection),
                let distance = signedDistance(from: estimate.place, to: region)
            else { continue }
            nearbyRegions[index].signedDistanceMetres = distance.value
        }
        let found = Set(nearbyRegions.map { $0.id })
        for presence in presences where !found.contains(presence.region.rawValue) {
            guard let rule = rule(of: presence.region), collections.contains(rule.collection),
                let distance = signedDistance(from: estimate.place, to: presence.region)
            else { continue }
            nearbyRegions.append(
                NearbyRegion(id: presence.region.rawValue, signedDistanceMetres: distance.value))
        }
        nearbyRegions.sort { $0.id < $1.id }
    }

    /// The largest exit margin of any mode, metres. A device is certainly outside a region that is farther away than
    /// this and four deviations.
    private static let marginMetres = 8.0
    /// How far around the estimate the engine searches for boundaries, metres, however large the deviation is: among
    /// thousands of regions, a search around a fix with an accuracy of 20 km would take milliseconds.
    private static let reachMetres = 3_000.0

    /// Whether a device may be inside a region that the search did not reach, because its estimate is so uncertain.
    /// If so, a missing presence there does not show that the device is outside. A device that is too far from the
    /// region even for its uncertainty is outside.
    func mayMiss(_ region: RegionNumber, by track: ConfidentTrack) -> Bool {
        Self.unsearchedBox(of: track).map { isRegion(region, near: $0) } ?? false
    }

    /// Whether a device may be inside a muster region that the search did not reach; see `mayMiss`.
    func mayMissShelter(of tracker: TrackerRule, by track: ConfidentTrack) -> Bool {
        Self.unsearchedBox(of: track).map { isShelter(of: tracker, near: $0) } ?? false
    }

    /// Returns a box around all places where a device may be; nil when the search reaches all of them.
    private static func unsearchedBox(of track: ConfidentTrack) -> BoundingBox? {
        let reach = -CrossingEvaluator.farDeviations * track.deviationMetres
        guard !track.isEmpty, reach > reachMetres else { return nil }
        return BoundingBox(around: track.estimate, within: Metres(reach))
    }
}

extension RegionCatalog {
    /// Whether clients see a region's presence from `DeviceState.presences`. In a muster region of a raw collection
    /// they see the confident one from `DeviceState.musterPresences` instead.
    func isShown(_ region: RegionNumber) -> Bool {
        guard let rule = rule(of: region) else { return true }
        return rule.policy == .confident || !rule.isShelter
    }
}
