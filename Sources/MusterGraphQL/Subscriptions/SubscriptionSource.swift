import MusterCore
import MusterServer
import MusterWire

/// The changes that a subscription reports.
struct SubscriptionSource: Sendable {
    /// A kind of change, by the field that reports it.
    private enum Kind: String {
        case safety = "safetyChanged"
        case position = "positionChanged"
        case incident = "incidentChanged"
        case person = "personChanged"
        case team = "teamChanged"
        case device = "deviceChanged"
        case region = "regionChanged"
        case creation = "onCreateUser"
        case update = "onUpdateUser"
        case deletion = "onDeleteUser"
    }

    private let kind: Kind
    /// The team whose changes are reported; nil for all that the caller may see.
    private let team: TeamNumber?
    /// The device whose changes are reported; nil for all that the caller may see.
    private let device: DeviceNumber?
    /// The person whose devices are reported; nil for all that the caller may see.
    private let owner: UserNumber?
    /// The collection whose regions are reported; nil for all.
    private let collection: CollectionNumber?
    /// Which people are reported, as Amplify's clients say it; nil for all that the caller may see.
    let filter: UserFilter?
    /// The largest number of a user that the subscription knows: accounts have rising numbers.
    private let knownUser: NumberCell
    /// The number in the log after which the client wants to begin; nil for now.
    let after: LogSequence?

    /// Reads the field of a subscription.
    ///
    /// - Throws: `GraphQLErrors`; a fault when an argument names nothing that the caller may see.
    init(_ operation: GraphQLOperation, _ context: OperationContext) throws {
        let (name, members) = try operation.subscriptionField()
        let arguments = FieldArguments(members: members)
        guard let kind = Kind(rawValue: name) else { throw GraphQLFieldFault.unauthorized("Subscription.\(name)") }
        self.kind = kind
        team = try arguments["team"]?.string.map { text in
            guard let team = try ServedField.team(text, context) else { throw GraphQLFieldFault.notFound }
            return team.number
        }
        device = try arguments["device"]?.string.map { text in
            guard case .device(let name, let owner)? = GlobalID(text),
                let owner = context.directory.users[owner],
                let device = context.directory.device(named: name, of: owner.number), context.access.mayRead(device)
            else { throw GraphQLFieldFault.notFound }
            return device.number
        }
        owner = try arguments["owner"]?.string.map { text in
            guard case .person(let name)? = GlobalID(text), let owner = context.directory.users[name],
                context.access.mayRead(owner)
            else { throw GraphQLFieldFault.notFound }
            return owner.number
        }
        collection = try arguments["collection"]?.string.map { name in
            guard context.access.mayReadRegions, let collection = context.directory.collections[name] else {
                throw GraphQLFieldFault.notFound
            }
            return collection.number
        }
        filter = arguments["filter"].map { UserFilter($0) }
        after = try arguments["after"]?.string.map { text in
            guard let number = Int64(text), (0...Query.largestSequence).contains(number) else {
                throw GraphQLFieldFault.badRequest("`after` must be the `sequence` of a change.")
            }
            return LogSequence(number)
        }
        // Who was known when the changes before this moment were made, the log does not say.
        // Each is reported as new then, and each as changed.
        if after == nil, kind == .creation || kind == .update {
            let newest = context.directory.users.all.max { $0.number < $1.number }
            knownUser = NumberCell(Int64(newest?.number.rawValue ?? 0))
        } else {
            knownUser = NumberCell(kind == .creation ? 0 : .max)
        }
    }

    /// Whether a change is of the kind that the subscription reports. The caller's rights are checked elsewhere.
    func reports(_ change: Change) -> Bool {
        switch (kind, change) {
        case (.safety, .safety), (.position, .position), (.incident, .incident), (.update, .safety): true
        case (.update, .directory(.user(let user), removed: false)): !knownUser.raise(to: Int64(user.rawValue))
        case (.deletion, .directory(.user, removed: true)): true
        case (.person, .directory(.user, removed: false)), (.team, .directory(.team, removed: _)): true
        case (.device, .directory(.device, removed: _)), (.region, .region): true
        case (.creation, .directory(.user(let user), removed: false)): knownUser.raise(to: Int64(user.rawValue))
        default: false
        }
    }

    /// The object that reports a change; nil for a change that is not reported to the caller.
    func object(for event: LiveEvent, to access: Access) -> ServedObject? {
        guard access.maySee(event.change) else { return nil }
        let directory = access.directory
        switch (kind, event.change) {
        case (.safety, .safety(let safety, of: let number)):
            guard let user = directory.users[number], team == nil || user.team == team else { return nil }
            return .personChange(PersonChange(sequence: event.sequence, person: user, safety: safety))
        case (.position, .position(let position, of: let number, isCurrent: _)):
            guard device == nil || device == number, let device = directory.devices[number],
                team == nil || directory.users[device.user]?.team == team
            else { return nil }
            return .positionChange(PositionChange(sequence: event.sequence, device: device, position: position))
        case (.incident, .incident(let incident)):
            guard team == nil || incident.team == team else { return nil }
            return .incidentChange(IncidentChange(sequence: event.sequence, incident: incident))
        case (.update, .safety(let safety, of: let number)):
            return directory.users[number].map { user in
                .userChange(UserChange(user: user, safety: safety, version: event.version))
            }
        case (.update, .directory(.user(let number), removed: false)),
            (.creation, .directory(.user(let number), removed: false)):
            return directory.users[number].map { .userChange(UserChange(user: $0)) }
        case (.deletion, .directory(.user(let number), removed: true)):
            // An account that a client made and that another took over may be gone and be there again.
            let gone = User(number: number, name: directory.gone(number), role: .member, team: nil)
            var version = event.version
            version.isDeleted = directory.users[number] == nil
            return .userChange(UserChange(user: directory.users[number] ?? gone, version: version))
        default: return directoryObject(for: event, to: access)
        }
    }

    /// The object that reports a change of a person's account, a team, a device or a region.
    private func directoryObject(for event: LiveEvent, to access: Access) -> ServedObject? {
        let directory = access.directory
        switch (kind, event.change) {
        case (.person, .directory(.user(let number), removed: false)):
            guard let user = directory.users[number], access.mayRead(user), team == nil || user.team == team else {
                return nil
            }
            return .personChange(PersonChange(sequence: event.sequence, person: user, safety: nil))
        case (.team, .directory(.team(let number), removed: _)):
            guard team == nil || number == team else { return nil }
            return .teamChange(TeamChange(sequence: event.sequence, team: directory.teams[number]))
        case (.device, .directory(.device(let number), removed: _)):
            let device = directory.devices[number]
            // Whose a device was that is gone, the log does not say, so admins are told whatever owner they ask for.
            guard owner == nil || device == nil || device?.user == owner else { return nil }
            return .deviceChange(DeviceChange(sequence: event.sequence, device: device))
        case (.region, .region(let number, in: let place, removed: _)):
            guard collection == nil || collection == place else { return nil }
            return .regionChange(
                RegionChange(
                    sequence: event.sequence, collection: directory.collections[place],
                    region: directory.regions[number]))
        default: return nil
        }
    }
}

/// A change of a person as Amplify's model has them.
struct UserChange: Sendable {
    var user: User
    /// The safety after the change; nil when the change is not about that.
    var safety: Safety?
    /// The version that the change made; nil for the present one.
    var version: ModelVersion?
}

extension LiveEvent {
    /// The version of a person that this change made.
    fileprivate var version: ModelVersion { ModelVersion(number: sequence.rawValue, changedAt: committedAt) }
}

/// A change of a person's safety or account.
struct PersonChange: Sendable {
    var sequence: LogSequence
    var person: User
    /// The safety after the change; nil when the change is not about that.
    var safety: Safety?
}

/// A stored position.
struct PositionChange: Sendable {
    var sequence: LogSequence
    var device: Device
    var position: Position
}

/// A change of an incident.
struct IncidentChange: Sendable {
    var sequence: LogSequence
    var incident: Incident
}

/// A change of a team.
struct TeamChange: Sendable {
    var sequence: LogSequence
    /// The team as it is now; nil for a team that was removed.
    var team: Team?
}

/// A change of a device.
struct DeviceChange: Sendable {
    var sequence: LogSequence
    /// The device as it is now; nil for one that is gone.
    var device: Device?
}

/// A change of a region.
struct RegionChange: Sendable {
    var sequence: LogSequence
    /// The collection that the region is or was in; nil for one that is gone.
    var collection: RegionCollection?
    /// The region as it is now; nil for one that is gone.
    var region: Region?
}
