import MusterGeometry

/// How long a device's good fixes are evidence of where it is, while only coarse ones follow.
extension Engine {
    /// Whether a device that the engine has inside a region was found there by better fixes than it sends now, and
    /// longer ago than the team's limit of silence.
    ///
    /// A coarse fix near enough to be true hardly moves a device's estimate, and does not make it less certain. So once
    /// the last good fix is too old, the newest fix alone counts: fixes like it must be able to enter the region, and
    /// it must not lie far outside. It does not copy the state.
    ///
    /// - Complexity: O(1) while the device sends fixes of 200 m or better; else O(vertices of the region).
    func isOutlived(
        _ states: [DeviceState], _ place: Int, in region: RegionNumber, _ rule: RegionCatalog.RegionRule,
        silence: Double, now: Instant
    ) -> Bool {
        guard let fineAt = states[place].lastFineFix, now.seconds(since: fineAt) > silence,
            let newest = states[place].located
        else { return false }
        let fix = ConfidentFix(newest)
        let step = ConfidentTrack.Step(fix, from: fix.coordinate, elapsedSeconds: 0)
        guard step.isCoarse else { return false }
        let leastDeviation = (ConfidentTrack.lastingShare * step.variance).squareRoot()
        guard
            !ConfidentPolicy.isAccuracyTooPoor(
                inradiusMetres: rule.inradiusMetres, deviationMetres: leastDeviation, mode: rule.mode),
            let distance = catalog.signedDistance(from: fix.coordinate, to: region)
        else { return true }
        return normalProbability(below: distance.value / step.variance.squareRoot()) < rule.mode.exitProbability
    }
}

extension DeviceState {
    /// When the device sent its last fix of 200 m or better that fitted its track; of a device without one, its first
    /// fix. Nil before that.
    var lastFineFix: Instant? { evaluated?.advanced(bySeconds: -track.fineAgeSeconds) }
}
