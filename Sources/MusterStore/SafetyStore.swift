package import MusterCore

/// Reads the safety data that the store keeps outside the log: declarations, incidents with their records, and audit
/// entries.
package protocol SafetyStore {
    /// Returns the result of the declarations about each user who has any.
    func declared() throws -> [(user: UserNumber, declared: Declared)]

    /// Returns the declarations about a person, ordered by sample time and then by id. At most `limit`, beginning after
    /// `cursor` if it is given.
    func declarations(of subject: UserNumber, after cursor: DeclarationKey?, limit: Int) throws -> [KeptDeclaration]

    /// Returns the incident of this number; nil if there is none.
    func incident(_ number: IncidentNumber) throws -> Incident?

    func openIncidents() throws -> [Incident]

    /// Returns the incidents of a team, or of all teams for nil, newest first. At most `limit`, beginning before
    /// `cursor` if it is given.
    func incidents(of team: TeamNumber?, before cursor: IncidentNumber?, limit: Int) throws -> [Incident]

    /// Returns the lines of an incident's record in order. At most `limit`, beginning after the line `cursor`; 0 begins
    /// at the first.
    func record(of incident: IncidentNumber, after cursor: Int64, limit: Int) throws -> [RecordLine]

    /// Returns the lines of an incident's record from which `Roll` and `PARCourse` are built, in order: those that say
    /// who is on the roll, the newest line of each person, those of the newest PAR, and the one that last set its
    /// timer.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]

    /// Returns the lines of an incident's record that concern the incident itself and neither a person nor PAR, in
    /// order, at most `limit`.
    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry]

    /// Returns the lines of an incident's record about PAR, in order, at most `limit`.
    func parLines(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry]

    /// Returns audit entries, newest first. At most `limit`, beginning before `cursor` if it is given.
    ///
    /// - Parameter withDetails: whether the store reads the entries' `details`, which are most of their bytes.
    func audit(before cursor: LogSequence?, limit: Int, withDetails: Bool) throws -> [AuditEntry]
}

extension SafetyStore {
    /// Returns audit entries with their details, newest first, as `audit(before:limit:withDetails:)` does.
    package func audit(before cursor: LogSequence?, limit: Int) throws -> [AuditEntry] {
        try audit(before: cursor, limit: limit, withDetails: true)
    }
}

/// Writes safety data in a transaction.
package protocol SafetyTransaction {
    /// Whether a declaration with this subject and id is stored, in this transaction or before.
    func holds(_ declaration: Declaration) throws -> Bool
    /// Replaces the declarations in force about a person.
    func setDeclared(_ declared: Declared, of user: UserNumber) throws
    /// Returns the incident of this number; nil if there is none.
    func incident(_ number: IncidentNumber) throws -> Incident?
    /// Returns the lines that `SafetyStore.roll` returns, as this transaction sees them.
    func roll(of incident: IncidentNumber) throws -> [IncidentEntry]
    /// Returns the lines that `SafetyStore.milestones` returns, as this transaction sees them.
    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry]
    /// Returns the incident of a team that a request with this sender's id started, as this transaction sees it; nil if
    /// none did.
    func incident(of team: TeamNumber, startedAs id: String) throws -> Incident?
    /// Returns the line of an incident's record that a request with this sender's id caused, as this transaction sees
    /// it; nil if none did.
    func line(of incident: IncidentNumber, sentAs id: String) throws -> IncidentEntry?
    /// Returns the number for a new incident. No incident ever had it.
    func nextIncidentNumber() throws -> IncidentNumber
    /// Adds a line to an incident's record. The line stays when its person is removed.
    func append(_ entry: IncidentEntry) throws
    /// Adds an audit entry, and deletes up to `AuditEntry.forgottenAtOnce` entries that are older than
    /// `AuditEntry.keptSeconds`.
    func append(_ entry: AuditEntry) throws
}

/// A stored declaration.
package struct KeptDeclaration: Hashable, Sendable {
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
}

/// A line of an incident's record, with its place: a number that increases from line to line.
package struct RecordLine: Hashable, Sendable {
    package var place: Int64
    package var entry: IncidentEntry

    package init(place: Int64, entry: IncidentEntry) {
        self.place = place
        self.entry = entry
    }
}

/// The audit entry of a change that a user made by hand.
package struct AuditEntry: Hashable, Sendable {
    /// The number of the change in the log. The log may have deleted the change since.
    package var sequence: LogSequence
    /// The time of the change.
    package var at: Instant
    /// The user who made the change.
    package var author: UserNumber
    /// The device whose token authorized the change; nil when a person signed in.
    package var device: DeviceNumber?
    /// The user of the operating system who made the change by the command line on the server's machine, which has the
    /// rights of `author`; nil for any other way.
    package var operatorName: String?
    /// The change. A declaration is stored without its note and its coordinate.
    package var change: Change
    /// What an edit changed: a JSON array of objects with a `field` and its value `before` and `after`; nil where the
    /// log does not say.
    package var details: String?

    /// How long the store keeps an audit entry: a year.
    package static let keptSeconds: Double = 366 * 86_400
    /// The number of expired entries that are deleted when one entry is added.
    package static let forgottenAtOnce = 4

    package init(
        sequence: LogSequence, at: Instant, author: UserNumber, device: DeviceNumber? = nil,
        operatorName: String? = nil, change: Change, details: String? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.author = author
        self.device = device
        self.operatorName = operatorName
        self.change = change
        self.details = details
    }
}
