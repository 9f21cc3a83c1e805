package import MusterCore

/// What a store knows of people's safety beside the log: declarations, incidents and their records, and who changed
/// what by hand.
package protocol SafetyStore {
    /// What holds of what was declared, of every user of whom something was ever declared.
    func declared() throws -> [(user: UserNumber, declared: Declared)]

    /// What was declared of a person, oldest first and what was said at one moment in the order of ids, at most
    /// `limit`, beginning after `cursor` when there is one.
    func declarations(of subject: UserNumber, after cursor: DeclarationKey?, limit: Int) throws -> [KeptDeclaration]

    /// The incident with this number.
    func incident(_ number: IncidentNumber) throws -> Incident?

    /// Every incident that is open.
    func openIncidents() throws -> [Incident]

    /// A team's incidents, or everyone's, newest first, at most `limit`, beginning before `cursor` when there is one.
    func incidents(of team: TeamNumber?, before cursor: IncidentNumber?, limit: Int) throws -> [Incident]

    /// The record of an incident in order, at most `limit` lines, beginning after the line `cursor`; 0: at the first.
    func record(of incident: IncidentNumber, after cursor: Int64, limit: Int) throws -> [RecordLine]

    /// The lines of an incident's record that say who is on its roll, and everyone's newest, in their order: what
    /// `Roll` is made of.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]

    /// The lines of an incident's record that speak of the incident itself, in order, at most `limit`.
    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry]

    /// What was changed by hand, newest first, at most `limit`, beginning before `cursor` when there is one.
    func audit(before cursor: LogSequence?, limit: Int) throws -> [AuditEntry]
}

/// What one transaction may write of people's safety.
package protocol SafetyTransaction {
    /// Whether a declaration with this subject and id is stored, in this transaction or before.
    func holds(_ declaration: Declaration) throws -> Bool
    /// Replaces what holds of what was declared of a person.
    func setDeclared(_ declared: Declared, of user: UserNumber) throws
    /// The incident with this number.
    func incident(_ number: IncidentNumber) throws -> Incident?
    /// What `SafetyStore.roll` says, as this transaction sees it.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]
    /// A number never given to an incident before.
    func nextIncidentNumber() throws -> IncidentNumber
    /// Adds a line to an incident's record. It stays when its person is removed.
    func append(_ entry: IncidentEntry) throws
    /// Notes who made a change by hand, and forgets some of what is older than `AuditEntry.keptSeconds`.
    func append(_ entry: AuditEntry) throws
}

/// A declaration as it is kept.
package struct KeptDeclaration: Hashable, Sendable {
    /// What was said.
    package var declaration: Declaration
    /// Whether it moved anything when it came.
    package var isCurrent: Bool

    package init(_ declaration: Declaration, isCurrent: Bool) {
        self.declaration = declaration
        self.isCurrent = isCurrent
    }
}

/// A place among a person's declarations.
package struct DeclarationKey: Hashable, Sendable {
    package var sampleTime: Instant
    package var id: String

    package init(sampleTime: Instant, id: String) {
        self.sampleTime = sampleTime
        self.id = id
    }

    init(_ declaration: Declaration) { self.init(sampleTime: declaration.sampleTime, id: declaration.id) }

    func precedes(_ other: DeclarationKey) -> Bool {
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

/// That someone changed something by hand.
package struct AuditEntry: Hashable, Sendable {
    /// Where in the log the change stands, as long as it stands there.
    package var sequence: LogSequence
    /// When.
    package var at: Instant
    /// Who.
    package var author: UserNumber
    /// The device whose token it came with; nil for a person who signed in.
    package var device: DeviceNumber?
    /// What. A declaration without its note and its place.
    package var change: Change

    /// How long it is kept: a year.
    package static let keptSeconds: Double = 366 * 86_400
    /// How many old ones one new one makes room for.
    static let forgottenAtOnce = 4

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
