import Hummingbird
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// Routes that list, show, add and remove users' devices.
struct DeviceRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let devices = "\(Self.root)/users/{user}/devices"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        let writers: Route.Admission = .roles([.admin, .leader, .member], devices: false)
        routes.add(
            Route(
                .get, "\(Self.root)/devices", admits: readers,
                .init(
                    "Devices", "List the devices that you may see, each with its latest position.",
                    query: [Self.ofUser] + Self.paging, answers: [.init(200, "Devices.", json: "DevicePage")]),
                handler: listDevices))
        routes.add(
            Route(
                .post, devices, admits: writers,
                .init(
                    "Devices", "Create a device.", body: Self.json("NewDevice"),
                    answers: [.init(201, "Made.", json: "Device")]), handler: makeDevice))
        routes.add(
            Route(
                .get, "\(devices)/{device}", admits: readers,
                .init("Devices", "Read a device.", answers: [.init(200, "The device.", json: "Device")]),
                handler: seeDevice))
        routes.add(
            Route(
                .delete, "\(devices)/{device}", admits: writers,
                .init(
                    "Devices", "Remove a device and everything it reported.", answers: [.init(204, "Gone.")]),
                handler: removeDevice))
    }

    private func listDevices(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (page, directory) = try visibleDevices(request, context)
        let (known, _) = try await whereabouts(of: page.items.map(\.number))
        return .json { writer in
            page.write(to: &writer) { $0.device($1, known[$1.number], in: directory) }
        }
    }

    private func makeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        let sent = fields.text("beacon")
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let beacon = sent.flatMap { Beacon($0) }
        if sent != nil, beacon == nil {
            throw Problem.invalid("/beacon", "must be UUID:major:minor, a Bluetooth address, or a Meshtastic id")
        }
        let device = try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            let user = try user(context, access)
            return try draft.addDevice(named: name, of: user, beacon: beacon, by: access)
        }
        return .json(.created) { $0.device(device, nil, in: coordinator.directory) }
    }

    private func seeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let device = try device(context, context.access(in: directory))
        let (known, _) = try await whereabouts(of: [device.number])
        return .json { $0.device(device, known[device.number], in: directory) }
    }

    private func removeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            try draft.removeDevice(try changeableDevice(context, access), by: access)
        }
        return .noContent
    }
}

/// The server's knowledge of a device's position.
struct Whereabouts: Sendable {
    /// The newest stored position.
    var position: Position?
    /// The time when the server last heard from the device.
    var heard: Instant?
    /// The newest evaluated position, stored or not, and its sample time, corrected by the known offset of the device's
    /// clock.
    var located: (position: Position, at: Instant)?
    /// The server's estimate of the current position.
    var belief: Belief?
    /// The offset of the device's clock.
    var skew: ClockSkew?

    init(_ device: DeviceNumber, in engine: Engine) {
        position = engine.latestPosition(of: device)
        heard = engine.heardTime(of: device)
        if let located = engine.locatedPosition(of: device), let at = engine.evaluatedTime(of: device) {
            self.located = (located, at)
        }
        belief = engine.belief(of: device)
        skew = engine.clockSkew(of: device)
    }
}

extension JSONWriter {
    /// Writes a device: id, user, name, latest position, and the offset of its clock where that is wrong.
    mutating func device(_ device: Device, _ known: Whereabouts?, in directory: Directory) {
        beginObject()
        member("id", "\(directory.users[device.user]?.name ?? "")/\(device.name)")
        member("user", directory.users[device.user]?.name)
        member("name", device.name)
        if let alias = device.alias { member("alias", alias) }
        if let beacon = device.beacon { member("beacon", beacon.text) }
        if device.rangeTag != nil { member("agreesToRanges", true) }
        if let position = known?.position {
            key("position")
            value(position, reporter: position.reporter.map { directory.name(of: $0) })
        }
        if let known { members(of: known, in: directory) }
        endObject()
    }

    /// Writes when a device was heard and located, its estimated position, and the offset of its clock where that is
    /// wrong.
    mutating func members(of known: Whereabouts, in directory: Directory) {
        if let heard = known.heard { member("heard", heard) }
        if let (position, at) = known.located {
            key("located")
            beginObject()
            member("latitude", position.coordinate.latitude)
            member("longitude", position.coordinate.longitude)
            if let accuracy = position.accuracy { member("accuracy", accuracy.value) }
            member("sampleTime", at)
            if position.sampleTime != at { member("deviceTime", position.sampleTime) }
            if let battery = position.battery { member("battery", battery) }
            endObject()
        }
        if let belief = known.belief { members(of: directory.named(belief)) }
        if let skew = known.skew {
            key("clock")
            value(skew)
        }
    }
}
