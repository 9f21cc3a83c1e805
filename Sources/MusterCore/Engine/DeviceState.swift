import MusterGeometry

/// The engine's state of one device.
struct DeviceState: Hashable, Sendable {
    /// The owner; nil for a number that no device has.
    var user: UserNumber?
    // Not an optional, which takes far more steps to copy and to release. `isLocated` says whether it is set.
    private(set) var newest = Position(
        coordinate: Coordinate(validLatitude: 0, longitude: 0), sampleTime: Instant(milliseconds: 0),
        receivedTime: Instant(milliseconds: 0))
    // In their stored form, so that a caller reads one without a copy of the state.
    private(set) var lastEvaluated = MaybeInstant()
    private var lastHeard = MaybeInstant()
    private var lastSighted = MaybeInstant()
    /// The device's presences, in region order, each under the policy of the region's collection.
    var presences: [Presence] = [] {
        didSet { boundaryFreeRadius.end() }
    }
    /// The device's presences in the muster regions of raw collections, in region order. The confident policy decides
    /// them, and the owner's safety follows from them, whatever the events of those collections say.
    var musterPresences: [Presence] = [] {
        didSet { shelterFreeRadius.end() }
    }
    /// How far the device may move until `presences` can change.
    var boundaryFreeRadius = BoundaryFreeRadius()
    /// How far it may move until `musterPresences` can change.
    var shelterFreeRadius = BoundaryFreeRadius()
    /// Where the confident policy believes the device to be; empty until this engine follows a fix.
    var track = ConfidentTrack()
    /// The recent mean interval between the device's fixes, seconds; 0 before the second fix.
    var intervalSeconds: Float = 0
    /// Whether the confident policy ever decided a standing of the device.
    var hasStood = false
    /// Whether the engine ever found the device's clock right, or found out its error.
    var isClockKnown = false
    /// What the last fixes say about the device's being inside a muster region.
    var shelterEvidence = ShelterEvidence.outside
    // Beside the other small fields, where it takes one byte and not eight.
    /// Whether the engine ever evaluated a position of the device.
    private(set) var isLocated = false
    // One element, or none. Most devices have none of it, and the engine copies the state with each observation: one
    // array takes less room than the values, and fewer steps to copy than an array for each.
    private var rarities: [Rarities] = []
    /// The regions that the device's fixes seem to be in while the engine checks them, as it reported them last.
    var seeming: [RegionNumber] = []

    /// The parts of the state that few devices have.
    private struct Rarities: Hashable, Sendable {
        /// The newest stored position, when a filter kept newer ones out of the store.
        var storedBefore: Position?
        /// The watch over a clock that is or may be wrong.
        var watch: ClockWatch?
        /// The sightings of the device, and how long it listened.
        var memory = BeaconMemory()
        /// Whether the memory holds anything.
        var hasMemory = false
    }

    /// Changes the parts that few devices have.
    @inline(never)
    private mutating func changeRarities(_ body: (inout Rarities) -> Void) {
        if rarities.isEmpty { rarities.append(Rarities()) }
        body(&rarities[0])
        if !isBehindItsFilter, !isWatched, !hasMemory { rarities = [] }
    }

    /// The newest stored position, when a filter kept newer ones out of the store; else nil.
    private var storedBefore: Position? { rarities.isEmpty ? nil : rarities[0].storedBefore }

    /// Whether a filter kept the newest evaluated position out of the store.
    @inline(__always)
    var isBehindItsFilter: Bool { !rarities.isEmpty && rarities[0].storedBefore != nil }

    /// The newest stored position by sample time: the baseline of the filters.
    var latest: Position? { storedBefore ?? (isLocated ? newest : nil) }

    /// The newest evaluated position, stored or not.
    var located: Position? { isLocated ? newest : nil }

    /// Replaces the newest evaluated position.
    @inline(__always)
    mutating func locate(_ position: Position, isStored: Bool) {
        if position.source == .beacon || hasMemory { rememberOwnFix(before: position) }
        if isStored == isBehindItsFilter, isStored || isLocated {
            let before = isStored ? nil : newest
            changeRarities { $0.storedBefore = before }
        }
        newest = position
        isLocated = true
    }

    /// The newest evaluated sample time, corrected for the known error of the device's clock. It is later than that of
    /// `latest` when a filter kept the newest position out of the store.
    var evaluated: Instant? {
        get { lastEvaluated.instant }
        set { lastEvaluated.instant = newValue }
    }

    /// When the server last received anything from the device.
    var heard: Instant? {
        get { lastHeard.instant }
        set { lastHeard.instant = newValue }
    }

    /// The newest sample time of the device's sightings.
    var sighted: Instant? {
        get { lastSighted.instant }
        set { lastSighted.instant = newValue }
    }

    /// Records that the server received something from the device.
    @inline(__always)
    mutating func recordContact(at moment: Instant) {
        if lastHeard.instant.map({ moment > $0 }) ?? true { lastHeard.instant = moment }
    }

    /// Adjusts the state after the server's clock was set back. The device counts as heard and followed no later than
    /// now, so that its silence is noticed and its next position or sighting counts. The confident policy discards what
    /// it had followed at times after now, and begins anew.
    mutating func adjustTimes(to now: Instant) {
        heard = heard.map { min($0, now) }
        for index in presences.indices {
            if let leftAt = presences[index].leftAt, Engine.isAhead(leftAt, of: now) { presences[index].leftAt = now }
        }
        if let sighted, Engine.isAhead(sighted, of: now) { self.sighted = now }
        if hasMemory { memory.adjustTimes(to: now) }
        guard let evaluated, Engine.isAhead(evaluated, of: now) else { return }
        self.evaluated = now
        track = ConfidentTrack()
    }

    /// Whether the device's standings are out of date: its last position is older than 20 minutes and older than three
    /// of its intervals.
    func isStale(at now: Instant) -> Bool {
        guard let evaluated else { return false }
        return now.seconds(since: evaluated) > max(1200, 3 * Double(intervalSeconds))
    }

    /// Whether the exit delay of a region holds back an exit of the device.
    var holdsBackAnExit: Bool { presences.contains { $0.leftAt != nil } }

    /// Advances the state to a position that is newer than every evaluated one.
    ///
    /// - Parameters:
    ///   - sampleTime: the position's sample time, corrected for the known error of the device's clock.
    ///   - isStored: whether the tracker's filter stores it.
    /// - Returns: whether the confident policy had never decided a standing of the device before.
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
        if !track.advance(fix) {
            // The server's clock was set back to before the track's last fix. A track rejects an older fix, so another
            // track begins.
            track = ConfidentTrack()
            track.advance(fix)
        }
        if track.isSettled { hasStood = true }
        return isFirst
    }

    /// Begins an empty track with earlier positions and the newest evaluated position. After the server's clock was set
    /// back, earlier positions ahead of the last evaluated time are left out, and the newest one gets that time.
    ///
    /// - Parameter trail: the positions, ascending by sample time; may be empty.
    mutating func restoreTrack(from trail: [Position] = []) {
        guard isLocated, let evaluated else { return }
        for position in trail + [newest] {
            let sampleTime = sampleTime(of: position)
            guard position == newest || sampleTime <= evaluated else { continue }
            var fix = ConfidentFix(position)
            fix.sampleTime = min(sampleTime, evaluated)
            track.advance(fix)
        }
    }
}

/// The device's evidence from sightings of beacons.
extension DeviceState {
    /// The sightings of the device, and how long it listened.
    var memory: BeaconMemory {
        get { rarities.isEmpty ? BeaconMemory() : rarities[0].memory }
        set {
            let isSet = newValue != BeaconMemory()
            guard isSet || hasMemory else { return }
            changeRarities {
                $0.memory = newValue
                $0.hasMemory = isSet
            }
        }
    }

    /// Whether the device has a presence in any region, or sightings that may lead to one.
    var hasStandings: Bool { !presences.isEmpty || !musterPresences.isEmpty || hasMemory }

    /// Whether the device has any evidence from sightings.
    @inline(__always)
    var hasMemory: Bool { !rarities.isEmpty && rarities[0].hasMemory }

    /// Until when the device is known to have listened for beacons, by its own clock; nil when it never did.
    var listenedUntil: Instant? {
        guard hasMemory, let listened = rarities[0].memory.listened else { return sighted }
        return max(listened, sighted ?? listened)
    }

    /// When a device listened for beacons, by its own clock.
    struct Listening {
        /// The end of its last known listening; nil when it never listened.
        var until: Instant?
        /// When it began to listen again after a silence; nil when it was never silent.
        var resumed: Instant?
    }

    /// When the device listened.
    var listening: Listening { Listening(until: listenedUntil, resumed: hasMemory ? rarities[0].memory.resumed : nil) }

    /// Records that the device listens at a moment of its own clock.
    ///
    /// - Parameters:
    ///   - isScanner: whether the device is the scanner of a region.
    ///   - isLate: whether the report is late. A scanner's late sightings cause no enter, so the time that they cover
    ///     must not count as time without a sighting either.
    /// - Returns: whether it listens again after a silence, or after a time that does not count.
    @discardableResult
    mutating func noteListening(at moment: Instant, isScanner: Bool, isLate: Bool) -> Bool {
        guard hasMemory || isScanner, let before = listenedUntil else { return false }
        guard isScanner && isLate || moment.seconds(since: before) > BeaconPolicy.silenceSeconds else { return false }
        memory.resumed = moment
        return true
    }

    /// The newest position that the device itself reported, as opposed to one that followed from a sighting.
    var ownFix: Position? {
        guard isLocated, newest.source != .beacon else { return hasMemory ? rarities[0].memory.ownFix : nil }
        return newest
    }

    @inline(never)
    private mutating func rememberOwnFix(before position: Position) {
        if position.source != .beacon {
            if memory.ownFix != nil { memory.ownFix = nil }
        } else if isLocated, newest.source != .beacon {
            memory.ownFix = newest
        }
    }

    /// Whether the newest position was made of a sighting.
    @inline(__always)
    var isLocatedByBeacon: Bool { isLocated && newest.source == .beacon }

    /// Remembers a position of the device's own that came after one that was made of a sighting.
    mutating func rememberOwnFix(_ position: Position) {
        guard isLocatedByBeacon, position.source != .beacon,
            memory.ownFix.map({ $0.sampleTime < position.sampleTime }) ?? true
        else { return }
        memory.ownFix = position
    }

    /// Whether the device's own position, measured within two minutes of a moment, is elsewhere than in a place.
    ///
    /// - Parameters:
    ///   - moment: when the device was heard there.
    ///   - bySampleTime: whether the moment is one of the device's clock; otherwise it is one of the server's.
    func contradicts(_ place: Circle, at moment: Instant, bySampleTime: Bool) -> Bool {
        guard let fix = ownFix else { return false }
        let age = moment.seconds(since: bySampleTime ? fix.sampleTime : fix.receivedTime)
        guard age <= BeaconPolicy.fixSeconds, !bySampleTime || age >= -BeaconPolicy.fixSeconds else { return false }
        return Self.isFar(fix, from: place)
    }

    /// Whether the device's own position shows that it is not, or no longer, in a beacon region: the position came
    /// after the last sighting there, or at most `BeaconPolicy.fixSeconds` before the device was last heard.
    func contradicts(_ place: Circle, of region: RegionNumber) -> Bool {
        guard let fix = ownFix, Self.isFar(fix, from: place) else { return false }
        let isNewer = memory.track(in: region).map { fix.receivedTime.milliseconds >= $0.arrival } ?? true
        return isNewer || (heard ?? fix.receivedTime).seconds(since: fix.receivedTime) <= BeaconPolicy.fixSeconds
    }

    private static func isFar(_ fix: Position, from place: Circle) -> Bool {
        let accuracy = min(fix.accuracy?.value ?? 100, 1_000)
        let distance = fix.coordinate.distance(to: place.centre).value
        return distance > place.radius.value + 3 * accuracy + 30
    }
}

/// The device's clock.
extension DeviceState {
    /// The watch over the device's clock; nil while the clock fits the server's.
    var watch: ClockWatch? {
        get { rarities.isEmpty ? nil : rarities[0].watch }
        set {
            guard newValue != nil || isWatched else { return }
            changeRarities { $0.watch = newValue }
        }
    }

    /// Whether the device's clock is wrong, or may be.
    @inline(__always)
    var isWatched: Bool { !rarities.isEmpty && rarities[0].watch != nil }

    /// The error of the device's clock as clients see it; nil while no sample shows an error.
    var clockSkew: ClockSkew? { watch?.skew }

    /// Returns a sample time of the device, corrected for the known error of its clock.
    @inline(__always)
    func corrected(_ sampleTime: Instant) -> Instant {
        guard let watch, watch.correction != 0 else { return sampleTime }
        let (sum, isTooMuch) = sampleTime.milliseconds.addingReportingOverflow(watch.correction)
        return isTooMuch ? sampleTime : Instant(milliseconds: sum)
    }

    /// Returns the corrected sample time of a position. One that followed from a sighting has the listener's time.
    @inline(__always)
    func sampleTime(of position: Position) -> Instant {
        position.source == .beacon ? position.sampleTime : corrected(position.sampleTime)
    }

    /// Updates the watch over the device's clock with one position.
    ///
    /// - Returns: whether the position shows that a clock which was reported as wrong is right again.
    @inline(__always)
    mutating func observeClock(_ position: Position) -> Bool {
        if position.source == .beacon { return false }
        let offset = position.receivedTime.milliseconds &- position.sampleTime.milliseconds
        if !isWatched, ClockWatch.isRight(offset) {
            isClockKnown = true
            return false
        }
        return watchClock(position, offset: offset)
    }

    @inline(never)
    private mutating func watchClock(_ position: Position, offset: Int64) -> Bool {
        let isBackwards = evaluated.map { corrected(position.sampleTime) <= $0 } ?? false
        // A clock that was known to be right, and a sample after the last evaluated one: the sample is only late.
        if !isWatched, offset > 0, isClockKnown, !isBackwards { return false }
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
    /// Where the engine believes the device to be, and the fixes that it checks; nil before the first fix.
    var belief: Belief? {
        guard !track.isEmpty, let evaluated else { return nil }
        let checking = track.candidateEstimate.map { candidate in
            Belief.Checking(since: track.candidateSince ?? evaluated, coordinate: candidate, regions: seeming)
        }
        return Belief(
            sampleTime: evaluated, estimate: track.estimate, deviationMetres: track.deviationMetres,
            checking: checking)
    }

    /// The part of the state that the store keeps for a restart, beside the presences.
    var record: DeviceRecord {
        get {
            DeviceRecord(
                evaluated: evaluated, heard: heard, located: located, storedBefore: storedBefore, track: track,
                intervalSeconds: intervalSeconds, hasStood: hasStood, isClockKnown: isClockKnown,
                watch: watch?.numbers, seeming: seeming, memory: memory, shelterEvidence: shelterEvidence)
        }
        set {
            evaluated = newValue.evaluated
            heard = newValue.heard
            isLocated = newValue.located != nil
            if let located = newValue.located { newest = located }
            if newValue.storedBefore != nil || storedBefore != nil {
                changeRarities { $0.storedBefore = newValue.storedBefore }
            }
            track = newValue.track
            intervalSeconds = newValue.intervalSeconds
            hasStood = newValue.hasStood
            isClockKnown = newValue.isClockKnown
            watch = newValue.watch.flatMap { ClockWatch(numbers: $0) }
            seeming = newValue.seeming
            memory = newValue.memory
            shelterEvidence = newValue.shelterEvidence
        }
    }
}
