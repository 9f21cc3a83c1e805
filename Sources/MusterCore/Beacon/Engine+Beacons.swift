import MusterGeometry

/// Who is in which beacon region. `BeaconPolicy` says when, `Engine+Rooms` which room.
extension Engine {
    /// Lets a current sighting decide. A device that hears beacons is in their regions; a scanner that hears a tag
    /// tells where the tag is.
    func followSighting(
        _ sighting: Sighting, of listener: DeviceNumber, now: Instant, into decision: inout Decision
    ) {
        // What comes later than this is history: nobody is where they were heard so long ago.
        guard sighting.receivedTime.seconds(since: sighting.sampleTime) <= BeaconPolicy.silenceSeconds else { return }
        let rooms = catalog.beacons.regions(of: listener)
        if !rooms.isEmpty {
            guard let tag = catalog.beacons.tag(sighting.beacon), tag != listener else { return }
            hear(sighting, of: tag, in: rooms, heardBy: listener, now: now, into: &decision)
            return
        }
        let state = state(of: listener, after: decision)
        guard person(state.user)?.isPerson == true else { return }
        let regions = catalog.beacons.regions(of: sighting.beacon)
        // Also a sighting of another beacon tells that the device listens.
        if regions.isEmpty && !state.hasMemory { return }
        hear(sighting, of: listener, in: regions, heardBy: listener, now: now, into: &decision)
    }

    /// Decides what a device says about its listening besides sightings.
    func decideListening(
        _ listening: Listening, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        hear(device, at: listening.receivedTime, now: now, into: &decision)
        guard devices.indices.contains(Int(device.rawValue)), !Self.isAhead(listening.sampleTime, of: now) else {
            return .late
        }
        let place = slot(of: device, in: &decision)
        let before = decision.devices.states[place].listenedUntil
        let isLate = before.map { listening.sampleTime < $0 } ?? false
        let isPrompt =
            listening.receivedTime.seconds(since: listening.sampleTime) <= BeaconPolicy.silenceSeconds
        var memory = decision.devices.states[place].memory
        if !isLate { memory.listened = listening.sampleTime }
        var isUsed = !isLate
        switch listening.outcome {
        case .heardNothingElse: break
        case .entered(let region):
            isUsed = !isLate && isPrompt && mayEnter(region, device, decision.devices.states[place], listening)
            if isUsed {
                memory.change(region, heardBy: device) {
                    $0.noteEnter(at: listening.sampleTime, received: listening.receivedTime)
                }
            }
        case .left(let region):
            // That someone left is believed late, too, unless the region was heard since.
            let lastHit = memory.track(in: region)?.lastHit
            isUsed = lastHit.map { $0 <= listening.sampleTime } ?? false
            if isUsed { memory.change(region, heardBy: device) { $0.hits = [] } }
        }
        guard isUsed else { return .late }
        decision.devices.states[place].memory = memory
        decideBeacons(of: device, received: listening.receivedTime, now: now, into: &decision)
        return .accepted
    }

    /// Whether a device's own word that it entered a region counts.
    private func mayEnter(
        _ region: RegionNumber, _ device: DeviceNumber, _ state: DeviceState, _ listening: Listening
    ) -> Bool {
        guard let rule = catalog.rule(of: region), let beacon = rule.beacon, case .beacons = beacon.area.source,
            beacon.area.reach == .far, tracker(of: state.user).isLinked(to: rule.collection)
        else { return false }
        return beacon.place.map { !state.contradicts($0, at: listening.sampleTime) } ?? true
    }

    /// Takes a sighting of a device in some regions, and decides how the device stands.
    private func hear(
        _ sighting: Sighting, of device: DeviceNumber, in regions: [RegionNumber], heardBy listener: DeviceNumber,
        now: Instant, into decision: inout Decision
    ) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        let slot = slot(of: device, in: &decision)
        let tracker = tracker(of: decision.devices.states[slot].user)
        var memory = decision.devices.states[slot].memory
        for region in regions {
            guard let rule = catalog.rule(of: region), let beacon = rule.beacon,
                tracker.isLinked(to: rule.collection)
            else { continue }
            if let place = beacon.place,
                decision.devices.states[slot].contradicts(place, at: sighting.sampleTime)
            {
                continue
            }
            let isInside = decision.devices.states[slot].presences.contains {
                $0.region == region && $0.standing == .inside
            }
            memory.change(region, heardBy: listener) {
                $0.hear(sighting, within: beacon.area.reach, isInside: isInside)
            }
        }
        decision.devices.states[slot].memory = memory
        if device != listener { decision.devices.states[slot].hear(at: sighting.receivedTime) }
        decideBeacons(of: device, received: sighting.receivedTime, now: now, into: &decision)
        locate(device, by: sighting, heardBy: listener, now: now, into: &decision)
    }

    /// Decides how a device stands in every beacon region where it was heard, and whether its owner is safe.
    private func decideBeacons(
        of device: DeviceNumber, received: Instant, now: Instant, into decision: inout Decision
    ) {
        var state = state(of: device, after: decision)
        let tracker = tracker(of: state.user)
        let verdicts = verdicts(on: &state, tracker, received: received, now: now, after: decision)
        CrossingEvaluator.hear(verdicts, &state.presences, of: device, tracker: tracker, on: &decision.scratch)
        decision.devices.set(Int(device.rawValue), to: state)
        // No change in the log tells all that changed in the memory.
        decision.noteState(of: device)
        guard decision.noteChanges(of: device) else { return }
        deriveSafety(of: state.user, now: now, decidedAt: received, into: &decision)
    }

    /// Applies what follows from the passing of time: ends standings that nothing bears out any more, and doubts those
    /// whose listener is silent.
    func sweepBeacons(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        guard !state.memory.tracks.isEmpty else { return }
        let tracker = tracker(of: state.user)
        let before = state.memory
        let verdicts = verdicts(on: &state, tracker, received: now, now: now, after: decision)
        let due = verdicts.filter { $0.standing != $0.former || ($0.standing == .outside && $0.probability <= 0.5) }
        CrossingEvaluator.hear(due, &state.presences, of: device, tracker: tracker, on: &decision.scratch)
        let standing = Set(state.presences.map(\.region))
        state.memory.tracks.removeAll { track in
            Double(now.milliseconds - track.arrival) > Self.trackLifetimeSeconds * 1000
                && !standing.contains(track.region)
        }
        guard decision.scratch.presencesChanged || state.memory != before else { return }
        decision.devices.set(Int(device.rawValue), to: state)
        decision.noteState(of: device)
        if decision.noteChanges(of: device) {
            deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
        }
    }

    /// For how long a track of a region where the device does not stand is kept, seconds.
    private static let trackLifetimeSeconds = 3_600.0

    /// Until when the listener of a track is known to have listened, by its own clock.
    func beaconMoment(of track: BeaconTrack, after decision: Decision? = nil) -> Instant? {
        let index = Int(track.listener.rawValue)
        let listener =
            decision?.devices[index] ?? (devices.indices.contains(index) ? devices[index] : DeviceState())
        guard let heard = listener.listenedUntil else { return track.lastHit }
        return max(heard, track.lastHit ?? heard)
    }

    /// Decides each beacon region in which a device was heard, in region order, and forgets those that are gone.
    private func verdicts(
        on state: inout DeviceState, _ tracker: RegionCatalog.TrackerRule, received: Instant, now: Instant,
        after decision: Decision
    ) -> [BeaconVerdict] {
        var memory = state.memory
        memory.tracks.removeAll { track in
            guard let rule = catalog.rule(of: track.region), rule.beacon != nil else { return true }
            return !tracker.isLinked(to: rule.collection)
        }
        var verdicts = memory.tracks.compactMap { track -> BeaconVerdict? in
            guard let rule = catalog.rule(of: track.region), let beacon = rule.beacon else { return nil }
            let former = state.presences.first { $0.region == track.region }?.standing ?? .outside
            let listened = beaconMoment(of: track, after: decision) ?? now
            let probability = track.probability(at: listened)
            let isSilent = now.seconds(since: listened) > BeaconPolicy.silenceSeconds
            let standing = standing(
                from: former, probability: probability, isSilent: isSilent, mode: rule.mode)
            return BeaconVerdict(
                region: track.region, rule: rule, former: former, standing: standing, probability: probability,
                time: standing == .outside ? listened : track.lastHit ?? listened,
                signal: track.presentSignal(at: received), isRoom: beacon.area.isRoom)
        }
        memory.challenger = chooseRoom(among: &verdicts, challenger: memory.challenger, at: received)
        state.memory = memory
        return verdicts
    }

    private func standing(
        from former: Standing, probability: Double, isSilent: Bool, mode: RegionMode
    ) -> Standing {
        if former != .outside, probability < mode.exitProbability { return .outside }
        if isSilent { return former == .outside ? .outside : .unknown }
        if former != .inside, probability > mode.enterProbability { return .inside }
        return former
    }

    /// Makes a position of a sighting, where the place of the beacon is known and the device stands there. So maps show
    /// the device, and regions around it hold it, by the same rules as for any position.
    private func locate(
        _ device: DeviceNumber, by sighting: Sighting, heardBy listener: DeviceNumber, now: Instant,
        into decision: inout Decision
    ) {
        let state = state(of: device, after: decision)
        if let evaluated = state.evaluated,
            sighting.sampleTime.seconds(since: evaluated) < Self.locatingSeconds
        {
            return
        }
        let heard = state.memory.tracks.filter { $0.heard == sighting.sampleTime.milliseconds }
        let places = heard.compactMap { track -> (signal: Float, place: Circle)? in
            guard let place = catalog.rule(of: track.region)?.beacon?.place,
                state.presences.contains(where: { $0.region == track.region && $0.standing == .inside })
            else { return nil }
            return (track.isSignalKnown ? track.signal : -.infinity, place)
        }
        guard let best = places.max(by: { $0.signal < $1.signal })?.place else { return }
        var position = Position(
            coordinate: best.centre, sampleTime: sighting.sampleTime, receivedTime: sighting.receivedTime,
            accuracy: best.radius, source: .beacon)
        if device != listener { position.reporter = self.state(of: listener, after: decision).user }
        _ = decidePosition(position, of: device, now: now, into: &decision)
    }

    /// At most once in this time a sighting becomes a position, seconds.
    private static let locatingSeconds = 5.0
}

/// Edits.
extension Engine {
    /// Forgets what was heard in a region whose radio is about to change.
    mutating func forgetBeacons(before region: Region) {
        guard catalog.rule(of: region.number) != nil, catalog.beacons.area(of: region.number) != region.beacon else {
            return
        }
        for index in devices.indices where devices[index].hasMemory {
            devices[index].memory.tracks.removeAll { $0.region == region.number }
        }
    }

    /// Takes over what a device itself sends. What was heard of another tag is forgotten.
    mutating func putTag(_ device: Device) {
        guard catalog.setTag(device.number, to: device.beacon) else { return }
        devices[Int(device.number.rawValue)].memory.tracks.removeAll { $0.listener != device.number }
        scope.users.insert(device.user)
    }

    /// Ends a device's presences in beacon regions of which nothing is known any more. That is no crossing.
    func endUnheard(_ state: inout DeviceState, of device: DeviceNumber, into decision: inout Decision) {
        let memory = state.memory
        let isUnheard = { (presence: Presence) in
            catalog.rule(of: presence.region)?.beacon != nil && memory.track(in: presence.region) == nil
        }
        for var presence in state.presences.filter(isUnheard) {
            presence.standing = .outside
            presence.doubt = nil
            decision.scratch.changes.append(
                .presence(PresenceReport(presence, of: device, insidePercent: 0, sampleTime: presence.since)))
            decision.scratch.presencesChanged = true
        }
        state.presences.removeAll(where: isUnheard)
        if decision.scratch.presencesChanged, state.hasMemory { decision.noteState(of: device) }
    }
}
