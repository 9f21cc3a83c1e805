import MusterCore
import MusterWire

/// The server's presences of the person's first device, the one of their recorded locations.
struct ServerVerdict: Sendable {
    /// The newest sample time that the server has stored for the device; nil if it has none.
    var latest: Instant?
    /// The device's presences in the regions near it.
    var presences: [RegionWatch.DevicePresence] = []
    /// The open incident of the person's team; nil if there is none.
    var incident: RegionWatch.Incident?

    /// The regions that the device is inside of by the server's evaluation.
    var inside: Set<RegionWatch.Name> {
        Set(presences.lazy.filter { $0.standing == .inside }.map(\.region))
    }

    /// The newest sample time of the device that the server is known to have evaluated.
    var evaluated: Instant? { ([latest].compactMap(\.self) + presences.map(\.sampleTime)).max() }

    /// Requests the device, its presences and the team's open incident from the server.
    ///
    /// - Throws: `ReplicationError`.
    static func request(from server: NativeQuestions) async throws -> ServerVerdict {
        var verdict = ServerVerdict()
        // The position is requested before the presences: a fix that arrives between the two is in the presences.
        if let device = try await server.items("devices", ofUser: true).first, let id = device["id"]?.string {
            verdict.latest = time(device["position"]?["sampleTime"])
            let items = try await server.items("presences", ofUser: true)
            verdict.presences = items.filter { $0["device"]?.string == id }.compactMap { presence($0) }
        }
        let team = try await server.item("session")["user"]?["team"]?.string
        let open = try await server.items("incidents").first { $0["team"]?.string == team }
        if team != nil, let open, let number = open["number"]?.integer {
            verdict.incident = RegionWatch.Incident(
                number: number, isDrill: open["kind"]?.string == "drill", note: open["note"]?.string)
        }
        return verdict
    }

    private static func presence(_ item: JSONValue) -> RegionWatch.DevicePresence? {
        guard let region = item["region"], let collection = region["collection"]?.string,
            let id = region["id"]?.string,
            let standing: Standing = named(item["standing"]?.string, by: \.wireName),
            let since = time(item["since"]), let sampleTime = time(item["sampleTime"])
        else { return nil }
        return RegionWatch.DevicePresence(
            region: RegionWatch.Name(collection: collection, id: id), standing: standing,
            insidePercent: item["probability"]?.number.map { UInt8(min(100, max(0, $0 * 100)).rounded()) },
            doubt: named(item["doubt"]?.string, by: \.wireName), since: since, sampleTime: sampleTime)
    }

    private static func time(_ value: JSONValue?) -> Instant? {
        value?.string.flatMap { try? Instant(rfc3339: $0) }
    }

    // MARK: Comparison with the device

    /// The difference to the device's own presences; nil if there is none, or the server has evaluated fewer fixes than
    /// the device.
    func difference(to device: WatchedDevice) -> RegionWatch.Difference? {
        guard let evaluated, device.evaluated.map({ evaluated >= $0 }) ?? true else { return nil }
        // The server may not have the newest sightings of the beacons for which the device itself listens.
        let own = Set(
            device.standings.lazy.filter { $0.standing == .inside && !device.decidesBeacons(in: $0.region) }
                .compactMap { device.name(of: $0.region) })
        let told = inside.filter { device.region($0).map { !device.decidesBeacons(in: $0) } ?? false }
        return own == told
            ? nil : RegionWatch.Difference(inside: told.subtracting(own), outside: own.subtracting(told))
    }

    /// The device's presences, with the server's in place of those that differ. A region that the device is outside of
    /// by the server's evaluation has no presence.
    func presences(
        replacing device: WatchedDevice, where difference: RegionWatch.Difference
    ) -> [Presence] {
        let changed = difference.inside.union(difference.outside)
        let kept = device.standings.filter { presence in
            device.name(of: presence.region).map { !changed.contains($0) } ?? false
        }
        let taken = presences.filter { difference.inside.contains($0.region) }.compactMap { told in
            device.region(told.region).map { number in
                let wanted = device.directory.regions[number]?.dwellSeconds
                return Presence(
                    region: number, since: told.since, standing: .inside,
                    likelihood: told.insidePercent.map { Likelihood(Double($0) / 100) } ?? .certain, doubt: told.doubt,
                    // By now the server has sent the dwell event of a stay this long.
                    hasDwelt: wanted.map { told.sampleTime.seconds(since: told.since) >= $0 } ?? false)
            }
        }
        return kept + taken
    }
}
