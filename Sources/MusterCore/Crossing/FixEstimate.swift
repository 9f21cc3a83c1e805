import MusterGeometry

/// The evaluator's input about a device after a fix, the same for every region.
struct FixEstimate {
    var device: DeviceNumber
    var sampleTime: Instant
    /// The tracker that the device reports to. It is not retained: the catalog holds it during the decision, and a
    /// counted reference would be retained with every copy of this value, six times an observation.
    unowned(unsafe) let tracker: RegionCatalog.TrackerRule
    /// Where the confident policy places the device.
    var place = Coordinate(validLatitude: 0, longitude: 0)
    /// The standard deviation of the estimate, metres; 0 when the confident policy decides nothing for the tracker's
    /// devices, and infinite when the device has no track.
    var deviationMetres: Double = 0
    /// The standard deviation that would remain after many more fixes of this accuracy, metres.
    var leastDeviationMetres: Double = 0
    /// Whether the estimate is good enough to decide a standing.
    var isSettled = true
    /// Whether the last fix does not fit, so that every standing is held.
    var isChecking = false
    /// Whether the tracker's filter lets raw collections evaluate the fix.
    var passesFilter = true
    /// Whether the confident policy never decided a standing of the device before. Its first standing is no crossing.
    var isFirst = false
}

extension FixEstimate {
    /// Reads the estimate from a device's state.
    ///
    /// - Parameters:
    ///   - sampleTime: the sample time of the newest fix, corrected for the known error of the device's clock.
    ///   - isFirst: whether the confident policy never decided a standing of the device before that fix.
    init(
        _ state: DeviceState, of device: DeviceNumber, at sampleTime: Instant, tracker: RegionCatalog.TrackerRule,
        isFirst: Bool
    ) {
        self.init(device: device, sampleTime: sampleTime, tracker: tracker)
        guard tracker.isFollowed else { return }
        place = state.track.estimate
        deviationMetres = state.track.deviationMetres
        leastDeviationMetres = state.track.leastDeviationMetres
        isSettled = state.track.isSettled
        isChecking = state.track.isChecking
        self.isFirst = isFirst
    }
}
