import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for measured distances between devices, and for the tags by which people agree to them.
struct RangeRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let device = "\(Self.root)/users/{user}/devices/{device}"
        let people: Set<Role> = [.admin, .analyst, .leader, .member]
        routes.add(
            Route(
                .post, "\(Self.root)/ranges", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Ranges",
                    "Report how far your device was from others: one range, or an array of up to "
                        + "\(RangeDecoder.limit). A range to a tag that nobody registered is counted, and not stored.",
                    body: Self.json("RangeReport"), answers: [.init(200, "Stored durably.", json: "RangeReceipt")]),
                handler: report))
        routes.add(
            Route(
                .get, "\(device)/ranges", admits: .roles(people, devices: true),
                .init(
                    "Ranges", "List the ranges that a device measured, oldest first.",
                    query: [
                        .init("from", "The first sample time, RFC 3339.", schema: Schema.time),
                        .init("to", "The end of the sample times, exclusive, RFC 3339.", schema: Schema.time),
                    ] + Self.paging, answers: [.init(200, "Ranges.", json: "RangePage")]),
                handler: listRanges))
        routes.add(
            Route(
                .put, "\(device)/range-tag", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Ranges",
                    "Agree that others report how far they are from your device, under the tag of this secret.",
                    body: Self.json("NewRangeTag"), answers: [.init(204, "Stored durably.")]),
                handler: putTag))
        routes.add(
            Route(
                .delete, "\(device)/range-tag", admits: .roles(Route.Admission.everyRole, devices: true),
                .init(
                    "Ranges", "Withdraw the tag: from now on no range to the device is stored.",
                    answers: [.init(204, "Withdrawn.")]), handler: removeTag))
    }

    private func report(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try request.requireJSON()
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let reported = try body.withUnsafeReadableBytes { try RangeDecoder.decode($0) }
        let access = try context.access(in: coordinator.directory)
        let window = SignalIntake.Window(now: now, retentionDays: configuration.retentionDays)
        var faults: [Problem.Fault] = []
        var ranges: [(range: ReportedRange, device: Device)] = []
        for (index, item) in reported.items.enumerated() {
            let place = reported.isSingle ? "" : "/\(index)"
            if let fault = window.fault(of: item.sampleTime) { faults.append(.init("\(place)/sampleTime", fault)) }
            let device =
                item.deviceName.map { access.reportableDevice($0) }
                ?? access.principal.device.flatMap { access.directory.devices[$0] }
            guard let device, access.mayReportRanges(of: device) else {
                let isNamed = item.deviceName != nil
                faults.append(.init("\(place)/device", isNamed ? "is not a device of yours" : "is required"))
                continue
            }
            ranges.append((item, device))
        }
        guard faults.isEmpty else { throw Problem.invalid(faults) }
        let (kept, unregistered) = RangeIntake(in: access.directory).observations(of: ranges, receivedAt: now)
        let receipt = try await coordinator.ingest(kept, by: access.principal)
        return .json { writer in
            writer.beginObject()
            writer.member("accepted", Int64(receipt.tally.accepted))
            writer.member("late", Int64(receipt.tally.late))
            writer.member("repeated", Int64(receipt.tally.repeated))
            // Includes the ranges whose peer withdrew its tag while the server handled the request.
            writer.member("unregistered", Int64(unregistered + receipt.tally.filtered))
            writer.member("sequence", receipt.sequence.rawValue)
            writer.endObject()
        }
    }

    private func listRanges(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let device = try device(context, access).number
        var query = Query(request)
        let from = query.instant("from") ?? Instant(milliseconds: 0)
        let to = query.instant("to") ?? HistoryRoutes.endOfTime
        let limit = query.limit()
        let cursor = query.rangeKey("cursor")
        try query.finish()
        // Reads one item more than the page holds, to see whether there is a next page.
        let found = try await coordinator.read { store in
            try store.ranges(of: device, from: from, to: to, after: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        // A page may be shorter than asked for: ranges to people whom the caller may not see are left out.
        let visible = page.filter { access.maySeeRange(of: device, to: $0.peer) }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: visible) { writer, range in
                writer.value(
                    range, peer: access.directory.qualifiedName(of: range.peer) ?? access.directory.gone(range.peer))
            }
            writer.member("nextCursor", found.count > limit ? page.last.map { RangeKey($0).text } : nil)
            writer.endObject()
        }
    }

    private func putTag(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        // Every peer knows the tag, so only its secret proves whose tag it is. The secret is neither stored nor shown
        // again.
        if fields.has("tag") { fields.addFault("tag", "proves nothing: send the secret that the tag is made of") }
        let secret = fields.text("secret", isRequired: true).flatMap { text in
            RangeSecret(text) ?? fields.fault("secret", "must be 64 hexadecimal digits")
        }
        try fields.finish()
        guard let tag = secret.map({ RangeTag(of: $0) }) else { throw Problem.invalid("/secret", "is required") }
        try await coordinator.edit(by: context.author) { directory, draft in
            var device = try ownDevice(context, in: directory)
            if device.rangeTag == tag { return }
            guard directory.device(with: tag) == nil else {
                throw Problem.conflict("This secret is another device's: make a new random one.")
            }
            device.rangeTag = tag
            draft.edits = [.putDevice(device)]
        }
        return .noContent
    }

    private func removeTag(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            var device = try ownDevice(context, in: directory)
            if device.rangeTag == nil { return }
            device.rangeTag = nil
            draft.edits = [.putDevice(device)]
        }
        return .noContent
    }

    /// The device that the path names, if it is the caller's own.
    private func ownDevice(_ context: AppRequestContext, in directory: Directory) throws -> Device {
        let access = try context.access(in: directory)
        // A gateway may read no device, so this lookup does not require the right to read.
        guard let user = directory.users[try context.parameter("user")],
            let device = directory.device(named: try context.parameter("device"), of: user.number),
            access.mayRead(device) || access.mayAgreeToRanges(of: device)
        else { throw Problem.notFound }
        guard access.mayAgreeToRanges(of: device) else {
            throw Problem.forbidden("Only its owner can agree that others report how far they are from a device.")
        }
        return device
    }
}

extension RangeKey {
    /// The cursor after this range.
    fileprivate var text: String { Cursor.encode([sampleTime.milliseconds, Int64(peer.rawValue)]) }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func rangeKey(_ name: String) -> RangeKey? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 2), let peer = Int32(exactly: numbers[1]) else {
            return fault(name, "is not a cursor from an answer")
        }
        return RangeKey(sampleTime: Instant(milliseconds: numbers[0]), peer: DeviceNumber(peer))
    }
}
