import MusterGeometry

/// Decides which devices are inside which beacon regions. `BeaconPolicy` holds the thresholds, and `Engine+Rooms`
/// chooses among rooms.
extension Engine {
    /// Applies a sighting that is newer than the listener's earlier ones. If the listener is a scanner, the sighting
    /// counts for the tag in the scanner's rooms. Otherwise it counts for the listener itself in the beacon's regions.
    func followSighting(
        _ sighting: Sighting, of listener: DeviceNumber, now: Instant, into decision: inout Decision
    ) {
        let rooms = catalog.beacons.regions(of: listener)
        if !rooms.isEmpty {
            // A scanner's late sighting is history only: other scanners may have heard the tag since.
            guard !Self.isLate(sighting.sampleTime, received: sighting.receivedTime) else { return }
            guard let tag = catalog.beacons.tag(sighting.beacon), tag != listener else { return }
            applySighting(sighting, of: tag, in: rooms, heardBy: listener, now: now, into: &decision)
            return
        }
        let state = state(of: listener, after: decision)
        guard person(state.user)?.isPerson == true else { return }
        let regions = catalog.beacons.regions(of: sighting.beacon)
        // A sighting of another beacon also shows that the device is listening.
        if regions.isEmpty && !state.hasMemory { return }
        applySighting(sighting, of: listener, in: regions, heardBy: listener, now: now, into: &decision)
    }

    /// Whether a report about beacons is late: its device had no network meanwhile, or its clock is behind.
    ///
    /// A device's own late reports are judged as of their sample times, because they are complete and in order: they
    /// cause enter and leave events that carry those times. They do not show where the device is now, so the next sweep
    /// marks the standings as unknown until the device is heard again.
    static func isLate(_ sampleTime: Instant, received: Instant) -> Bool {
        received.seconds(since: sampleTime) > BeaconPolicy.silenceSeconds
    }

    /// Whether a device is the scanner of a region.
    func isScanner(_ device: DeviceNumber) -> Bool { !catalog.beacons.regions(of: device).isEmpty }

    /// Applies a device's report that it listened, or that its operating system saw it enter or leave a beacon region.
    func decideListening(
        _ listening: Listening, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        recordContact(of: device, at: listening.receivedTime, now: now, into: &decision)
        guard devices.indices.contains(Int(device.rawValue)), !Self.isAhead(listening.sampleTime, of: now) else {
            return .late
        }
        let place = slot(of: device, in: &decision)
        let before = decision.devices.states[place].listenedUntil
        let isLate = before.map { listening.sampleTime < $0 } ?? false
        let isPrompt = !Self.isLate(listening.sampleTime, received: listening.receivedTime)
        let isScanner = isScanner(device)
        if !isLate {
            decision.devices.states[place].noteListening(
                at: listening.sampleTime, isScanner: isScanner, isLate: !isPrompt)
        }
        var memory = decision.devices.states[place].memory
        if !isLate { memory.listened = listening.sampleTime }
        var isUsed = !isLate
        switch listening.outcome {
        case .heardNothingElse: break
        case .entered(let region):
            isUsed = !isLate && isPrompt && mayEnter(region, device, decision.devices.states[place], listening)
            if isUsed {
                memory.change(region, heardBy: device, standing: decision.devices.states[place].presences) {
                    $0.noteEnter(at: listening.sampleTime, received: listening.receivedTime)
                }
            }
        case .left(let region):
            // A late report of an exit still counts, unless the device was heard in the region after it.
            let lastHit = memory.track(in: region)?.lastHit
            isUsed = lastHit.map { $0 <= listening.sampleTime } ?? false
            if isUsed {
                memory.change(region, heardBy: device, standing: decision.devices.states[place].presences) {
                    $0.hits = []
                }
            }
        }
        guard isUsed else { return .late }
        decision.devices.states[place].memory = memory
        if isPrompt || isScanner {
            decideBeacons(of: device, received: listening.receivedTime, now: now, into: &decision)
        } else {
            decideBeacons(of: device, asOf: listening.sampleTime, now: now, into: &decision)
        }
        return .accepted
    }

    /// Whether the engine accepts the report of a device's operating system that the device entered a region.
    private func mayEnter(
        _ region: RegionNumber, _ device: DeviceNumber, _ state: DeviceState, _ listening: Listening
    ) -> Bool {
        guard let rule = catalog.rule(of: region), let beacon = rule.beacon, case .beacons = beacon.area.source,
            beacon.area.reach == .far, tracker(of: state.user).isLinked(to: rule.collection)
        else { return false }
        return beacon.place.map { !state.contradicts($0, at: listening.receivedTime, bySampleTime: false) } ?? true
    }

    /// Adds a sighting of a device to the tracks of these regions, and decides the device's standings.
    private func applySighting(
        _ sighting: Sighting, of device: DeviceNumber, in regions: [RegionNumber], heardBy listener: DeviceNumber,
        now: Instant, into decision: inout Decision
    ) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        let isLate = Self.isLate(sighting.sampleTime, received: sighting.receivedTime)
        var judged = sighting
        if isLate { judged.receivedTime = sighting.sampleTime }
        let slot = slot(of: device, in: &decision)
        let tracker = tracker(of: decision.devices.states[slot].user)
        var memory = decision.devices.states[slot].memory
        for region in regions {
            guard let rule = catalog.rule(of: region), let beacon = rule.beacon,
                tracker.isLinked(to: rule.collection)
            else { continue }
            if let place = beacon.place,
                decision.devices.states[slot].contradicts(place, at: judged.receivedTime, bySampleTime: isLate)
            {
                continue
            }
            let isInside = decision.devices.states[slot].presences.contains {
                $0.region == region && ($0.standing == .inside || ($0.standing == .unknown && $0.told == .inside))
            }
            memory.change(region, heardBy: listener, standing: decision.devices.states[slot].presences) {
                $0.applySighting(judged, within: beacon.area.reach, isInside: isInside)
            }
        }
        decision.devices.states[slot].memory = memory
        if device != listener { decision.devices.states[slot].recordContact(at: sighting.receivedTime) }
        if isLate {
            decideBeacons(of: device, asOf: sighting.sampleTime, now: now, into: &decision)
        } else {
            decideBeacons(of: device, received: sighting.receivedTime, now: now, into: &decision)
        }
        locate(device, by: sighting, heardBy: listener, now: now, into: &decision)
    }

    /// Decides how a device stands in every beacon region where it was heard, and whether its owner is safe.
    private func decideBeacons(
        of device: DeviceNumber, received: Instant, now: Instant, into decision: inout Decision
    ) {
        guard evaluateBeaconRegions(of: device, received: received, now: now, into: &decision) else { return }
        let user = state(of: device, after: decision).user
        deriveSafety(of: user, now: now, decidedAt: received, into: &decision)
        followAttendance(of: user, now: now, into: &decision)
    }

    /// Decides how a device stood in every beacon region at a past moment that it reported late. The next sweep decides
    /// whether its owner is safe now.
    private func decideBeacons(
        of device: DeviceNumber, asOf moment: Instant, now: Instant, into decision: inout Decision
    ) {
        guard evaluateBeaconRegions(of: device, received: moment, now: moment, into: &decision) else { return }
        followAttendance(of: state(of: device, after: decision).user, now: now, into: &decision)
    }

    /// Updates a device's presences in beacon regions.
    ///
    /// - Returns: whether a change was reported.
    private func evaluateBeaconRegions(
        of device: DeviceNumber, received: Instant, now: Instant, into decision: inout Decision
    ) -> Bool {
        var state = state(of: device, after: decision)
        let tracker = tracker(of: state.user)
        let verdicts = verdicts(on: &state, tracker, received: received, now: now, after: decision)
        CrossingEvaluator.applyVerdicts(
            verdicts, to: &state.presences, of: device, tracker: tracker, on: &decision.scratch)
        decision.devices.set(Int(device.rawValue), to: state)
        // The changes in the log do not carry all of the memory, so the device's whole state is stored.
        decision.noteState(of: device)
        return decision.noteChanges(of: device)
    }

    /// Updates standings as time passes: ends those whose probability has fallen too low, and marks as unknown those
    /// whose listener is silent.
    func sweepBeacons(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        guard state.hasMemory else { return }
        let tracker = tracker(of: state.user)
        let before = state.memory
        let verdicts = verdicts(on: &state, tracker, received: now, now: now, after: decision)
        let due = verdicts.filter { $0.standing != $0.former || ($0.standing == .outside && $0.probability <= 0.5) }
        CrossingEvaluator.applyVerdicts(
            due, to: &state.presences, of: device, tracker: tracker, on: &decision.scratch)
        let standing = Set(state.presences.map(\.region))
        state.memory.tracks.removeAll { track in
            Double(now.milliseconds - track.arrival) > Self.trackLifetimeSeconds * 1000
                && !standing.contains(track.region)
        }
        endUnheard(&state, of: device, into: &decision)
        guard decision.scratch.presencesChanged || state.memory != before else { return }
        decision.devices.set(Int(device.rawValue), to: state)
        decision.noteState(of: device)
        if decision.noteChanges(of: device) {
            deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
            followAttendance(of: state.user, now: now, into: &decision)
        }
    }

    /// How long a track is kept after its last sighting while the device is not in its region, seconds.
    private static let trackLifetimeSeconds = 3_600.0

    /// Returns the time until which the listener of a track is known to have listened, by the listener's clock.
    private static func moment(of track: BeaconTrack, heardUntil heard: Instant?) -> Instant? {
        guard let heard else { return track.lastHit }
        return max(heard, track.lastHit ?? heard)
    }

    /// Returns the probability that a device is inside the region of a track, by what its listener heard.
    ///
    /// - Parameter isHeld: whether the device is inside already; see `BeaconTrack.probability`.
    func probability(of track: BeaconTrack, isHeld: Bool, after decision: Decision? = nil) -> Double? {
        let listening = listening(of: track, after: decision)
        return Self.moment(of: track, heardUntil: listening.until).map { moment in
            track.probability(at: moment, listeningSince: listening.resumed, isHeld: isHeld)
        }
    }

    /// When the listener of a track listened. Reads that alone, without a copy of the listener's state.
    private func listening(of track: BeaconTrack, after decision: Decision?) -> DeviceState.Listening {
        let index = Int(track.listener.rawValue)
        if let decision, let slot = decision.devices.slot(of: index) { return decision.devices.states[slot].listening }
        return devices.indices.contains(index) ? devices[index].listening : DeviceState.Listening()
    }

    /// Decides the device's standing in each region with a track, in region order, and drops the tracks of regions that
    /// no longer apply.
    private func verdicts(
        on state: inout DeviceState, _ tracker: RegionCatalog.TrackerRule, received: Instant, now: Instant,
        after decision: Decision
    ) -> [BeaconVerdict] {
        var memory = state.memory
        var verdicts: [BeaconVerdict] = []
        var outdated: [RegionNumber] = []
        for track in memory.tracks {
            guard let rule = catalog.rule(of: track.region), let beacon = rule.beacon,
                tracker.isLinked(to: rule.collection)
            else {
                outdated.append(track.region)
                continue
            }
            let presence = state.presences.first { $0.region == track.region }
            let listening = listening(of: track, after: decision)
            let moment = Self.moment(of: track, heardUntil: listening.until)
            let held = moment.map { track.probability(at: $0, listeningSince: listening.resumed, isHeld: true) } ?? 0
            // A region whose beacon was not heard for long stays outside: nothing is decided, stored or reported.
            if presence == nil, held < Presence.leastProbability { continue }
            let former = presence?.standing ?? .outside
            let fresh = moment.map { track.probability(at: $0, listeningSince: listening.resumed, isHeld: false) } ?? 0
            let listened = moment ?? now
            let isSilent = now.seconds(since: listened) + track.leadSeconds > BeaconPolicy.silenceSeconds
            // The silence of a scanner counts also where no sweep came between it and the next report.
            let resumed = beacon.area.isByScanner ? listening.resumed : nil
            let known = former == .inside && !track.isBorneOut(since: resumed, rule.mode) ? .unknown : former
            let standing = standing(from: known, held: held, fresh: fresh, isSilent: isSilent, mode: rule.mode)
            // After a silence the engine knows only that the device was inside before.
            let probability =
                switch known {
                case .inside: held
                case .unknown: max(fresh, min(held, 0.5))
                case .outside: fresh
                }
            verdicts.append(
                BeaconVerdict(
                    region: track.region, rule: rule, former: former, standing: standing, probability: probability,
                    time: standing == .outside ? listened : track.lastHit ?? listened,
                    signal: track.presentSignal(at: received), isRoom: beacon.area.isRoom))
        }
        if !outdated.isEmpty { memory.tracks.removeAll { outdated.contains($0.region) } }
        memory.challenger = chooseRoom(among: &verdicts, challenger: memory.challenger, at: received)
        state.memory = memory
        return verdicts
    }

    /// - Parameters:
    ///   - held: the probability that ends a standing.
    ///   - fresh: the probability that begins one: what was heard before a silence does not count.
    private func standing(
        from former: Standing, held: Double, fresh: Double, isSilent: Bool, mode: RegionMode
    ) -> Standing {
        if former != .outside, held < mode.exitProbability { return .outside }
        if isSilent { return former == .outside ? .outside : .unknown }
        if former != .inside, fresh > mode.enterProbability { return .inside }
        return former
    }

    /// Creates a position for the device at the beacon's place, if the place is known and the device is inside its
    /// region. Maps then show the device there, and the other regions at this place apply to it as for any position.
    private func locate(
        _ device: DeviceNumber, by sighting: Sighting, heardBy listener: DeviceNumber, now: Instant,
        into decision: inout Decision
    ) {
        let state = state(of: device, after: decision)
        // A listener's clock that is ahead must not make the device's own fixes look late.
        let moment = min(sighting.sampleTime, sighting.receivedTime)
        if let evaluated = state.evaluated, moment.seconds(since: evaluated) < Self.locatingSeconds { return }
        let heard = state.memory.tracks.filter { $0.heard == sighting.sampleTime.milliseconds }
        let places = heard.compactMap { track -> (signal: Float, place: Circle)? in
            guard let place = catalog.rule(of: track.region)?.beacon?.place,
                state.presences.contains(where: { $0.region == track.region && $0.standing == .inside })
            else { return nil }
            return (track.isSignalKnown ? track.signal : -.infinity, place)
        }
        guard let best = places.max(by: { $0.signal < $1.signal })?.place else { return }
        var position = Position(
            coordinate: best.centre, sampleTime: moment, receivedTime: sighting.receivedTime,
            accuracy: best.radius, source: .beacon)
        if device != listener { position.reporter = self.state(of: listener, after: decision).user }
        _ = decidePosition(position, of: device, now: now, into: &decision)
    }

    /// The shortest time between two positions that are made from sightings, seconds.
    private static let locatingSeconds = 5.0
}

/// Edits of the directory and of regions.
extension Engine {
    /// Forgets the sightings in a region whose radio or place was changed, or that has become a muster region, which
    /// needs more sightings for an enter. The review ends the standings there.
    mutating func forgetBeacons(in region: RegionNumber) {
        for index in devices.indices where devices[index].hasMemory {
            guard let track = devices[index].memory.tracks.firstIndex(where: { $0.region == region }) else { continue }
            devices[index].memory.tracks[track].forget()
        }
    }

    /// Sets the beacon that a device itself sends. The tracks of its former beacon are deleted.
    mutating func putTag(_ device: Device) {
        guard catalog.setTag(device.number, to: device.beacon) else { return }
        let index = Int(device.number.rawValue)
        for track in devices[index].memory.tracks.indices
        where devices[index].memory.tracks[track].listener != device.number {
            devices[index].memory.tracks[track].forget()
        }
        scope.users.insert(device.user)
    }

    /// Ends the standings of a device in beacon regions where it was not heard. No crossing is reported.
    func endUnheard(_ state: inout DeviceState, of device: DeviceNumber, into decision: inout Decision) {
        let memory = state.memory
        let isUnheard = { (presence: Presence) in
            presence.standing != .outside && catalog.rule(of: presence.region)?.beacon != nil
                && memory.track(in: presence.region)?.hits.isEmpty ?? true
        }
        for var presence in state.presences.filter(isUnheard) {
            presence.standing = .outside
            presence.doubt = nil
            decision.scratch.changes.append(
                .presence(PresenceReport(presence, of: device, insidePercent: 0, sampleTime: presence.since)))
            decision.scratch.presencesChanged = true
        }
        state.presences.removeAll(where: isUnheard)
        if state.hasMemory { decision.noteState(of: device) }
    }
}
