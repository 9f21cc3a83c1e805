import MusterGeometry

// Most fixes change nothing: the device is far from every boundary. How far it is was found out with a fix before, and
// until it has gone so far no index is asked.

extension Standings {
    /// Whether a device that was at rest has not come near a boundary since, so that it stays in what it is in.
    @inline(__always)
    func isClear(_ position: Position, _ state: DeviceState, in atlas: Atlas) -> Bool {
        guard evidence.isSettled else { return false }
        let clearance = state.clearance
        if !evidence.tracker.isFollowed {
            return clearance.holds(at: position.coordinate, reachMetres: 0, stamp: atlas.stamp)
        }
        guard clearance.holds(at: state.track.estimate, reachMetres: reachMetres, stamp: atlas.stamp) else {
            return false
        }
        return evidence.tracker.raw.isEmpty
            || clearance.holds(at: position.coordinate, reachMetres: 0, stamp: atlas.stamp)
    }

    /// How near to a boundary nothing is certain: what is so deep inside of a region is certain to be in it, and what
    /// is so far outside certain not to be; see `isSteady` and `staysPut`.
    private var reachMetres: Double { Self.steadyDeviations * evidence.deviationMetres }

    /// Finds out how far the device may go, where it is worth it.
    func noteClearance(
        around position: Position, isAtRest: Bool, _ state: inout DeviceState, in atlas: Atlas,
        _ findings: Answers<NearbyRegion>
    ) {
        let tracker = evidence.tracker
        guard isAtRest && evidence.isSettled && !tracker.collections.isEmpty else { return }
        // Raw regions were not looked at.
        guard evidence.passesFilter || tracker.raw.isEmpty else { return }
        let place = !tracker.isFollowed ? position.coordinate : state.track.estimate
        // Who goes farther from one fix to the next leaves it behind at once.
        let isFast = state.clearance.isFarther(than: 2 * Self.clearanceLimit.value, from: place)
        var metres = isFast ? 0 : Self.clearanceLimit.value
        if tracker.raw.isEmpty {
            for finding in findings { metres = min(metres, abs(finding.signedDistanceMetres)) }
        }
        // Nor is there a need to look for more than what was found already.
        if metres == Self.clearanceLimit.value {
            metres = atlas.clearance(around: place, within: Self.clearanceLimit, in: tracker.collections).value
        }
        state.clearance = Clearance(around: place, metres: metres, stamp: atlas.stamp)
        // Raw regions are crossed by the fix itself: it has to be as clear as the estimate.
        if !tracker.raw.isEmpty && !state.clearance.holds(at: position.coordinate, reachMetres: 0, stamp: atlas.stamp) {
            state.clearance = Clearance(around: place, metres: 0, stamp: atlas.stamp)
        }
    }

    /// How far boundaries are looked for.
    private static var clearanceLimit: Metres { 100 }
}
