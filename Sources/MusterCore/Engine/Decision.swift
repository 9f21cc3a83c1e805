import MusterGeometry

/// What the engine decided for the observations of one transaction: the changes for the log, and the states to adopt.
///
/// One decision is used again and again, so that a batch in which nothing crosses allocates nothing.
public struct Decision: Sendable {
    /// What is to be appended to the log, in order. The caller takes them with `takeChanges`.
    var changes: [Change] = []
    /// The devices whose presences are to be stored; may name one twice.
    public private(set) var devicesToStore: [DeviceNumber] = []
    /// The people whose safety is to be stored; may name one twice.
    public private(set) var peopleToStore: [UserNumber] = []

    var devices = Overlay<DeviceState>()
    var people = Overlay<PersonState>()
    /// Whether the observation at hand changed its device's presences.
    var presencesChanged = false
    // Room to work in, kept from one observation to the next.
    var inside: [Int32] = []
    var nearby: [NearbyRegion] = []
    var findings: [Finding] = []
    var presences: [Presence] = []
    /// What is told after the exits of the observation at hand: its enters, its dwells, then its reports.
    var enters: [Crossing] = []
    var dwells: [Crossing] = []
    var reports: [PresenceReport] = []

    /// A decision about nothing.
    public init() {}

    /// Whether there is a change that was not taken yet.
    public var hasChanges: Bool { !changes.isEmpty }

    /// Hands every change decided since the last call to `body`, in order.
    public mutating func takeChanges(_ body: (Change) throws -> Void) rethrows {
        defer { changes.removeAll(keepingCapacity: true) }
        for change in changes { try body(change) }
    }

    /// What a device will be inside of.
    public func presences(of device: DeviceNumber) -> [Presence] {
        devices[Int(device.rawValue)]?.presences ?? []
    }

    /// How a person will be.
    public func safety(of user: UserNumber) -> Safety? { people[Int(user.rawValue)]?.safety }

    /// Forgets all that was decided: for a transaction that failed.
    public mutating func discard() {
        devices.drain { _, _ in }
        people.drain { _, _ in }
        reset()
    }

    mutating func record(_ state: DeviceState, of device: DeviceNumber) {
        devices.set(Int(device.rawValue), to: state)
        if presencesChanged { devicesToStore.append(device) }
        presencesChanged = false
    }

    mutating func record(_ person: PersonState, of user: UserNumber) {
        people.set(Int(user.rawValue), to: person)
        peopleToStore.append(user)
        changes.append(.safety(person.safety, of: user))
    }

    /// Appends what was gathered behind the exits.
    mutating func tellGathered() {
        for crossing in enters { changes.append(.crossing(crossing)) }
        for crossing in dwells { changes.append(.crossing(crossing)) }
        for report in reports { changes.append(.presence(report)) }
        enters.removeAll(keepingCapacity: true)
        dwells.removeAll(keepingCapacity: true)
        reports.removeAll(keepingCapacity: true)
    }

    mutating func reset() {
        changes.removeAll(keepingCapacity: true)
        devicesToStore.removeAll(keepingCapacity: true)
        peopleToStore.removeAll(keepingCapacity: true)
        presencesChanged = false
    }
}
