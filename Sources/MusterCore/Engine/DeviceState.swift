import MusterGeometry

/// What the engine knows of a device.
struct DeviceState: Hashable, Sendable {
    /// Whose it is; nil for a number that no device has.
    var user: UserNumber?
    // An optional position is copied and let go of in far more steps than a position.
    private var newest = Position(
        coordinate: Coordinate(validLatitude: 0, longitude: 0), sampleTime: Instant(milliseconds: 0),
        receivedTime: Instant(milliseconds: 0))
    /// Whether a position of it was ever evaluated.
    private(set) var isLocated = false
    /// The newest position that is stored, where a filter left newer ones out: one or none. In an array, because most
    /// devices have none and every state has room for it.
    private var storedBefore: [Position] = []
    // As they are stored, for those who look into a state without a copy of it.
    private(set) var lastEvaluated = MaybeInstant()
    private var lastHeard = MaybeInstant()
    private var lastSighted = MaybeInstant()
    /// Where it stands, in region order.
    var presences: [Presence] = [] {
        didSet { boundaryFreeRadius.end() }
    }
    /// How it stands to the muster regions of raw collections, decided under the confident policy, in region order: by
    /// this its owner is safe or not, whatever the events of those collections say.
    var refuges: [Presence] = [] {
        didSet { boundaryFreeRadius.end() }
    }
    /// How far it may go until that can change.
    var boundaryFreeRadius = BoundaryFreeRadius()
    /// Where the confident policy believes it to be; empty until a fix is evaluated under it.
    var track = ConfidentTrack()
    /// Seconds between its fixes of late.
    var intervalSeconds: Float = 0
    /// Whether anything was ever decided of it under the confident policy.
    var hasStood = false
    /// Whether its clock was ever found right, or its error found out.
    var isClockKnown = false
    /// What is known of a clock that is off: one or none.
    private var watches: [ClockWatch] = []
    /// The regions that its fixes seem to be in while they are not believed, as that was told last.
    var seeming: [RegionNumber] = []

    /// The newest stored position by sample time: the baseline of the filters.
    var latest: Position? { storedBefore.first ?? (isLocated ? newest : nil) }

    /// The newest position that was evaluated, stored or not.
    var located: Position? { isLocated ? newest : nil }

    /// Takes the newest position that was evaluated.
    @inline(__always)
    mutating func locate(_ position: Position, isStored: Bool) {
        if isStored {
            if !storedBefore.isEmpty { storedBefore = [] }
        } else if storedBefore.isEmpty, isLocated {
            storedBefore = [newest]
        }
        newest = position
        isLocated = true
    }

    /// The newest sample time that was evaluated, corrected by what is known of the device's clock; later than that of
    /// `latest` where a filter left the newest out of the store.
    var evaluated: Instant? {
        get { lastEvaluated.instant }
        set { lastEvaluated.instant = newValue }
    }

    /// When the server last received anything from the device.
    var heard: Instant? {
        get { lastHeard.instant }
        set { lastHeard.instant = newValue }
    }

    /// The newest sample time of a sighting.
    var sighted: Instant? {
        get { lastSighted.instant }
        set { lastSighted.instant = newValue }
    }

    /// Notes that the server received something from the device.
    @inline(__always)
    mutating func hear(at moment: Instant) {
        if lastHeard.instant.map({ moment > $0 }) ?? true { lastHeard.instant = moment }
    }

    /// Whether its standings are only the last known: after 20 minutes without a position, or three of its intervals.
    func isStale(at now: Instant) -> Bool {
        guard let evaluated else { return false }
        return now.seconds(since: evaluated) > max(1200, 3 * Double(intervalSeconds))
    }

    /// Whether an exit waits to be told.
    var holdsBackAnExit: Bool { presences.contains { $0.leftAt != nil } }

    /// The last fix, where it tells well from where the device goes on; nil while that is in doubt.
    var surestFix: ConfidentFix? {
        guard track.isSettled, storedBefore.isEmpty, let evaluated else { return nil }
        var fix = ConfidentFix(newest)
        fix.sampleTime = evaluated
        return fix
    }

    /// Moves on to a position that is newer than all that was evaluated.
    ///
    /// - Parameters:
    ///   - sampleTime: the position's, corrected by what is known of the device's clock.
    ///   - isStored: whether the tracker's filter stores it.
    /// - Returns: whether nothing was ever decided of the device under the confident policy before.
    @inline(__always)
    mutating func follow(_ position: Position, at sampleTime: Instant, isStored: Bool) -> Bool {
        if let evaluated {
            let elapsed = Float(sampleTime.seconds(since: evaluated))
            intervalSeconds = intervalSeconds == 0 ? elapsed : 0.8 * intervalSeconds + 0.2 * elapsed
        }
        evaluated = sampleTime
        locate(position, isStored: isStored)
        let isFirst = !hasStood
        var fix = ConfidentFix(position)
        fix.sampleTime = sampleTime
        track.advance(fix)
        if track.isSettled { hasStood = true }
        return isFirst
    }
}

/// The device's clock.
extension DeviceState {
    /// What is known of a clock that is off; nil while it fits the server's.
    var watch: ClockWatch? {
        get { watches.first }
        set { watches = newValue.map { [$0] } ?? [] }
    }

    /// Whether the device's clock is off, or may be.
    @inline(__always)
    var isWatched: Bool { !watches.isEmpty }

    /// What is told of the device's clock.
    var clockSkew: ClockSkew? { watch?.skew }

    /// A sample time of the device's, corrected by what is known of its clock.
    @inline(__always)
    func corrected(_ sampleTime: Instant) -> Instant {
        guard let watch = watches.first, watch.correction != 0 else { return sampleTime }
        let (sum, isTooMuch) = sampleTime.milliseconds.addingReportingOverflow(watch.correction)
        return isTooMuch ? sampleTime : Instant(milliseconds: sum)
    }

    /// Learns from a position what it says of the device's clock.
    ///
    /// - Returns: whether it tells that a clock is right that was told to be wrong.
    @inline(__always)
    mutating func observeClock(_ position: Position) -> Bool {
        let offset = position.receivedTime.milliseconds &- position.sampleTime.milliseconds
        if watches.isEmpty, ClockWatch.isRight(offset) {
            isClockKnown = true
            return false
        }
        return watchClock(position, offset: offset)
    }

    @inline(never)
    private mutating func watchClock(_ position: Position, offset: Int64) -> Bool {
        let isBackwards = evaluated.map { corrected(position.sampleTime) <= $0 } ?? false
        // A sample that is late, from a clock that was right, goes on where the last one ended.
        if watches.isEmpty, offset > 0, isClockKnown, !isBackwards { return false }
        var watch = watch ?? ClockWatch()
        let wasTold = watch.skew != nil
        let isFound = watch.observe(
            received: position.receivedTime.milliseconds, sample: position.sampleTime.milliseconds,
            isKnown: isClockKnown, isBackwards: isBackwards)
        if isFound { isClockKnown = true }
        self.watch = watch.isDone ? nil : watch
        return wasTold && self.watch?.skew == nil
    }
}

/// Where the device is believed to be.
extension DeviceState {
    /// What is believed of the device's fixes; nil before the first.
    var belief: Belief? {
        guard !track.isEmpty, let evaluated else { return nil }
        let checking = track.candidateEstimate.map { candidate in
            Belief.Checking(since: track.candidateSince ?? evaluated, coordinate: candidate, regions: seeming)
        }
        return Belief(
            sampleTime: evaluated, estimate: track.estimate, deviationMetres: track.deviationMetres,
            checking: checking)
    }

    /// What a restart needs of the state beside the presences.
    var record: DeviceRecord {
        get {
            DeviceRecord(
                evaluated: evaluated, heard: heard, located: located, storedBefore: storedBefore.first, track: track,
                intervalSeconds: intervalSeconds, hasStood: hasStood, isClockKnown: isClockKnown,
                watch: watch?.numbers, seeming: seeming)
        }
        set {
            evaluated = newValue.evaluated
            heard = newValue.heard
            isLocated = newValue.located != nil
            if let located = newValue.located { newest = located }
            storedBefore = newValue.storedBefore.map { [$0] } ?? []
            track = newValue.track
            intervalSeconds = newValue.intervalSeconds
            hasStood = newValue.hasStood
            isClockKnown = newValue.isClockKnown
            watch = newValue.watch.flatMap { ClockWatch(numbers: $0) }
            seeming = newValue.seeming
        }
    }
}
