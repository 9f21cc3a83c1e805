import MusterCore
import MusterWire

/// What the server says of the device that a person's recorded locations are of: the first of theirs.
struct ServerVerdict: Sendable {
    /// The newest sample of it that the server has stored; nil when it has none.
    var latest: Instant?
    /// How it stands to the regions near it.
    var presences: [RegionWatch.DevicePresence] = []
    /// The incident of the person's team that is open.
    var incident: RegionWatch.Incident?

    /// What the server says the device is inside of.
    var inside: Set<RegionWatch.Name> {
        Set(presences.lazy.filter { $0.standing == .inside }.map(\.region))
    }

    /// The newest sample of it that the server is known to have evaluated.
    var evaluated: Instant? { ([latest].compactMap(\.self) + presences.map(\.sampleTime)).max() }

    /// Asks the server.
    ///
    /// - Throws: `ReplicationError`.
    static func ask(_ server: NativeQuestions) async throws -> ServerVerdict {
        var verdict = ServerVerdict()
        // Where it is comes first: what arrives in between is in the presences, and these are newer then.
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

    // MARK: Against what the device thinks

    /// Where it is another than the device's; nil where it is not, and where the server does not know as much.
    func difference(to device: WatchedDevice) -> RegionWatch.Difference? {
        guard let evaluated, device.evaluated.map({ evaluated >= $0 }) ?? true else { return nil }
        let own = Set(device.standings.lazy.filter { $0.standing == .inside }.compactMap { device.name(of: $0.region) })
        let told = inside.filter { device.region($0) != nil }
        return own == told
            ? nil : RegionWatch.Difference(inside: told.subtracting(own), outside: own.subtracting(told))
    }

    /// The device's presences, with the server's in place of those that differ. Who is said to be outside has none.
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
                    // The server has told of a stay that is long by now.
                    hasDwelt: wanted.map { told.sampleTime.seconds(since: told.since) >= $0 } ?? false)
            }
        }
        return kept + taken
    }
}
