import MusterCore

/// The device's evidence from sightings of beacons.
extension WatchedDevice {
    /// Whether sightings of beacons decide who is inside a region.
    func isOfBeacon(_ region: RegionNumber) -> Bool { engine.isBeaconRegion(region) }

    /// Whether this device decides by its own sightings whether it is inside a region.
    func decidesBeacons(in region: RegionNumber) -> Bool {
        listensForBeacons && directory.regions[region].map { Self.identity(of: $0) != nil } ?? false
    }

    /// The presences in beacon regions, ordered by region.
    var beaconPresences: [Presence] { engine.beaconPresences(of: Self.device) }

    /// The standing in each beacon region where the device was heard.
    var beaconStandings: [RegionNumber: Standing] {
        guard listensForBeacons else { return [:] }
        return Dictionary(beaconPresences.map { ($0.region, $0.standing) }) { first, _ in first }
    }

    /// Whether a beacon belongs to a region that the device's own sightings decide.
    func hasRegion(of beacon: Beacon) -> Bool { engine.hasRegion(of: beacon) }

    /// The evidence from sightings of beacons.
    var beaconMemory: BeaconMemory { engine.beaconMemory(of: Self.device) }

    /// The newest sample time of a sighting.
    var sighted: Instant? { engine.sightedTime(of: Self.device) }

    /// Until when the device is known to have listened for beacons, by its own clock.
    var listenedUntil: Instant? { [beaconMemory.listened, sighted].compactMap(\.self).max() }

    /// The beacons that make the device be inside a region; nil for a region that its own sightings do not decide.
    static func identity(of region: Region) -> BeaconIdentity? {
        guard case .beacons(let uuid, let major, let minor)? = region.beacon?.source else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// Evaluates what the device heard until a moment, as the server will evaluate the device's report of it.
    ///
    /// - Parameter moment: until when the device listened, by its own clock; the sightings are judged by this time.
    /// - Returns: the crossings, in order.
    mutating func evaluateSightings(_ sightings: [Sighting], until moment: Instant) -> [Crossing] {
        listensForBeacons = true
        if let sighted, Engine.isAhead(sighted, of: moment) { forgetBeacons(at: moment) }
        var newest = sighted
        for var sighting in sightings.sorted(by: { $0.sampleTime < $1.sampleTime }) {
            // A sighting older than the newest one comes too late to count, and two sightings of a beacon at one moment
            // count once.
            if let newest, sighting.sampleTime < newest { continue }
            if sighting.sampleTime != newest { heardNow.removeAll(keepingCapacity: true) }
            guard heardNow.insert(sighting.beacon).inserted else { continue }
            newest = sighting.sampleTime
            sighting.receivedTime = sighting.sampleTime
            _ = engine.decide(.sighting(sighting, of: Self.device), now: moment, into: &decision)
        }
        let listening = Listening(sampleTime: moment, receivedTime: moment)
        _ = engine.decide(.listening(listening, of: Self.device), now: moment, into: &decision)
        return takeCrossings()
    }

    /// Forgets all evidence about beacons. The standings are unknown afterwards, and no exit is reported.
    private mutating func forgetBeacons(at moment: Instant) {
        restoreBeacons(BeaconMemory(), sighted: nil, presences: [], at: moment)
    }

    /// Restores the evidence from before a restart.
    mutating func restoreBeacons(_ memory: BeaconMemory, sighted: Instant?, presences: [Presence], at now: Instant) {
        listensForBeacons = true
        heardNow = []
        engine.resumeBeacons(memory, sighted: sighted, presences: presences, of: Self.device)
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }
}
