import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// The fields of devices and their positions.
extension ServedField {
    static let devices = [
        fields(of: "Device", { $0.asDevice }, device),
        fields(of: "Position", { $0.asPosition }, position),
        fields(of: "Coordinate", { $0.asCoordinate }, coordinate),
    ].flatMap { $0 }

    private static let device: [String: Field<Device>] = [
        "id": .value({ $0.mayRead($1) }) { device, operation in
            operation.directory.users[device.user].map { .string(GlobalID.device(device.name, of: $0.name).text) }
        },
        "name": .value({ $0.mayRead($1) }) { device, _ in .string(device.name) },
        "owner": .object({ $0.mayRead($1) }) { device, operation in
            operation.directory.users[device.user].map { .person($0) }
        },
        "position": .batch({ $0.mayRead($1) }) { devices, _, operation in
            let facts = try await operation.facts(of: devices)
            return devices.map { facts[$0.number]?.position.map { .object(.position($0), type: nil) } ?? .null }
        },
        "positions": .batch({ $0.mayRead($1) }, history),
        "regions": .batch({ $0.mayRead($1) && $0.mayReadRegions }) { devices, _, operation in
            let facts = try await operation.facts(of: devices)
            let directory = operation.directory
            return devices.map { device in
                let regions = facts[device.number]?.regions.compactMap { directory.regions[$0] } ?? []
                return .list(regions.map { ServedObject.region($0).resolved })
            }
        },
    ]

    /// Reads pages of the histories of devices, in one read of the store.
    private static func history(
        of devices: [Device], _ arguments: FieldArguments, _ operation: OperationContext
    ) async throws -> [Resolved] {
        let paging = try Paging(arguments)
        guard let from = try arguments.instant("from") else {
            throw GraphQLFieldFault.badRequest("`from` is required.")
        }
        // Later than every time in RFC 3339 format: the year 10000.
        let to = try arguments.instant("to") ?? Instant(milliseconds: 253_402_300_800_000)
        var cursor: HistoryCursor?
        if let text = paging.after {
            cursor = HistoryCursor(text: text)
            guard cursor != nil else { throw GraphQLFieldFault.badRequest("The cursor is not one from an answer.") }
        }
        // A position is read and copied, whether or not the page is looked into.
        try operation.spend(devices.count * (paging.first + 1) * 4)
        let (numbers, begin) = (devices.map(\.number), cursor)
        let histories = try await operation.read { store in
            try numbers.map { device in
                try store.positions(of: device, from: from, to: to, after: begin, limit: paging.first + 1)
            }
        }
        return histories.map { history in
            Connection(read: history, paging) { .position($0) }.resolved
        }
    }

    /// The fields of a position. They need no right of their own: the field that gave the position was checked.
    private static let position: [String: Field<Position>] = [
        "coordinate": .object({ _, _ in true }) { position, _ in .coordinate(position.coordinate) },
        "accuracyMetres": .value({ _, _ in true }) { position, _ in position.accuracy.map { .number($0.value) } },
        "speedMetresPerSecond": .value({ _, _ in true }) { position, _ in position.speed.map { .number($0) } },
        "courseDegrees": .value({ _, _ in true }) { position, _ in position.heading.map { .number($0) } },
        "batteryPercent": .value({ _, _ in true }) { position, _ in position.battery.map { .number($0) } },
        "sampleTime": .value({ _, _ in true }) { position, _ in .string(position.sampleTime.rfc3339) },
        "receivedTime": .value({ _, _ in true }) { position, _ in .string(position.receivedTime.rfc3339) },
    ]

    private static let coordinate: [String: Field<Coordinate>] = [
        "latitudeDegrees": .value({ _, _ in true }) { place, _ in .number(place.latitude) },
        "longitudeDegrees": .value({ _, _ in true }) { place, _ in .number(place.longitude) },
    ]
}

extension FieldArguments {
    /// The time in an argument; nil when it has none.
    ///
    /// - Throws: a fault when it is no time. The scalar refused such a text before.
    func instant(_ name: String) throws(GraphQLFieldFault) -> Instant? {
        guard let text = self[name]?.string else { return nil }
        guard let instant = try? Instant(rfc3339: text) else { throw .badRequest("`\(name)` is not a time.") }
        return instant
    }
}
