import MusterGeometry

// Most fixes change nothing, because the device is far from every boundary. An earlier fix found out how far. Until the
// device has moved that far, the engine queries no index.

extension CrossingEvaluator {
    /// Whether a device at rest has stayed within its boundary-free radius, so that its `presences` do not change.
    @inline(__always)
    func isClear(_ position: Position, _ state: DeviceState, in catalog: RegionCatalog) -> Bool {
        guard estimate.isSettled else { return false }
        let boundaryFreeRadius = state.boundaryFreeRadius
        if !estimate.tracker.confident.isEmpty {
            guard boundaryFreeRadius.holds(at: estimate.place, reachMetres: reachMetres, stamp: catalog.stamp) else {
                return false
            }
            if estimate.tracker.raw.isEmpty { return true }
        }
        return boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
    }

    /// Whether a device at rest has stayed so far from the boundaries of muster regions of raw collections that its
    /// `musterPresences` do not change.
    @inline(__always)
    func isClearOfShelters(_ state: DeviceState, in catalog: RegionCatalog) -> Bool {
        estimate.isSettled
            && state.shelterFreeRadius.holds(at: estimate.place, reachMetres: reachMetres, stamp: catalog.stamp)
    }

    /// How near to a boundary a standing becomes uncertain, metres. A device deeper inside is certain to be in the
    /// region, and one farther outside certain not to be; see `isSteady` and `staysPut`.
    private var reachMetres: Double { Self.steadyDeviations * estimate.deviationMetres }

    /// Finds the boundary-free radius of a device at rest, when it is worth the search.
    func noteBoundaryFreeRadius(
        around position: Position, isAtRest: Bool, _ state: inout DeviceState, in catalog: RegionCatalog,
        _ nearbyRegions: Answers<NearbyRegion>
    ) {
        let tracker = estimate.tracker
        guard isAtRest && estimate.isSettled && !tracker.collections.isEmpty else { return }
        // The evaluator did not look at raw regions.
        guard estimate.passesFilter || tracker.raw.isEmpty else { return }
        let place = tracker.confident.isEmpty ? position.coordinate : estimate.place
        // A device that moves farther from one fix to the next would leave the radius at once.
        let isFast = state.boundaryFreeRadius.isFarther(than: 2 * Self.clearanceLimit.value, from: place)
        var metres = isFast ? 0 : Self.clearanceLimit.value
        if tracker.raw.isEmpty {
            for nearbyRegion in nearbyRegions { metres = min(metres, abs(nearbyRegion.signedDistanceMetres)) }
        }
        // A boundary that was found already makes a search unnecessary.
        if metres == Self.clearanceLimit.value {
            metres =
                catalog.boundaryFreeRadius(around: place, within: Self.clearanceLimit, in: tracker.collections).value
        }
        state.boundaryFreeRadius = BoundaryFreeRadius(around: place, metres: metres, stamp: catalog.stamp)
        // The fix itself crosses raw regions, so the radius must hold at the fix as well as at the estimate.
        if !tracker.raw.isEmpty
            && !state.boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
        {
            state.boundaryFreeRadius = BoundaryFreeRadius(around: place, metres: 0, stamp: catalog.stamp)
        }
    }

    /// Finds how far a device at rest may move until its `musterPresences` can change.
    func noteShelterFreeRadius(
        isAtRest: Bool, _ state: inout DeviceState, in catalog: RegionCatalog,
        _ nearbyRegions: Answers<NearbyRegion>
    ) {
        guard isAtRest && estimate.isSettled else { return }
        let isFast = state.shelterFreeRadius.isFarther(than: 2 * Self.shelterClearanceLimit.value, from: estimate.place)
        var metres = isFast ? 0 : Self.shelterClearanceLimit.value
        for nearbyRegion in nearbyRegions { metres = min(metres, abs(nearbyRegion.signedDistanceMetres)) }
        if metres == Self.shelterClearanceLimit.value {
            metres =
                catalog.shelterFreeRadius(
                    around: estimate.place, within: Self.shelterClearanceLimit, in: estimate.tracker.sheltering
                ).value
        }
        state.shelterFreeRadius = BoundaryFreeRadius(around: estimate.place, metres: metres, stamp: catalog.stamp)
    }

    /// The largest radius that the evaluator looks for.
    private static var clearanceLimit: Metres { 100 }
    /// The same for muster regions alone, which are few and far between.
    private static var shelterClearanceLimit: Metres { 500 }
}
