import HTTPTypes
import MusterCore
import MusterGeometry
import MusterStore
import MusterWire

extension AmazonLocationEndpoint {
    private static let daySeconds: Double = 86_400

    func addHistory(to routes: inout RouteTable) {
        let tracker = "\(Self.trackers)/{tracker}"
        add(
            "GetDevicePositionHistory", .post, "\(tracker)/devices/{device}/list-positions",
            admits: Self.positionReaders, to: &routes, listHistory)
        add(
            "BatchDeleteDevicePositionHistory", .post, "\(tracker)/delete-positions", admits: [.admin, .leader],
            to: &routes, deleteHistory)
    }

    private func listHistory(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token, from, to) = try call.read { request, faults in
            (
                request.pageSize(most: 100, &faults), request.text("NextToken", .token, &faults),
                request.time("StartTimeInclusive", &faults), request.time("EndTimeExclusive", &faults)
            )
        }
        let now = configuration.now()
        // A sample of this very moment is in the last 24 hours.
        let end = to ?? now.advanced(bySeconds: NativeEndpoint.futureToleranceSeconds)
        let start = from ?? now.advanced(bySeconds: -Self.daySeconds)
        guard start <= end else {
            throw AmazonFault.validation("StartTimeInclusive", "must not be after EndTimeExclusive")
        }
        let id = try call.parameter("device")
        let device = try visibleDevice(id, call).number
        let cursor = try AmazonToken.key(token, .history, of: device.rawValue, count: 3).map(Self.cursor)
        let page = try await ledger.read { store in
            try store.positions(of: device, from: start, to: end, after: cursor, limit: limit + 1)
        }
        let shown = page.prefix(limit)
        let next = page.count > limit ? shown.last.map { Self.token(after: $0, of: device) } : nil
        return JSONWriter.object { writer in
            writer.member("DevicePositions", listing: shown) { writer, position in
                writer.beginObject()
                writer.amazonMembers(position, deviceID: id, withReceivedTime: true)
                writer.endObject()
            }
            writer.member("NextToken", next)
        }
    }

    private static func token(after position: Position, of device: DeviceNumber) -> String {
        AmazonToken.encode(
            .history, of: device.rawValue,
            [
                position.sampleTime.milliseconds, Int64(bitPattern: position.coordinate.latitude.bitPattern),
                Int64(bitPattern: position.coordinate.longitude.bitPattern),
            ])
    }

    private static func cursor(_ key: [Int64]) -> HistoryCursor {
        HistoryCursor(
            sampleTime: Instant(milliseconds: key[0]), latitude: Double(bitPattern: UInt64(bitPattern: key[1])),
            longitude: Double(bitPattern: UInt64(bitPattern: key[2])))
    }

    /// Forgets where devices were, also where they are. A device that nobody made goes altogether; another is replaced
    /// by one of the same name, which takes its tokens over.
    private func deleteHistory(_ call: AmazonCall) async throws -> [UInt8] {
        let ids = try call.read { $0.texts("DeviceIds", 1...100, .deviceID, &$1) }
        let tokens = try await ledger.read { try $0.credentials(.deviceToken) }
        let (gone, missing) = try await ledger.edit { directory, draft in
            let (tracker, team) = try self.tracker(call, for: .positions, in: directory)
            let access = call.access(in: directory)
            var gone: Set<DeviceNumber> = []
            var missing: [String] = []
            for id in Set(ids).sorted() {
                guard let device = directory.amazonDevice(id, in: team, of: tracker),
                    let user = directory.users[device.user],
                    access.mayChangeDevices(of: user)
                else {
                    missing.append(id)
                    continue
                }
                guard gone.insert(device.number).inserted else { continue }
                if user.isImplicit {
                    draft.edits += directory.removal(of: user.number)
                } else {
                    try Self.replace(device, tokens: tokens, in: &draft)
                }
            }
            return (gone, missing)
        }
        for device in gone { gate.identity.forget(device) }
        return JSONWriter.object { writer in
            writer.member("Errors", listing: missing) { writer, id in
                writer.beginObject()
                writer.member("DeviceId", id)
                writer.amazonItemError("ResourceNotFoundError", "Device not found: \(id).")
                writer.endObject()
            }
        }
    }

    private static func replace(_ device: Device, tokens: [Credential], in draft: inout Draft) throws {
        let next = Device(number: try draft.transaction.nextDeviceNumber(), name: device.name, user: device.user)
        draft.edits += [.removeDevice(device.number), .putDevice(next)]
        for var token in tokens where token.device == device.number {
            token.device = next.number
            draft.credentials.append(token)
        }
        if var key = try draft.transaction.credential(.encryptionKey, key: Credential.key(of: device.number)) {
            key.key = Credential.key(of: next.number)
            key.device = next.number
            draft.credentials.append(key)
        }
    }
}
