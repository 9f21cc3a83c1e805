/// What the engine decided for the observations of one transaction: the changes for the log, and the states to adopt.
///
/// One decision is used again and again, so that a batch in which nothing crosses allocates nothing.
public struct Decision: Sendable {
    /// Holds the changes; the caller takes them with `takeChanges`.
    var scratch = Scratch()
    /// The devices whose presences are to be stored; may name one twice.
    public private(set) var devicesToStore: [DeviceNumber] = []
    /// The devices whose state is to be stored because the log does not tell all that moved it; may name one twice.
    public private(set) var statesToStore: [DeviceNumber] = []
    /// The people whose safety is to be stored; may name one twice.
    public private(set) var peopleToStore: [UserNumber] = []

    /// The people of whose declarations something is to be stored; may name one twice.
    public private(set) var declaredToStore: [UserNumber] = []
    /// Notes that are to be stored, each of a device; a later one of the same name takes the place of an earlier one.
    public private(set) var notesToStore: [(note: DeviceNote, device: DeviceNumber)] = []
    /// What reading ahead came to, of no meaning; kept so that it is read.
    var touched = 0

    var devices = Overlay<DeviceState>()
    var people = Overlay<PersonState>()
    /// Incidents that were started or closed, by team.
    var incidents: [TeamNumber: Incident] = [:]
    /// Rolls that changed.
    var rolls: [IncidentNumber: Roll] = [:]
    /// Since when all are accounted for without doubt, where that changed; nil inside where they no longer are.
    var undoubtedSince: [IncidentNumber: Instant?] = [:]
    /// How far the review of edits comes with it; nil where nothing was reviewed.
    var reviewQueue: ReviewQueue?
    /// Whether `recount` waits for the end of what is being decided of many people at once.
    var defersRecount = false
    /// What is to be added to the records of incidents, in order.
    var entries: [IncidentEntry] = []

    /// A decision about nothing.
    public init() {}

    /// Whether there is anything to store: a change, a line of a record, or a person's state, that was not taken yet.
    public var hasChanges: Bool {
        !scratch.changes.isEmpty || !entries.isEmpty || !declaredToStore.isEmpty || !undoubtedSince.isEmpty
            || !statesToStore.isEmpty || !devicesToStore.isEmpty
    }

    /// Hands every change decided since the last call to `body`, in order.
    public mutating func takeChanges(_ body: (Change) throws -> Void) rethrows {
        defer { scratch.changes.removeAll(keepingCapacity: true) }
        try scratch.changes.withUnsafeBufferPointer { changes in
            for index in changes.indices { try body(changes[index]) }
        }
    }

    /// Hands every entry for an incident's record since the last call to `body`, in order.
    public mutating func takeEntries(_ body: (IncidentEntry) throws -> Void) rethrows {
        defer { entries.removeAll(keepingCapacity: true) }
        for entry in entries { try body(entry) }
    }

    /// Whether devices wait for their review after this decision; nil where it reviews nothing.
    public var leavesReviewUnfinished: Bool? { reviewQueue.map { !$0.isEmpty } }

    /// What a device will be inside of.
    public func presences(of device: DeviceNumber) -> [Presence] {
        devices[Int(device.rawValue)]?.presences ?? []
    }

    /// How a device will stand to the muster regions of raw collections.
    public func refuges(of device: DeviceNumber) -> [Presence] {
        devices[Int(device.rawValue)]?.refuges ?? []
    }

    /// The places of the devices whose states were touched.
    public var movedDevices: some Sequence<Int> { devices.touched }

    /// How a person will be.
    public func safety(of user: UserNumber) -> Safety? { people[Int(user.rawValue)]?.safety }

    /// What will hold of what was declared of a person.
    public func declared(of user: UserNumber) -> Declared? { people[Int(user.rawValue)]?.declared }

    /// How the incident of a team will be that was started or closed; nil when none was.
    public func incident(of team: TeamNumber) -> Incident? { incidents[team] }

    /// Forgets all that was decided: for a transaction that failed.
    public mutating func discard() {
        devices.clear()
        people.clear()
        reset()
    }

    mutating func record(_ state: DeviceState, of device: DeviceNumber) {
        devices.set(Int(device.rawValue), to: state)
        noteChanges(of: device)
    }

    /// Notes that a device's presences are to be stored, if they changed.
    ///
    /// - Returns: whether anything changed by which its owner's safety is judged.
    @discardableResult
    mutating func noteChanges(of device: DeviceNumber) -> Bool {
        let hasChanged = scratch.presencesChanged || scratch.beliefChanged
        if scratch.presencesChanged { devicesToStore.append(device) }
        // Which regions the fixes seem to be in was told, and is compared with at the next fix.
        if scratch.beliefChanged { statesToStore.append(device) }
        scratch.presencesChanged = false
        scratch.beliefChanged = false
        return hasChanged
    }

    /// Notes that a device's state is to be stored.
    mutating func noteState(of device: DeviceNumber) { statesToStore.append(device) }

    /// Tells, and has stored, that a device's clock is right again, by a position that is not stored: without it nobody
    /// who was told of the wrong clock would hear of that, nor this server after a restart.
    mutating func noteRightClock(of device: DeviceNumber, by position: Position) {
        let note = DeviceNote(
            DeviceNote.Name(.clock), sampleTime: position.sampleTime, receivedTime: position.receivedTime,
            body: #"{"aheadSeconds":0}"#)
        notesToStore.append((note, device))
        scratch.changes.append(.note(note.name, of: device))
    }

    /// Records how a person is and what holds of what was declared of them.
    ///
    /// - Parameter isTold: whether the log tells their safety.
    mutating func record(_ person: PersonState, of user: UserNumber, isTold: Bool) {
        people.set(Int(user.rawValue), to: person)
        declaredToStore.append(user)
        guard isTold else { return }
        peopleToStore.append(user)
        scratch.changes.append(.safety(person.safety, of: user))
    }

    mutating func reset() {
        scratch.changes.removeAll(keepingCapacity: true)
        devicesToStore.removeAll(keepingCapacity: true)
        peopleToStore.removeAll(keepingCapacity: true)
        declaredToStore.removeAll(keepingCapacity: true)
        notesToStore.removeAll(keepingCapacity: true)
        statesToStore.removeAll(keepingCapacity: true)
        incidents.removeAll()
        rolls.removeAll()
        undoubtedSince.removeAll()
        defersRecount = false
        reviewQueue = nil
        entries.removeAll(keepingCapacity: true)
        scratch.presencesChanged = false
        scratch.beliefChanged = false
    }
}
