import MusterGeometry

/// Cases in which a standing inside a region does not show that the device is there.
extension Engine {
    /// Whether a device with a standing inside a region may be elsewhere as far as its fixes show: its fixes have not
    /// fitted its estimate for longer than the team's limit of silence, a better fix contradicts them, or the device
    /// was found inside by better fixes than it sends now, and longer ago than that limit.
    ///
    /// A coarse fix that is no surprise hardly moves a device's estimate, and does not make the estimate less certain.
    /// So once the last good fix is too old, the newest fix alone counts: fixes like it must be able to enter the
    /// region, and it must not lie far outside. The function does not copy the state.
    ///
    /// - Complexity: O(1) while the device sends fixes of 200 m or better that fit; else O(vertices of the region).
    func isOutlived(
        _ states: [DeviceState], _ place: Int, in region: RegionNumber, _ rule: RegionCatalog.RegionRule,
        silence: Double, now: Instant
    ) -> Bool {
        if isContradicted(states, place, in: region, rule) { return true }
        guard let fineAt = states[place].lastFineFix, now.seconds(since: fineAt) > silence,
            let newest = states[place].located
        else { return false }
        let fix = ConfidentFix(newest)
        let step = ConfidentTrack.Step(fix, from: fix.coordinate, elapsedSeconds: 0)
        if states[place].track.isChecking {
            // Fixes that do not fit the estimate, and yet lie inside, do not speak against the standing.
            let agrees = step.isFine && states[place].shelterEvidence.isInside
            return !agrees || (catalog.signedDistance(from: fix.coordinate, to: region)?.value ?? -1) < 0
        }
        guard step.isCoarse else { return false }
        let leastDeviation = (ConfidentTrack.lastingShare * step.variance).squareRoot()
        guard
            !ConfidentPolicy.isAccuracyTooPoor(
                inradiusMetres: rule.inradiusMetres, deviationMetres: leastDeviation, mode: rule.mode),
            let distance = catalog.signedDistance(from: fix.coordinate, to: region)
        else { return true }
        return normalProbability(below: distance.value / step.variance.squareRoot()) < rule.mode.exitProbability
    }

    /// Whether a fix lay outside the region that is much better than all fixes that have fitted since. It counts until
    /// a fix fits that is not much worse: time alone is no evidence that the person is safe.
    private func isContradicted(
        _ states: [DeviceState], _ place: Int, in region: RegionNumber, _ rule: RegionCatalog.RegionRule
    ) -> Bool {
        guard let fix = states[place].track.contradiction,
            let distance = catalog.signedDistance(from: fix.coordinate, to: region)
        else { return false }
        return normalProbability(below: distance.value / fix.deviationMetres) < rule.mode.exitProbability
    }
}

extension DeviceState {
    /// When the device sent its last fix of 200 m or better that fitted its track; of a device without one, its first
    /// fix. Nil before that.
    @inline(__always)
    var lastFineFix: Instant? { evaluated?.advanced(bySeconds: -track.fineAgeSeconds) }
}
