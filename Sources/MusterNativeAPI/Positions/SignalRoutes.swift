import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for signals: what devices report for the rules.
struct SignalRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/signals", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Signals",
                    "Report that something happened: one signal, or an array of up to \(SignalDecoder.limit). Rules "
                        + "send it to targets. The server stores all or none.",
                    body: Self.json("SignalReport"), answers: [.init(200, "Stored durably.", json: "Receipt")]),
                handler: report))
        routes.add(
            Route(
                .get, "\(Self.root)/users/{user}/devices/{device}/signals",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Signals",
                    "List the signals of a device, the newest first. The server keeps the last \(Signal.keptLimit).",
                    query: [
                        .init("from", "The first sample time, RFC 3339.", schema: Schema.time),
                        .init("to", "The end of the sample times, exclusive, RFC 3339.", schema: Schema.time),
                    ] + Self.paging, answers: [.init(200, "Signals.", json: "SignalPage")]),
                handler: listSignals))
    }

    private func report(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try request.requireJSON()
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let reported = try body.withUnsafeReadableBytes {
            try SignalDecoder.decode($0, receivedAt: now, makeID: SignalIntake.makeID)
        }
        let access = try context.access(in: coordinator.directory)
        let window = SignalIntake.Window(now: now, retentionDays: configuration.retentionDays)
        var faults: [Problem.Fault] = []
        var observations: [Observation] = []
        for (index, item) in reported.items.enumerated() {
            let place = reported.isSingle ? "" : "/\(index)"
            if let fault = window.fault(of: item.signal.sampleTime) {
                faults.append(.init("\(place)/sampleTime", fault))
            }
            let device = item.deviceName.map { access.reportableDevice($0)?.number } ?? access.principal.device
            guard let device else {
                faults.append(
                    .init("\(place)/device", item.deviceName == nil ? "is required" : "there is no such device"))
                continue
            }
            observations.append(SignalIntake.observation(of: item.signal, of: device, by: access))
        }
        guard faults.isEmpty else { throw Problem.invalid(faults) }
        return ReportRoutes.response(try await coordinator.ingest(observations, by: access.principal))
    }

    private func listSignals(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let device = try device(context, context.access(in: directory)).number
        var query = Query(request)
        let from = query.instant("from") ?? Instant(milliseconds: 0)
        let to = query.instant("to") ?? HistoryRoutes.endOfTime
        let limit = query.limit()
        let cursor = query.sequence("cursor")
        try query.finish()
        // Reads one item more than the page holds, to see whether there is a next page.
        let found = try await coordinator.read { store in
            try store.signals(of: device, from: from, to: to, before: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { writer, kept in
                writer.beginObject()
                writer.member("sequence", kept.sequence.rawValue)
                writer.members(of: kept.signal, reporter: kept.signal.reporter.map { directory.name(of: $0) })
                writer.endObject()
            }
            let last = found.count > limit ? page.last : nil
            writer.member("nextCursor", last.map { Cursor.encode([$0.sequence.rawValue]) })
            writer.endObject()
        }
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func sequence(_ name: String) -> LogSequence? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 1) else {
            return fault(name, "is not a cursor from an answer")
        }
        return LogSequence(numbers[0])
    }
}
