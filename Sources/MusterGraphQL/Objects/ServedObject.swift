import MusterCore
import MusterGeometry
import MusterWire

/// An object of a response: what the fields of one of the schema's types are read from.
///
/// Indirect, because objects are copied from a read to the list of those that an execution holds.
indirect enum ServedObject: Sendable {
    /// The root of an operation.
    case operation
    /// A person, as Amplify's model has it.
    case user(User)
    case userPage(UserPage)
    case person(User)
    case team(Team)
    case crew(Crew)
    case device(Device)
    case position(Position)
    case coordinate(Coordinate)
    case region(Region)
    case incident(Incident)
    case rollEntry(RollEntry)
    case connection(Connection)
    case edge(Edge)
    case pageInfo(Connection)
    case positionReceipt(PositionReceipt)
    case refusedPosition(RefusedPosition)
    case userChange(UserChange)
    case personChange(PersonChange)
    case positionChange(PositionChange)
    case incidentChange(IncidentChange)
    case teamChange(TeamChange)
    case deviceChange(DeviceChange)
    case regionChange(RegionChange)
}

/// A page of Amplify's model.
struct UserPage: Sendable {
    var users: [User]
    var nextToken: String?
    /// When a client began to synchronize; nil for another list.
    var startedAt: Instant?
}

/// A person of a roll.
struct RollEntry: Sendable {
    var name: String
    /// The person, where the directory has them and the caller may know them.
    var person: User?
    var safety: Safety
}

/// What became of reported positions.
struct PositionReceipt: Sendable {
    var stored = 0
    var repeated = 0
    var filtered = 0
    var refused: [RefusedPosition] = []
}

/// A position that was not stored.
struct RefusedPosition: Sendable {
    var index: Int
    var reason: String
}

/// A page of a long list, as Relay's clients read it.
struct Connection: Sendable {
    var edges: [Edge]
    var hasNextPage: Bool
    var hasPreviousPage: Bool
}

/// An object of a page.
struct Edge: Sendable {
    var node: ServedObject
    /// The cursor after the object. It is made where a client asks for it: a page has a thousand.
    var cursor: String { node.cursor }
}

extension ServedObject {
    /// The name of the type, where the object may stand for an interface; nil elsewhere.
    var nodeType: String? {
        switch self {
        case .person: "Person"
        case .team: "Team"
        case .crew: "Crew"
        case .device: "Device"
        case .region: "Region"
        case .incident: "Incident"
        default: nil
        }
    }

    /// The object as the value of a field.
    var resolved: GraphQLResolved<ServedObject> { .object(self, type: nodeType) }
}

// The object as each type of the schema sees it; nil where the object is of another type.
extension ServedObject {
    var isOperation: Void? { if case .operation = self { () } else { nil } }
    /// The root of a subscription, for one change.
    var asChange: ServedObject? {
        switch self {
        case .userChange, .personChange, .positionChange, .incidentChange, .teamChange, .deviceChange, .regionChange:
            self
        default: nil
        }
    }
    var asUserChange: UserChange? { if case .userChange(let change) = self { change } else { nil } }
    var asPersonChange: PersonChange? { if case .personChange(let change) = self { change } else { nil } }
    var asPositionChange: PositionChange? { if case .positionChange(let change) = self { change } else { nil } }
    var asIncidentChange: IncidentChange? { if case .incidentChange(let change) = self { change } else { nil } }
    var asTeamChange: TeamChange? { if case .teamChange(let change) = self { change } else { nil } }
    var asDeviceChange: DeviceChange? { if case .deviceChange(let change) = self { change } else { nil } }
    var asRegionChange: RegionChange? { if case .regionChange(let change) = self { change } else { nil } }
    var asUser: User? { if case .user(let user) = self { user } else { nil } }
    var asUserPage: UserPage? { if case .userPage(let page) = self { page } else { nil } }
    var asPerson: User? { if case .person(let user) = self { user } else { nil } }
    var asTeam: Team? { if case .team(let team) = self { team } else { nil } }
    var asCrew: Crew? { if case .crew(let crew) = self { crew } else { nil } }
    var asDevice: Device? { if case .device(let device) = self { device } else { nil } }
    var asPosition: Position? { if case .position(let position) = self { position } else { nil } }
    var asCoordinate: Coordinate? { if case .coordinate(let place) = self { place } else { nil } }
    var asRegion: Region? { if case .region(let region) = self { region } else { nil } }
    var asIncident: Incident? { if case .incident(let incident) = self { incident } else { nil } }
    var asRollEntry: RollEntry? { if case .rollEntry(let entry) = self { entry } else { nil } }
    var asConnection: Connection? { if case .connection(let connection) = self { connection } else { nil } }
    var asEdge: Edge? { if case .edge(let edge) = self { edge } else { nil } }
    var asPageInfo: Connection? { if case .pageInfo(let connection) = self { connection } else { nil } }
    var asPositionReceipt: PositionReceipt? { if case .positionReceipt(let receipt) = self { receipt } else { nil } }
    var asRefusedPosition: RefusedPosition? { if case .refusedPosition(let refused) = self { refused } else { nil } }
}
