import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Routes by which devices report positions.
struct ReportRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/positions", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Positions",
                    "Report positions: one, an array of up to 1,000, or one a line. The server stores all or none.",
                    body: ["application/json": "Report", "application/x-ndjson": "ReportLines"],
                    answers: [.init(200, "Stored durably.", json: "Receipt")]), handler: report))
    }

    /// Receives positions. This is the most frequent request, so it avoids all needless work.
    private func report(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let isLines = request.mediaType == "application/x-ndjson"
        if !isLines { try request.requireJSON() }
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let reported = try body.withUnsafeReadableBytes { bytes in
            try PositionDecoder.decode(bytes, as: isLines ? .lines : .json, receivedAt: now)
        }
        // In an array each position has an index; a single object is the document itself.
        let isSingle = !isLines && reported.items.count == 1 && body.firstCharacter == UInt8(ascii: "{")
        let access = try context.access(in: coordinator.directory)
        let observations = try observations(of: reported, by: access, isSingle: isSingle, at: now)
        return Self.response(try await coordinator.ingest(observations, by: access.principal))
    }

    /// Looks up the devices and checks the times.
    ///
    /// - Throws: `Problem.invalid` with every fault. The fault is the same for a device that does not exist and for one
    ///   that the sender may not report for.
    private func observations(
        of reported: ReportedPositions, by access: Access, isSingle: Bool, at now: Instant
    ) throws(Problem) -> [Observation] {
        let devices = reported.deviceNames.map { access.reportableDevice($0)?.number }
        let latest = now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        var observations: [Observation] = []
        observations.reserveCapacity(reported.items.count)
        var faults: [Problem.Fault] = []
        for (index, item) in reported.items.enumerated() {
            let place = isSingle ? "" : "/\(index)"
            let device = item.deviceIndex.map { devices[$0] } ?? access.principal.device
            let time = item.position.sampleTime
            if let device, time >= earliest, time <= latest {
                var position = item.position
                position.reporter = access.reporter(of: device)
                observations.append(.position(position, of: device))
                continue
            }
            guard faults.count < 100 else { break }
            if device == nil {
                let isNamed = item.deviceIndex != nil
                faults.append(.init("\(place)/device", isNamed ? "there is no such device" : "is required"))
            }
            if time > latest {
                faults.append(.init("\(place)/sampleTime", "is more than 60 s ahead of \(now.rfc3339)"))
            } else if time < earliest {
                faults.append(.init("\(place)/sampleTime", "is before \(earliest.rfc3339), the oldest stored time"))
            }
        }
        guard faults.isEmpty else { throw .invalid(faults) }
        return observations
    }

    static func response(_ receipt: Receipt) -> Response {
        let json = """
            {"accepted":\(receipt.tally.accepted),"late":\(receipt.tally.late),"repeated":\(receipt.tally.repeated),\
            "filtered":\(receipt.tally.filtered),"sequence":\(receipt.sequence.rawValue)}
            """
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: json)))
    }
}

extension Access {
    /// The device that a sender calls by this name and may report for: `phone` is the sender's own, `alice/phone` is
    /// alice's.
    func reportableDevice(_ name: String) -> Device? {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let owner = parts.count == 1 ? principal.user : directory.users[String(parts[0])]?.number
        guard let owner, let device = directory.device(named: String(parts[parts.count - 1]), of: owner),
            mayReport(for: device)
        else { return nil }
        return device
    }
}

extension ByteBuffer {
    /// The first byte that is printable ASCII other than a space.
    fileprivate var firstCharacter: UInt8? {
        readableBytesView.first { $0 > 0x20 && $0 < 0x80 }
    }
}
