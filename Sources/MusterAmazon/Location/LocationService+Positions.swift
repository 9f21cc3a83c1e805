import HTTPTypes
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// Amazon Location's operations that read the current positions of devices.
extension LocationService {
    /// The roles that may read some positions.
    static let positionReaders: Set<Role> = [.admin, .analyst, .leader, .member]
    /// The largest number of devices that one request looks at.
    private static let scanLimit = 1000

    func addPositions(to routes: inout RouteTable) {
        let tracker = "\(Self.trackers)/{tracker}"
        add(
            "GetDevicePosition", .get, "\(tracker)/devices/{device}/positions/latest", admits: Self.positionReaders,
            to: &routes, getPosition)
        add(
            "BatchGetDevicePosition", .post, "\(tracker)/get-positions", admits: Self.positionReaders, to: &routes,
            getPositions)
        add(
            "ListDevicePositions", .post, "\(tracker)/list-positions", admits: Self.positionReaders, to: &routes,
            listPositions)
    }

    private func getPosition(_ call: AmazonCall) async throws -> [UInt8] {
        let id = try call.parameter("device")
        let device = try visibleDevice(id, call)
        guard let position = try await latest(of: [device.number])[device.number] else {
            throw AmazonError.notFound("Device not found: \(id).")
        }
        return JSONWriter.object { $0.amazonMembers(position, deviceID: id, withReceivedTime: true) }
    }

    private func getPositions(_ call: AmazonCall) async throws -> [UInt8] {
        let ids = try call.read { $0.texts("DeviceIds", 1...10, .deviceID, &$1) }
        let directory = coordinator.directory
        let (tracker, team) = try self.tracker(call, for: .positions, in: directory)
        let access = call.access(in: directory)
        let devices = ids.compactMap { id in
            directory.amazonDevice(id, in: team, of: tracker).flatMap { access.mayRead($0) ? (id, $0.number) : nil }
        }
        let positions = try await latest(of: devices.map(\.1))
        return JSONWriter.object { writer in
            writer.member("Errors", listing: [String]()) { $0.value($1) }
            writer.member("DevicePositions", listing: devices.filter { positions[$0.1] != nil }) { writer, device in
                guard let position = positions[device.1] else { return }
                writer.beginObject()
                writer.amazonMembers(position, deviceID: device.0, withReceivedTime: true)
                writer.endObject()
            }
        }
    }

    private func listPositions(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token, filter) = try call.read { request, faults in
            (
                request.pageSize(most: 100, &faults), request.text("NextToken", .token, &faults),
                request.object("FilterGeometry", &faults).flatMap { AmazonGeometry($0, &faults) }
            )
        }
        let area = try filter.map { try Self.area($0) }
        let directory = coordinator.directory
        let (tracker, team) = try self.tracker(call, for: .positions, in: directory)
        let access = call.access(in: directory)
        let visible = directory.devices.all.lazy.filter { device in
            directory.users[device.user]?.team == team.number && access.mayRead(device)
        }
        let scanned = try AmazonToken.page(
            of: visible, limit: Self.scanLimit, after: token, .positions, of: tracker.number.rawValue)
        let positions = try await latest(of: scanned.items.map(\.number))
        var shown: [(device: Device, position: Position)] = []
        var next = scanned.next
        for device in scanned.items {
            guard let position = positions[device.number], area?.contains(position.coordinate) ?? true else {
                continue
            }
            if shown.count == limit, let last = shown.last {
                next = AmazonToken.encode(
                    .positions, of: tracker.number.rawValue, [Int64(last.device.number.rawValue)])
                break
            }
            shown.append((device, position))
        }
        return JSONWriter.object { writer in
            writer.member("Entries", listing: shown) { writer, entry in
                writer.beginObject()
                writer.amazonMembers(
                    entry.position, deviceID: directory.amazonID(of: entry.device), withReceivedTime: false)
                writer.endObject()
            }
            writer.member("NextToken", next)
        }
    }

    private static func area(_ geometry: AmazonGeometry) throws(AmazonError) -> PreparedShape {
        guard case .polygon = geometry else { throw .validation("FilterGeometry", "must have a Polygon") }
        do {
            return PreparedShape(try geometry.shape())
        } catch {
            throw .validation("FilterGeometry.Polygon", error.message)
        }
    }

    /// The device that a call names, if the caller may see its reports.
    ///
    /// - Throws: `AmazonError.notFound`, both for a device that does not exist and for one that the caller may not see.
    func visibleDevice(_ id: String, _ call: AmazonCall) throws(AmazonError) -> Device {
        let directory = coordinator.directory
        let (tracker, team) = try self.tracker(call, for: .positions, in: directory)
        if let fault = AmazonText.deviceID.fault(in: id) { throw .validation("DeviceId", fault) }
        guard let device = directory.amazonDevice(id, in: team, of: tracker),
            call.access(in: directory).mayRead(device)
        else { throw .notFound("Device not found: \(id).") }
        return device
    }

    private func latest(of devices: [DeviceNumber]) async throws -> [DeviceNumber: Position] {
        if devices.isEmpty { return [:] }
        return try await coordinator.inspect { engine, _, _ in
            Dictionary(
                devices.compactMap { device in engine.latestPosition(of: device).map { (device, $0) } },
                uniquingKeysWith: { $1 })
        }
    }
}
