import MusterCore
import MusterGeometry
import MusterMutex

/// The evaluation and storage of sightings of beacons.
extension RegionWatch {
    /// Whether any region uses a beacon. Sightings of other beacons are not stored.
    func hasRegion(of beacon: Beacon) -> Bool { state.withLock { $0.device.hasRegion(of: beacon) } }

    /// Evaluates what the device heard until a moment. The caller then stores it with `LocalStore.record`.
    ///
    /// - Returns: the events that follow, and whether any standing in a beacon region changed.
    func evaluateSightings(_ sightings: [Sighting], until moment: Instant) -> (news: [News], decides: Bool) {
        defer { changes.send(()) }
        return state.withLock { state in
            state.beacons.isAhead = true
            let pause = state.device.beaconMemory.listened.map { moment.seconds(since: $0) } ?? .infinity
            if state.beacons.listeningSince == nil || pause > BeaconPolicy.silenceSeconds {
                state.beacons.listeningSince = sightings.map(\.sampleTime).min() ?? moment
            }
            let before = state.device.beaconStandings
            let crossings = state.device.evaluateSightings(sightings, until: moment)
            let events = state.beacons.last
            state.beacons.add(crossings, on: state.device, before: before, at: moment)
            return (Self.news(of: crossings, on: &state), state.beacons.last > events)
        }
    }

    // MARK: What is stored

    /// Whether the store keeps the standings that follow from the device's fixes; false for regions that the app
    /// defines.
    var storesPresences: Bool { beaconNote == StoredBeacons.note }

    /// Whether events of beacon regions are not on the disk yet.
    var hasBeaconNews: Bool { state.withLock { $0.beacons.hasUnstored } }

    /// Stores the evidence about beacons. It stores nothing while sightings are evaluated that neither are on the disk
    /// nor belong to this transaction: after a restart the server would never receive those.
    ///
    /// - Returns: the number of the newest event that is stored with it; nil when nothing was stored.
    func storeBeacons(besideSightings: Bool, in transaction: LocalTransaction) throws -> Int? {
        let kept = state.withLock { state -> (StoredBeacons, Int)? in
            guard state.device.listensForBeacons, besideSightings || !state.beacons.isAhead else { return nil }
            return (StoredBeacons(state.device, untold: state.beacons.untold), state.beacons.last)
        }
        guard let (stored, last) = kept else { return nil }
        try transaction.storeNote(try LocalStore.json(of: stored), note: beaconNote)
        return last
    }

    /// Records that the events up to a number are on the disk.
    ///
    /// - Parameter besideSightings: whether all evaluated sightings are on the disk, too.
    func noteBeaconsStored(through number: Int, besideSightings: Bool) {
        state.withLock { state in
            state.beacons.noteStored(through: number)
            if besideSightings { state.beacons.isAhead = false }
        }
    }

    /// Returns the events that are on the disk, each once.
    func takeBeaconEvents() -> [BeaconDecisions.Event] { state.withLock { $0.beacons.takeStored() } }

    /// Returns whether the evidence from before this start could not be read, and resets the flag.
    func takeUnreadable() -> Bool {
        state.withLock { state in
            defer { state.beacons.wasUnreadable = false }
            return state.beacons.wasUnreadable
        }
    }

    /// Restores the evidence from before this start, and the events that the app did not receive.
    func restoreBeacons() async throws {
        guard try await store.hasNote(beaconNote) else { return }
        let stored = try? await store.storedValue(of: beaconNote, as: StoredBeacons.self)
        let now = now()
        state.withLock { state in
            if let stored, stored.isReadable {
                stored.restore(&state.device, at: now)
                state.beacons.restore(stored.untold)
            } else {
                state.beacons.wasUnreadable = true
            }
        }
    }

    // MARK: States

    /// The state of every beacon region that the device's own sightings decide, ordered by name.
    func beaconStates() -> [BeaconMonitor.RegionState] {
        state.withLock { state in
            state.device.beaconRegions.compactMap { Self.beaconState(of: $0, in: state, now: now()) }
        }.sorted { $0.region < $1.region }
    }

    /// The state of a beacon region; nil where there is no such region, or sightings of this device do not decide it.
    func beaconState(of name: Name) -> BeaconMonitor.RegionState? {
        state.withLock { state in
            guard let number = state.device.region(name), let region = state.device.directory.regions[number] else {
                return nil
            }
            return Self.beaconState(of: region, in: state, now: now())
        }
    }

    private static func beaconState(of region: Region, in state: State, now: Instant) -> BeaconMonitor.RegionState? {
        guard let name = state.device.name(of: region.number), WatchedDevice.identity(of: region) != nil else {
            return nil
        }
        let report = state.device.reports.first { $0.region == region.number }
        let track = state.device.beaconMemory.tracks.first { $0.region == region.number }
        let listened = state.device.listenedUntil
        var standing = report.map { Muster.Standing($0.standing) } ?? .unknown
        if report == nil, let since = state.beacons.listeningSince, let listened,
            listened.seconds(since: since) >= BeaconPolicy.windowSeconds,
            now.seconds(since: listened) <= BeaconPolicy.silenceSeconds
        {
            standing = .outside
        }
        // A distance that was measured minutes ago is not reported as the present one.
        let isHeard = track?.lastHit.map { abs(now.seconds(since: $0)) <= BeaconPolicy.windowSeconds } ?? false
        return BeaconMonitor.RegionState(
            region: name, title: region.name, isMuster: region.isMuster, standing: standing,
            insidePercent: report?.insidePercent.map { Int($0) }, since: report?.since.date,
            proximity: isHeard ? track?.proximity ?? .unknown : .unknown,
            distanceMetres: track.flatMap { track in
                isHeard && track.isSignalKnown ? BeaconPolicy.distance(signal: Double(track.signal)).value : nil
            },
            lastHeard: track?.lastHit?.date)
    }

    /// Returns the beacons to listen for, at most `limit`: those of regions that the device is in or may be in, then
    /// those of regions without a place, then the nearest. Nil stands for no limit.
    func beaconChoice(limit: Int?) -> [BeaconIdentity] {
        state.withLock { state in
            let standings = state.device.beaconStandings
            let place = state.device.latest?.coordinate
            return BeaconChoice.choose(
                state.device.beaconRegions.compactMap { region in
                    WatchedDevice.identity(of: region).map { identity in
                        var candidate = BeaconChoice.Candidate(identity: identity)
                        candidate.isPresent = standings[region.number].map { $0 != .outside } ?? false
                        if case .circle(let circle) = region.shape {
                            candidate.distanceMetres = place?.distance(to: circle.centre).value ?? .infinity
                        }
                        return candidate
                    }
                }, limit: limit)
        }
    }
}

/// Chooses beacons for a device that can listen for only a few at once.
enum BeaconChoice {
    struct Candidate {
        var identity: BeaconIdentity
        /// Whether the device is in the region, or may be.
        var isPresent = false
        /// The distance to the region's place; 0 for a region without one.
        var distanceMetres = 0.0
    }

    /// Returns the identities to listen for, each once; a more general one stands for those that it contains.
    static func choose(_ candidates: [Candidate], limit: Int?) -> [BeaconIdentity] {
        let ranked = candidates.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            if one.isPresent != other.isPresent { return one.isPresent }
            return (one.distanceMetres, left.offset) < (other.distanceMetres, right.offset)
        }.map(\.element.identity)
        let all = Set(ranked)
        var chosen: [BeaconIdentity] = []
        var seen: Set<BeaconIdentity> = []
        for identity in ranked where chosen.count < limit ?? .max {
            let general = identity.moreGeneral.first(where: all.contains) ?? identity
            if seen.insert(general).inserted { chosen.append(general) }
        }
        return chosen
    }
}
