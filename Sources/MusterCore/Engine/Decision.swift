/// What the engine decided for the observations of one transaction: the changes for the log, and the states to adopt.
///
/// The caller reuses one decision, so that a batch in which nothing crosses allocates nothing.
public struct Decision: Sendable {
    /// The changes; the caller takes them with `takeChanges`.
    var scratch = Scratch()
    /// The devices whose presences the store must write; one may be named twice.
    public private(set) var devicesToStore: [DeviceNumber] = []
    /// The devices whose `DeviceRecord` the store must write, because the changes in the log do not describe all of
    /// their new state; one may be named twice.
    public private(set) var statesToStore: [DeviceNumber] = []
    /// The people whose safety the store must write; one may be named twice.
    public private(set) var peopleToStore: [UserNumber] = []

    /// The people whose `Declared` the store must write; one may be named twice.
    public private(set) var declaredToStore: [UserNumber] = []
    /// The notes that the store must write, each with its device. A later note of the same name replaces an earlier
    /// one.
    public private(set) var notesToStore: [(note: DeviceNote, device: DeviceNumber)] = []
    /// The result of prefetching (`Engine.approach`). It has no meaning; storing it keeps the compiler from dropping
    /// the reads.
    var touched = 0

    var devices = Overlay<DeviceState>()
    var people = Overlay<PersonState>()
    /// The incidents that changed, by team.
    var incidents: [TeamNumber: Incident] = [:]
    /// The rolls that changed, by incident.
    var rolls: [IncidentNumber: Roll] = [:]
    /// The PAR that changed, by incident.
    var courses: [IncidentNumber: PARCourse] = [:]
    /// By incident, where it changed: since when everyone is accounted for.
    var accountedTimes: [IncidentNumber: AccountedTimes] = [:]
    /// The review queue after this decision; nil when the decision reviews nothing.
    var reviewQueue: ReviewQueue?
    /// Whether `recount` does nothing for now, because the engine is deciding many people and counts after the last.
    var defersRecount = false
    /// The lines to append to the records of incidents, in order.
    var entries: [IncidentEntry] = []

    /// The people whose check-in timers raised an SOS and ask for an incident of their team. Only the store assigns the
    /// number of a new incident, so the caller opens the incidents in the transaction of this decision.
    public internal(set) var peopleToOpenIncidentsFor: [UserNumber] = []
    /// The changes to attendance rules.
    var attendance = AttendanceChanges()
    /// The changes to proximity rules.
    var proximity = ProximityChanges()
    /// The newest ranges that the decision accepted as current.
    var ranges = LatestRanges()

    public init() {}

    /// Whether the store must write anything: a change or a line that the caller has not taken yet, or a state.
    public var hasChanges: Bool {
        !scratch.changes.isEmpty || !entries.isEmpty || !declaredToStore.isEmpty || !accountedTimes.isEmpty
            || !statesToStore.isEmpty || !devicesToStore.isEmpty || !attendance.toStore.isEmpty
            || !proximity.rulesToStore.isEmpty || !proximity.alarmsToStore.isEmpty
    }

    /// Passes every change decided since the last call to `body`, in order, and removes it from the decision.
    public mutating func takeChanges(_ body: (Change) throws -> Void) rethrows {
        defer { scratch.changes.removeAll(keepingCapacity: true) }
        try scratch.changes.withUnsafeBufferPointer { changes in
            for index in changes.indices { try body(changes[index]) }
        }
    }

    /// Passes every line for an incident's record decided since the last call to `body`, in order, and removes it from
    /// the decision.
    public mutating func takeEntries(_ body: (IncidentEntry) throws -> Void) rethrows {
        defer { entries.removeAll(keepingCapacity: true) }
        for entry in entries { try body(entry) }
    }

    /// Whether devices still wait for review after this decision; nil when the decision reviews nothing.
    public var leavesReviewUnfinished: Bool? { reviewQueue.map { !$0.isEmpty } }

    /// Returns a device's presences as this decision leaves them; empty for a device that it does not touch.
    public func presences(of device: DeviceNumber) -> [Presence] {
        devices[Int(device.rawValue)]?.presences ?? []
    }

    /// Returns a device's presences in the muster regions of raw collections as this decision leaves them; empty for a
    /// device that it does not touch.
    public func musterPresences(of device: DeviceNumber) -> [Presence] {
        devices[Int(device.rawValue)]?.musterPresences ?? []
    }

    /// The numbers of the devices that the decision touches, as array indexes, in the order in which it touched them.
    public var movedDevices: some Sequence<Int> { devices.touched }

    /// Returns a person's safety as this decision leaves it; nil for a person whom it does not touch.
    public func safety(of user: UserNumber) -> Safety? { people[Int(user.rawValue)]?.safety }

    /// Returns the result of the declarations about a person as this decision leaves it; nil for a person whom it does
    /// not touch.
    public func declared(of user: UserNumber) -> Declared? { people[Int(user.rawValue)]?.declared }

    /// Returns a team's incident as this decision leaves it; nil when the decision does not change it.
    public func incident(of team: TeamNumber) -> Incident? { incidents[team] }

    /// Discards everything decided. Call it when the transaction failed.
    public mutating func discard() {
        devices.clear()
        people.clear()
        reset()
    }

    mutating func record(_ state: DeviceState, of device: DeviceNumber) {
        devices.set(Int(device.rawValue), to: state)
        noteChanges(of: device)
    }

    /// Marks a device's presences and record for the store, if the observation changed them.
    ///
    /// - Returns: whether anything changed that the owner's safety depends on.
    @discardableResult
    mutating func noteChanges(of device: DeviceNumber) -> Bool {
        let hasChanged = scratch.presencesChanged || scratch.beliefChanged || scratch.evidenceChanged
        if scratch.presencesChanged { devicesToStore.append(device) }
        // The engine compares the next fix with the regions that it reported, and with the evidence of earlier fixes.
        if scratch.beliefChanged || scratch.evidenceChanged { statesToStore.append(device) }
        scratch.presencesChanged = false
        scratch.beliefChanged = false
        scratch.evidenceChanged = false
        return hasChanged
    }

    /// Marks a device's record for the store.
    mutating func noteState(of device: DeviceNumber) { statesToStore.append(device) }

    /// Reports and stores that a device's clock is right again, as shown by a position that is not stored. Without this
    /// note, clients that saw the wrong clock would not learn of it, nor would this server after a restart.
    mutating func noteRightClock(of device: DeviceNumber, by position: Position) {
        let note = DeviceNote(
            DeviceNote.Name(.clock), sampleTime: position.sampleTime, receivedTime: position.receivedTime,
            body: #"{"aheadSeconds":0}"#)
        notesToStore.append((note, device))
        scratch.changes.append(.note(note.name, of: device))
    }

    /// Records a person's new state.
    ///
    /// - Parameter isTold: whether the log reports the person's safety.
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
        courses.removeAll()
        accountedTimes.removeAll()
        defersRecount = false
        reviewQueue = nil
        entries.removeAll(keepingCapacity: true)
        peopleToOpenIncidentsFor.removeAll()
        if !attendance.isEmpty { attendance = AttendanceChanges() }
        if !proximity.isEmpty { proximity = ProximityChanges() }
        if !ranges.isEmpty { ranges = LatestRanges() }
        scratch.presencesChanged = false
        scratch.beliefChanged = false
    }
}
