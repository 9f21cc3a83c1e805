import MusterCore
import MusterWire

/// Where a device stood, as it is kept beside the fixes that this follows from.
struct StoredPresence: Codable, Hashable, Sendable {
    /// The run that recorded the newest fix.
    var session: String
    /// The newest fix that the team's filter kept.
    var latest: RecordedLocation?
    /// The newest sample time that was evaluated, milliseconds since 1970; nil in a note of before: that of `latest`.
    var evaluated: Int64?
    /// From when on recorded fixes say where the device was of late: that of one that was evaluated.
    var trailStart: Int64?
    /// How the device stood, as events have it.
    var presences: [Standing]
    /// How it stood to the muster regions of raw collections; nil in a note of before.
    var refuges: [Standing]?
    /// How the person was, by its name on the wire.
    var safety: String
    /// Since when, milliseconds since 1970.
    var safeSince: Int64
    /// The muster region that made them safe.
    var refuge: RegionWatch.Name?
    /// The incident that was open.
    var incident: RegionWatch.Incident?

    /// How it stood to one region: times in milliseconds since 1970, cases by their names on the wire.
    struct Standing: Codable, Hashable, Sendable {
        var region: RegionWatch.Name
        var standing: String
        var likelihood: UInt8
        var doubt: String?
        var hasDwelt: Bool
        var since: Int64
        var likelySince: Int64
        var leftAt: Int64?
    }

    /// What the note is called.
    static let note = "standing"

    init(_ device: WatchedDevice, incident: RegionWatch.Incident?, session: String) {
        self.session = session
        latest = device.latest.map {
            RecordedLocation(LocationMonitor.Location(fix: $0, isInBackground: false), user: "", session: session)
        }
        evaluated = device.evaluated?.milliseconds
        trailStart = device.trail.first?.sampleTime.milliseconds
        func kept(_ presences: [Presence]) -> [Standing] {
            presences.compactMap { presence in
                device.name(of: presence.region).map { Standing(presence, of: $0) }
            }
        }
        presences = kept(device.eventStandings)
        refuges = kept(device.refuges)
        safety = device.safety.state.wireName.description
        safeSince = device.safety.since.milliseconds
        refuge = device.safety.region.flatMap { device.name(of: $0) }
        self.incident = incident
    }

    /// The newest sample time that was evaluated.
    private var evaluatedTime: Instant? { evaluated.map { Instant(milliseconds: $0) } ?? latest?.fix?.sampleTime }

    /// Where the device was of late, as far as it is stored.
    func trail(in store: LocalStore) async throws -> [Position] {
        guard let end = evaluatedTime else { return [] }
        var query = LocalStore.Query.newest(WatchedDevice.trailLimit)
        query.idPrefix = RecordedLocation.idPrefix(ofSession: session)
        let start = trailStart.map { Instant(milliseconds: $0) } ?? end.advanced(bySeconds: -Engine.trailSeconds)
        query.after = start.advanced(bySeconds: -0.001)
        query.before = end.advanced(bySeconds: 0.001)
        return try await store.documents(query, as: RecordedLocation.self).reversed().compactMap(\.value.fix)
    }

    /// Puts a device that knows its regions back to where it stood.
    func restore(_ device: inout WatchedDevice, trail: [Position], now: Instant) {
        guard let latest = latest?.fix, let evaluated = evaluatedTime else { return }
        let safety = Safety(
            state: named(safety, by: \.wireName) ?? .unknown, since: Instant(milliseconds: safeSince),
            region: refuge.flatMap { device.region($0) })
        func known(_ standings: [Standing]) -> [Presence] {
            standings.compactMap { kept in device.region(kept.region).flatMap { kept.presence(in: $0) } }
        }
        device.goOn(
            from: latest, evaluated: evaluated, trail: trail, presences: known(presences),
            refuges: known(refuges ?? []), safety: safety, now: now)
    }
}

extension StoredPresence.Standing {
    fileprivate init(_ presence: Presence, of region: RegionWatch.Name) {
        self.init(
            region: region, standing: presence.standing.wireName.description, likelihood: presence.likelihood.rawValue,
            doubt: presence.doubt?.wireName.description, hasDwelt: presence.hasDwelt,
            since: presence.since.milliseconds, likelySince: presence.likelySince.milliseconds,
            leftAt: presence.leftAt?.milliseconds)
    }

    fileprivate func presence(in region: RegionNumber) -> Presence? {
        guard let standing: MusterCore.Standing = named(standing, by: \.wireName),
            let likelihood = Likelihood(rawValue: likelihood)
        else { return nil }
        return Presence(
            region: region, since: Instant(milliseconds: since), standing: standing, likelihood: likelihood,
            doubt: named(doubt, by: \.wireName), hasDwelt: hasDwelt, likelySince: Instant(milliseconds: likelySince),
            leftAt: leftAt.map { Instant(milliseconds: $0) })
    }
}
