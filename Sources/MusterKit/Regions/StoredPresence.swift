import MusterCore
import MusterWire

/// The presences and the safety of a device, stored beside the fixes that they follow from.
struct StoredPresence: Codable, Hashable, Sendable {
    /// The run that recorded the newest fix.
    var session: String
    /// The newest fix that the team's filter kept.
    var latest: RecordedLocation?
    /// Whether that fix followed from a sighting of a beacon; nil in a note of an earlier version.
    var isOfBeacon: Bool?
    /// The newest evaluated sample time, milliseconds since 1970 UTC; nil in a note of an earlier version, where it is
    /// that of `latest`.
    var evaluated: Int64?
    /// The sample time of the first recorded fix of the trail, which was evaluated.
    var trailStart: Int64?
    /// The presences that the events report.
    var presences: [Region]
    /// The presences in the muster regions of raw collections; nil in a note of an earlier version.
    var musterPresences: [Region]?
    /// The person's safety, by its name on the wire.
    var safety: String
    /// The time since which `safety` has held, milliseconds since 1970 UTC.
    var safeSince: Int64
    /// What the last fixes said about being inside a muster region (`ShelterEvidence`); nil in a note of an earlier
    /// version.
    var evidence: UInt16?
    /// The muster region that the person was inside.
    var musterRegion: RegionWatch.Name?
    /// The open incident; nil if there was none.
    var incident: RegionWatch.Incident?

    /// The names of the fields in the stored note. Two of them are older than the names in the code.
    private enum CodingKeys: String, CodingKey {
        case session, latest, isOfBeacon, evaluated, trailStart, presences, safety, safeSince, evidence, incident
        case musterPresences = "refuges"
        case musterRegion = "refuge"
    }

    /// The presence in one region: times in milliseconds since 1970 UTC, cases by their names on the wire.
    struct Region: Codable, Hashable, Sendable {
        var region: RegionWatch.Name
        var standing: String
        var likelihood: UInt8
        var doubt: String?
        var hasDwelt: Bool
        var since: Int64
        var likelySince: Int64
        var leftAt: Int64?
        /// The standing that the events imply; nil in a note of an earlier version, and for the usual one.
        var told: String?
    }

    /// The id of the note in the store.
    static let note = "standing"

    init(_ device: WatchedDevice, incident: RegionWatch.Incident?, session: String) {
        self.session = session
        latest = device.latest.map {
            RecordedLocation(LocationMonitor.Location(fix: $0, isInBackground: false), user: "", session: session)
        }
        isOfBeacon = device.latest?.source == .beacon
        evaluated = device.evaluated?.milliseconds
        trailStart = device.trail.first?.sampleTime.milliseconds
        func kept(_ presences: [Presence]) -> [Region] {
            presences.compactMap { presence in
                device.name(of: presence.region).map { Region(presence, of: $0) }
            }
        }
        // The evidence about beacons is stored separately, beside the sightings.
        presences = kept(device.eventStandings.filter { !device.isOfBeacon($0.region) })
        musterPresences = kept(device.musterPresences)
        safety = device.safety.state.wireName.description
        safeSince = device.safety.since.milliseconds
        evidence = device.shelterEvidence.rawValue
        musterRegion = device.safety.region.flatMap { device.name(of: $0) }
        self.incident = incident
    }

    /// The newest evaluated sample time.
    private var evaluatedTime: Instant? { evaluated.map { Instant(milliseconds: $0) } ?? latest?.fix?.sampleTime }

    /// Reads the trail: the newest recorded fixes, from which the engine restores the device's track.
    func trail(in store: LocalStore) async throws -> [Position] {
        guard let end = evaluatedTime else { return [] }
        var query = LocalStore.Query.newest(WatchedDevice.trailLimit)
        query.idPrefix = RecordedLocation.idPrefix(ofSession: session)
        let start = trailStart.map { Instant(milliseconds: $0) } ?? end.advanced(bySeconds: -Engine.trailSeconds)
        query.after = start.advanced(bySeconds: -0.001)
        query.before = end.advanced(bySeconds: 0.001)
        return try await store.documents(query, as: RecordedLocation.self).reversed().compactMap(\.value.fix)
    }

    /// Restores the presences of a device whose regions are known.
    func restore(_ device: inout WatchedDevice, trail: [Position], now: Instant) {
        guard var latest = latest?.fix, let evaluated = evaluatedTime else { return }
        if isOfBeacon == true { latest.source = .beacon }
        let safety = Safety(
            state: named(safety, by: \.wireName) ?? .unknown, since: Instant(milliseconds: safeSince),
            region: musterRegion.flatMap { device.region($0) })
        func known(_ regions: [Region]) -> [Presence] {
            regions.compactMap { kept in device.region(kept.region).flatMap { kept.presence(in: $0) } }
        }
        device.restore(
            from: latest, evaluated: evaluated, trail: trail, presences: known(presences),
            musterPresences: known(musterPresences ?? []), safety: safety,
            evidence: evidence.flatMap { ShelterEvidence(rawValue: $0) } ?? .outside, now: now)
    }
}

extension StoredPresence.Region {
    init(_ presence: Presence, of region: RegionWatch.Name) {
        self.init(
            region: region, standing: presence.standing.wireName.description, likelihood: presence.likelihood.rawValue,
            doubt: presence.doubt?.wireName.description, hasDwelt: presence.hasDwelt,
            since: presence.since.milliseconds, likelySince: presence.likelySince.milliseconds,
            leftAt: presence.leftAt?.milliseconds,
            told: presence.told == Presence.usualTold(presence.standing, leftAt: presence.leftAt)
                ? nil : presence.told.wireName.description)
    }

    func presence(in region: RegionNumber) -> Presence? {
        guard let standing: Standing = named(standing, by: \.wireName),
            let likelihood = Likelihood(rawValue: likelihood)
        else { return nil }
        return Presence(
            region: region, since: Instant(milliseconds: since), standing: standing, likelihood: likelihood,
            doubt: named(doubt, by: \.wireName), hasDwelt: hasDwelt, likelySince: Instant(milliseconds: likelySince),
            leftAt: leftAt.map { Instant(milliseconds: $0) }, told: named(told, by: \.wireName))
    }
}
