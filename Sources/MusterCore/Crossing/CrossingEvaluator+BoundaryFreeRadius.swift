import MusterGeometry

// Most fixes change nothing: the device is far from every boundary. How far it is was found out with a fix before, and
// until it has gone so far no index is asked.

extension CrossingEvaluator {
    /// Whether a device that was at rest has not come near a boundary since, so that it stays in what it is in.
    @inline(__always)
    func isClear(_ position: Position, _ state: DeviceState, in catalog: RegionCatalog) -> Bool {
        guard estimate.isSettled else { return false }
        let boundaryFreeRadius = state.boundaryFreeRadius
        if !estimate.tracker.isFollowed {
            return boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
        }
        guard boundaryFreeRadius.holds(at: state.track.estimate, reachMetres: reachMetres, stamp: catalog.stamp) else {
            return false
        }
        return estimate.tracker.raw.isEmpty
            || boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
    }

    /// How near to a boundary nothing is certain: what is so deep inside of a region is certain to be in it, and what
    /// is so far outside certain not to be; see `isSteady` and `staysPut`.
    private var reachMetres: Double { Self.steadyDeviations * estimate.deviationMetres }

    /// Finds out how far the device may go, where it is worth it.
    func noteBoundaryFreeRadius(
        around position: Position, isAtRest: Bool, _ state: inout DeviceState, in catalog: RegionCatalog,
        _ nearbyRegions: Answers<NearbyRegion>
    ) {
        let tracker = estimate.tracker
        guard isAtRest && estimate.isSettled && !tracker.collections.isEmpty else { return }
        // Raw regions were not looked at.
        guard estimate.passesFilter || tracker.raw.isEmpty else { return }
        let place = !tracker.isFollowed ? position.coordinate : state.track.estimate
        // Who goes farther from one fix to the next leaves it behind at once.
        let isFast = state.boundaryFreeRadius.isFarther(than: 2 * Self.clearanceLimit.value, from: place)
        var metres = isFast ? 0 : Self.clearanceLimit.value
        if tracker.raw.isEmpty {
            for nearbyRegion in nearbyRegions { metres = min(metres, abs(nearbyRegion.signedDistanceMetres)) }
        }
        // Nor is there a need to look for more than what was found already.
        if metres == Self.clearanceLimit.value {
            metres =
                catalog.boundaryFreeRadius(around: place, within: Self.clearanceLimit, in: tracker.collections).value
        }
        state.boundaryFreeRadius = BoundaryFreeRadius(around: place, metres: metres, stamp: catalog.stamp)
        // Raw regions are crossed by the fix itself: it has to be as clear as the estimate.
        if !tracker.raw.isEmpty
            && !state.boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
        {
            state.boundaryFreeRadius = BoundaryFreeRadius(around: place, metres: 0, stamp: catalog.stamp)
        }
    }

    /// How far boundaries are looked for.
    private static var clearanceLimit: Metres { 100 }
}
