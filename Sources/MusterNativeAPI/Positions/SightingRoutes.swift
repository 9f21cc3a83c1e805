import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for sightings of beacons.
struct SightingRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/sightings", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Sightings",
                    "Report up to \(SightingDecoder.limit) sightings of beacons by one device, and until when it "
                        + "listened. The server stores all or none.",
                    body: Self.json("SightingReport"), answers: [.init(200, "Stored durably.", json: "Receipt")]),
                handler: report))
        routes.add(
            Route(
                .get, "\(Self.root)/users/{user}/devices/{device}/sightings",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Sightings", "List the sightings of beacons by a device, oldest first.",
                    query: [
                        .init("from", "The first sample time, RFC 3339.", schema: Schema.time),
                        .init("to", "The end of the sample times, exclusive, RFC 3339.", schema: Schema.time),
                    ] + Self.paging, answers: [.init(200, "Sightings.", json: "SightingPage")]),
                handler: listSightings))
    }

    private func report(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try request.requireJSON()
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let reported = try body.withUnsafeReadableBytes { try SightingDecoder.decode($0, receivedAt: now) }
        let access = try context.access(in: coordinator.directory)
        let device = try listener(reported, access)
        let window = SightingWindow(
            earliest: now.advanced(bySeconds: -configuration.retentionDays * 86_400),
            latest: now.advanced(bySeconds: ReportLimits.futureToleranceSeconds))
        try window.check(reported)
        if reported.encryptedCount > 0 {
            server.occasionalLog.warnOfEncryption(server.metrics, heardBy: device, in: access.directory)
        }
        let observations = SightingIntake(device, in: access.directory)
            .observations(of: reported.sightings, listenedUntil: reported.listenedUntil, receivedAt: now)
        return ReportRoutes.response(try await coordinator.ingest(observations.kept, by: access.principal))
    }

    /// The device that listened, if the caller may report for it.
    private func listener(_ reported: ReportedSightings, _ access: Access) throws(Problem) -> Device {
        guard let name = reported.deviceName else {
            guard let number = access.principal.device, let device = access.directory.devices[number] else {
                throw .invalid("/device", "is required")
            }
            return device
        }
        guard let device = access.reportableDevice(name), access.mayReportSightings(heardBy: device) else {
            throw .invalid("/device", "there is no such device")
        }
        return device
    }

    private func listSightings(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let device = try device(context, context.access(in: coordinator.directory)).number
        var query = Query(request)
        let from = query.instant("from") ?? Instant(milliseconds: 0)
        let to = query.instant("to") ?? HistoryRoutes.endOfTime
        let limit = query.limit()
        let cursor = query.sightingKey("cursor")
        try query.finish()
        // Reads one item more than the page holds, to see whether there is a next page.
        let found = try await coordinator.read { store in
            try store.sightings(of: device, from: from, to: to, after: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { $0.value($1) }
            writer.member("nextCursor", found.count > limit ? page.last.map { SightingKey($0).text } : nil)
            writer.endObject()
        }
    }
}

/// The times that sightings may have.
private struct SightingWindow {
    let earliest: Instant
    let latest: Instant

    func check(_ reported: ReportedSightings) throws(Problem) {
        var faults: [Problem.Fault] = []
        func check(_ time: Instant, at pointer: String) {
            guard faults.count < 100 else { return }
            if time > latest {
                faults.append(.init(pointer, "is more than 60 s ahead of the server's clock"))
            } else if time < earliest {
                faults.append(.init(pointer, "is before \(earliest.rfc3339), the oldest stored time"))
            }
        }
        for (index, sighting) in reported.sightings.enumerated() {
            check(sighting.sampleTime, at: "/sightings/\(index)/sampleTime")
        }
        if let until = reported.listenedUntil { check(until, at: "/listenedUntil") }
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}

extension SightingKey {
    /// The cursor after this sighting.
    fileprivate var text: String {
        Cursor.encode([
            sampleTime.milliseconds, Int64(bitPattern: beacon.uuid.high), Int64(bitPattern: beacon.uuid.low),
            Int64(beacon.major) << 16 | Int64(beacon.minor),
        ])
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func sightingKey(_ name: String) -> SightingKey? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 4), let pair = UInt32(exactly: numbers[3]) else {
            return fault(name, "is not a cursor from an answer")
        }
        let uuid = BeaconUUID(high: UInt64(bitPattern: numbers[1]), low: UInt64(bitPattern: numbers[2]))
        let beacon = Beacon(uuid: uuid, major: UInt16(pair >> 16), minor: UInt16(truncatingIfNeeded: pair))
        return SightingKey(sampleTime: Instant(milliseconds: numbers[0]), beacon: beacon)
    }
}
