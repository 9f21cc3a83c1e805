import MusterCore
import MusterServer
import MusterWire

/// The fields of subscriptions. Each change was held against the caller's rights before it became an object
/// (`SubscriptionSource`).
extension ServedField {
    static let subscription =
        fields(of: "Subscription", \.asChange, changes) + fields(of: "Subscription", \.asUserChange, userChanges)
        + fields(of: "PersonChange", \.asPersonChange, personChange)
        + fields(of: "PositionChange", \.asPositionChange, positionChange)
        + fields(of: "IncidentChange", \.asIncidentChange, incidentChange)

    private static let changes: [String: Field<ServedObject>] = [
        "safetyChanged": .object({ _, _ in true }) { change, _ in change },
        "positionChanged": .object({ _, _ in true }) { change, _ in change },
        "incidentChanged": .object({ _, _ in true }) { change, _ in change },
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
}
