package import MusterCore

/// The safety data that a store keeps outside the log: declarations, incidents and their records, and the audit
/// entries of changes that users made.
package protocol SafetyStore {
    /// The declarations in force, for every user about whom a declaration was ever made.
    func declared() throws -> [(user: UserNumber, declared: Declared)]

    /// The declarations about a person, ordered by sample time (oldest first) and then by id. Returns at most `limit`,
    /// beginning after `cursor` when it is given.
    func declarations(of subject: UserNumber, after cursor: DeclarationKey?, limit: Int) throws -> [KeptDeclaration]

    /// The incident with this number.
    func incident(_ number: IncidentNumber) throws -> Incident?

    /// Every incident that is open.
    func openIncidents() throws -> [Incident]

    /// A team's incidents, or everyone's, newest first, at most `limit`, beginning before `cursor` when there is one.
    func incidents(of team: TeamNumber?, before cursor: IncidentNumber?, limit: Int) throws -> [Incident]

    /// The record of an incident in order, at most `limit` lines, beginning after the line `cursor`; 0: at the first.
    func record(of incident: IncidentNumber, after cursor: Int64, limit: Int) throws -> [RecordLine]

    /// The lines of an incident's record from which a `Roll` is built, in their order: those that say who is on the
    /// roll, and the newest line of each person.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]

    /// The lines of an incident's record that concern the incident itself and no person, in order, at most `limit`.
    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry]

    /// The audit entries of changes that users made, newest first, at most `limit`, beginning before `cursor` when it
    /// is given.
    func audit(before cursor: LogSequence?, limit: Int) throws -> [AuditEntry]
}

/// The safety data that a transaction may write.
package protocol SafetyTransaction {
    /// Whether a declaration with this subject and id is stored, in this transaction or before.
    func holds(_ declaration: Declaration) throws -> Bool
    /// Replaces the declarations in force about a person.
    func setDeclared(_ declared: Declared, of user: UserNumber) throws
    /// The incident with this number.
    func incident(_ number: IncidentNumber) throws -> Incident?
    /// The lines that `SafetyStore.roll` returns, as this transaction sees them.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]
    /// A number never given to an incident before.
    func nextIncidentNumber() throws -> IncidentNumber
    /// Adds a line to an incident's record. It stays when its person is removed.
    func append(_ entry: IncidentEntry) throws
    /// Adds an audit entry, and deletes some of the entries that are older than `AuditEntry.keptSeconds`.
    func append(_ entry: AuditEntry) throws
}

/// A declaration as the store keeps it.
package struct KeptDeclaration: Hashable, Sendable {
    /// The declaration.
    package var declaration: Declaration
    /// Whether the declaration took effect when the server received it.
    package var isCurrent: Bool

    package init(_ declaration: Declaration, isCurrent: Bool) {
        self.declaration = declaration
        self.isCurrent = isCurrent
    }
}

/// A cursor into a person's declarations.
package struct DeclarationKey: Hashable, Sendable {
    package var sampleTime: Instant
    package var id: String

    package init(sampleTime: Instant, id: String) {
        self.sampleTime = sampleTime
        self.id = id
    }

    package init(_ declaration: Declaration) { self.init(sampleTime: declaration.sampleTime, id: declaration.id) }

    package func precedes(_ other: DeclarationKey) -> Bool {
        sampleTime == other.sampleTime
            ? id.utf8.lexicographicallyPrecedes(other.id.utf8) : sampleTime < other.sampleTime
    }
}

/// A line of an incident's record with its place, which grows from line to line.
package struct RecordLine: Hashable, Sendable {
    package var place: Int64
    package var entry: IncidentEntry

    package init(place: Int64, entry: IncidentEntry) {
        self.place = place
        self.entry = entry
    }
}

/// The record of a change that a user made.
package struct AuditEntry: Hashable, Sendable {
    /// The number of the change in the log. The log may have deleted the change since.
    package var sequence: LogSequence
    /// The time of the change.
    package var at: Instant
    /// The user who made the change.
    package var author: UserNumber
    /// The device whose token authorized the change; nil when a person signed in.
    package var device: DeviceNumber?
    /// The change. A declaration is kept without its note and its place.
    package var change: Change

    /// How long it is kept: a year.
    package static let keptSeconds: Double = 366 * 86_400
    /// The number of expired entries that are deleted when one entry is added.
    package static let forgottenAtOnce = 4

    package init(
        sequence: LogSequence, at: Instant, author: UserNumber, device: DeviceNumber? = nil, change: Change
    ) {
        self.sequence = sequence
        self.at = at
        self.author = author
        self.device = device
        self.change = change
    }
}
