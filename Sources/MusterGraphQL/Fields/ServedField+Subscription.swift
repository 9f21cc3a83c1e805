import MusterCore
import MusterServer
import MusterWire

/// The fields of subscriptions. Each change was held against the caller's rights before it became an object
/// (`SubscriptionSource`).
extension ServedField {
    static let subscription = [
        fields(of: "Subscription", { $0.asChange }, changes),
        fields(of: "Subscription", { $0.asUserChange }, userChanges),
        fields(of: "PersonChange", { $0.asPersonChange }, personChange),
        fields(of: "PositionChange", { $0.asPositionChange }, positionChange),
        fields(of: "IncidentChange", { $0.asIncidentChange }, incidentChange),
        fields(of: "TeamChange", { $0.asTeamChange }, teamChange),
        fields(of: "DeviceChange", { $0.asDeviceChange }, deviceChange),
        fields(of: "RegionChange", { $0.asRegionChange }, regionChange),
    ].flatMap { $0 }

    private static let changes: [String: Field<ServedObject>] = [
        "safetyChanged": .object({ _, _ in true }) { change, _ in change },
        "positionChanged": .object({ _, _ in true }) { change, _ in change },
        "incidentChanged": .object({ _, _ in true }) { change, _ in change },
        "personChanged": .object({ _, _ in true }) { change, _ in change },
        "teamChanged": .object({ _, _ in true }) { change, _ in change },
        "deviceChanged": .object({ _, _ in true }) { change, _ in change },
        "regionChanged": .object({ _, _ in true }) { change, _ in change },
    ]

    private static let userChanges: [String: Field<UserChange>] = [
        "onCreateUser": .object({ $0.mayKnow($1.user) }) { change, _ in .user(change.user) },
        "onUpdateUser": .object({ $0.mayKnow($1.user) }) { change, _ in .user(change.user) },
        "onDeleteUser": .object({ $0.mayKnow($1.user) }) { change, _ in .user(change.user) },
    ]

    private static let personChange: [String: Field<PersonChange>] = [
        "sequence": .value({ $0.mayRead($1.person) }) { change, _ in .string("\(change.sequence.rawValue)") },
        "person": .object({ $0.mayRead($1.person) }) { change, _ in .person(change.person) },
    ]

    private static let positionChange: [String: Field<PositionChange>] = [
        "sequence": .value({ $0.mayRead($1.device) }) { change, _ in .string("\(change.sequence.rawValue)") },
        "device": .object({ $0.mayRead($1.device) }) { change, _ in .device(change.device) },
        "position": .object({ $0.mayRead($1.device) }) { change, _ in .position(change.position) },
    ]

    private static let incidentChange: [String: Field<IncidentChange>] = [
        "sequence": .value({ $0.mayRead($1.incident) }) { change, _ in .string("\(change.sequence.rawValue)") },
        "incident": .object({ $0.mayRead($1.incident) }) { change, _ in .incident(change.incident) },
    ]

    private static let teamChange: [String: Field<TeamChange>] = [
        "sequence": .value(maySeeTeam) { change, _ in .string("\(change.sequence.rawValue)") },
        "team": .object(maySeeTeam) { change, _ in change.team.map { .team($0) } },
    ]

    private static let deviceChange: [String: Field<DeviceChange>] = [
        "sequence": .value(maySeeDevice) { change, _ in .string("\(change.sequence.rawValue)") },
        "device": .object(maySeeDevice) { change, _ in change.device.map { .device($0) } },
    ]

    private static let regionChange: [String: Field<RegionChange>] = [
        "sequence": .value({ access, _ in access.mayReadRegions }) { change, _ in
            .string("\(change.sequence.rawValue)")
        },
        "collection": .value({ access, _ in access.mayReadRegions }) { change, _ in
            change.collection.map { .string($0.name) }
        },
        "region": .object({ access, _ in access.mayReadRegions }) { change, _ in change.region.map { .region($0) } },
    ]

    /// Of what is gone, nobody but admins hears.
    @Sendable private static func maySeeTeam(_ access: Access, _ change: TeamChange) -> Bool {
        change.team.map { access.mayRead($0) } ?? access.seesEverything
    }

    @Sendable private static func maySeeDevice(_ access: Access, _ change: DeviceChange) -> Bool {
        change.device.map { access.mayRead($0) } ?? access.seesEverything
    }
}
