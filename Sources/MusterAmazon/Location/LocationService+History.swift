import HTTPTypes
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// Amazon Location's operations on the position history of devices: read and delete.
extension LocationService {
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
        // The last 24 hours include a sample of this very moment.
        let end = to ?? now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        let start = from ?? now.advanced(bySeconds: -Self.daySeconds)
        guard start <= end else {
            throw AmazonError.validation("StartTimeInclusive", "must not be after EndTimeExclusive")
        }
        let id = try call.parameter("device")
        let device = try visibleDevice(id, call).number
        let cursor = try AmazonToken.key(token, .history, of: device.rawValue, count: 3).map(Self.cursor)
        let page = try await coordinator.read { store in
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

    /// Deletes the position history of devices and nothing else. Current positions, presences, safety and rolls stay as
    /// they are.
    private func deleteHistory(_ call: AmazonCall) async throws -> [UInt8] {
        let ids = try call.read { $0.texts("DeviceIds", 1...100, .deviceID, &$1) }
        let directory = coordinator.directory
        let (tracker, team) = try self.tracker(call, for: .positions, in: directory)
        let access = call.access(in: directory)
        var devices: Set<DeviceNumber> = []
        var missing: [String] = []
        for id in Set(ids).sorted() {
            guard let device = directory.amazonDevice(id, in: team, of: tracker),
                let user = directory.users[device.user],
                access.mayErase(user)
            else {
                missing.append(id)
                continue
            }
            devices.insert(device.number)
        }
        try await coordinator.forgetPositions(of: devices.sorted(), by: call.author)
        return JSONWriter.object { writer in
            writer.member("Errors", listing: missing) { writer, id in
                writer.beginObject()
                writer.member("DeviceId", id)
                writer.amazonItemError("ResourceNotFoundError", "Device not found: \(id).")
                writer.endObject()
            }
        }
    }
}
