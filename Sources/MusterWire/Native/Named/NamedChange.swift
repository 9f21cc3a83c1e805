package import MusterCore

/// A change as the API shows it, with names in place of the log's numbers.
package enum NamedChange: Hashable, Sendable {
    /// A position; `device` is such as `alice/phone`.
    case position(Position, device: String, user: String, reporter: String?, isLate: Bool)
    case sighting(Sighting, device: String, user: String, isLate: Bool)
    case note(DeviceNote.Name, device: String, user: String)
    case signal(Signal, device: String, user: String, reporter: String?)
    case range(PeerRange, device: String, user: String, peer: String, isLate: Bool)
    case crossing(Crossing, device: String, user: String, region: NamedRegion)
    case presence(PresenceReport, device: String, user: String, region: NamedRegion)
    case belief(NamedBelief, device: String, user: String)
    case safety(NamedSafety, user: String)
    case declaration(NamedDeclaration)
    /// A repeated report of a call for help that nobody acknowledged.
    case reminder(NamedSafety, user: String, count: Int32)
    case checkInTimer(NamedCheckInTimer, user: String)
    case pause(Pause, user: String)
    case attendance(NamedAttendanceReport)
    case proximity(NamedProximityReport)
    /// Something that happened to an incident, with what it says of PAR or a handover.
    case incident(NamedIncident, NamedIncidentNews?)
    /// A change of a person's entry on the roll of a team's incident.
    case roll(NamedRecordLine, incident: IncidentNumber, team: String)
    case region(collection: String, id: String, removed: Bool)
    case directory(Entity, name: String, removed: Bool)
    /// A posted event. Its details go only to the targets of rules.
    case posted(source: String, detailType: String)
    /// A changed document. Clients read its content from the database.
    case document(DocumentTouch, database: String)
    /// A changed dataset of a user. Clients read its records from the dataset.
    case dataset(DatasetTouch, user: String)
    /// A user's action.
    case action(NamedAction)

    /// The kinds of entity in the directory.
    package enum Entity: String, Hashable, Sendable {
        case user, team, crew, device, tracker, collection, rule, target, database
    }

    /// The `type` of the change object, and the name of its event in a stream.
    package var type: StaticString {
        switch self {
        case .position: "position"
        case .sighting: "sighting"
        case .note: "note"
        case .signal: "signal"
        case .range: "range"
        case .crossing: "crossing"
        case .presence: "presence"
        case .belief: "belief"
        case .safety: "safety"
        case .declaration: "declaration"
        case .reminder: "reminder"
        case .checkInTimer: "checkInTimer"
        case .pause: "pause"
        case .attendance: "attendance"
        case .proximity: "proximity"
        case .incident: "incident"
        case .roll: "roll"
        case .region: "region"
        case .directory: "directory"
        case .posted: "posted"
        case .document: "document"
        case .dataset: "dataset"
        case .action: "action"
        }
    }
}

/// A reference to a region, as the API shows it.
package struct NamedRegion: Hashable, Sendable {
    /// The name of the region's collection.
    package var collection: String
    /// The region's id in the collection.
    package var id: String
    /// The name that people see.
    package var name: String
    package var isMuster: Bool

    package init(collection: String, id: String, name: String, isMuster: Bool) {
        self.collection = collection
        self.id = id
        self.name = name
        self.isMuster = isMuster
    }
}

extension Crossing.Kind {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .enter: "enter"
        case .exit: "exit"
        case .dwell: "dwell"
        case .passed: "passed"
        }
    }
}

extension Standing {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .inside: "inside"
        case .outside: "outside"
        }
    }
}

extension Doubt {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .checking: "checking"
        case .poorAccuracy: "poorAccuracy"
        case .stale: "stale"
        }
    }
}

extension JSONWriter {
    /// Writes a change object with its sequence and time in the log.
    ///
    /// - Parameter displayNames: the display names of the users that it names.
    package mutating func value(
        _ change: NamedChange, sequence: LogSequence, at committedAt: Instant, displayNames: DisplayNames = [:]
    ) {
        beginObject()
        member("sequence", sequence.rawValue)
        member("at", committedAt)
        member("type", change.type.description)
        members(of: change)
        member(displayNames: displayNames)
        endObject()
    }

    private mutating func members(of change: NamedChange) {
        switch change {
        case .position(let position, let device, let user, let reporter, let isLate):
            members(of: device, user)
            key("position")
            value(position, reporter: reporter)
            member("late", isLate)
        case .sighting(let sighting, let device, let user, let isLate):
            members(of: device, user)
            key("sighting")
            value(sighting)
            member("late", isLate)
        case .note(let name, let device, let user):
            members(of: device, user)
            member("kind", name.kind.wireName.description)
            if !name.key.isEmpty { member("key", name.key) }
        case .signal(let signal, let device, let user, let reporter):
            members(of: signal, device, user, reporter: reporter)
        case .range(let range, let device, let user, let peer, let late): members(of: range, device, user, peer, late)
        case .crossing(let crossing, let device, let user, let region):
            member("kind", crossing.kind.wireName.description)
            members(of: device, user)
            key("region")
            value(region)
            member("sampleTime", crossing.sampleTime)
            if let percent = crossing.insidePercent { member("probability", percent: percent) }
            if crossing.kind == .passed { member("inferred", true) }
        case .presence(let report, let device, let user, let region):
            members(of: device, user)
            key("region")
            value(region)
            members(of: report)
        case .belief(let belief, let device, let user):
            members(of: device, user)
            member("sampleTime", belief.belief.sampleTime)
            members(of: belief)
        case .safety(let safety, let user):
            member("user", user)
            members(of: safety)
        case .declaration(let declaration): members(of: declaration)
        case .reminder(let safety, let user, let count):
            member("user", user)
            members(of: safety)
            member("count", Int64(count))
        case .checkInTimer(let timer, let user): members(of: timer, user: user)
        case .pause(let pause, let user): members(of: pause, user: user)
        case .attendance(let report): members(of: report)
        case .proximity(let report): members(of: report)
        case .incident(let incident, let news): members(of: incident, news)
        case .roll(let line, let incident, let team): members(of: line, incident, team)
        case .region(let collection, let id, let removed):
            member("collection", collection)
            member("id", id)
            member("removed", removed)
        case .directory(let entity, let name, let removed):
            member("kind", entity.rawValue)
            member("name", name)
            member("removed", removed)
        case .posted(let source, let detailType):
            member("source", source)
            member("detailType", detailType)
        case .document(let touch, let database): members(of: touch, database: database)
        case .dataset(let touch, let user):
            member("user", user)
            members(of: touch)
        case .action(let action): members(of: action)
        }
    }

    private mutating func members(of line: NamedRecordLine, _ incident: IncidentNumber, _ team: String) {
        member("incident", Int64(incident.rawValue))
        member("team", team)
        members(of: line)
    }

    private mutating func members(of touch: DocumentTouch, database: String) {
        member("database", database)
        member("id", touch.id)
        member("revision", touch.winner.text)
        member("deleted", touch.isDeleted)
    }

    private mutating func members(of signal: Signal, _ device: String, _ user: String, reporter: String?) {
        members(of: device, user)
        key("signal")
        beginObject()
        members(of: signal, reporter: reporter)
        endObject()
    }

    private mutating func members(
        of range: PeerRange, _ device: String, _ user: String, _ peer: String, _ isLate: Bool
    ) {
        members(of: device, user)
        key("range")
        value(range, peer: peer)
        member("late", isLate)
    }

    private mutating func members(of touch: DatasetTouch) {
        member("dataset", touch.name)
        member("syncCount", touch.syncCount)
        member("deleted", touch.isDeleted)
        if let device = touch.device { member("pushDevice", device) }
    }

    private mutating func members(of device: String, _ user: String) {
        member("device", device)
        member("user", user)
    }

    /// Writes a reference to a region.
    package mutating func value(_ region: NamedRegion) {
        beginObject()
        member("collection", region.collection)
        member("id", region.id)
        member("name", region.name)
        member("muster", region.isMuster)
        endObject()
    }

    /// Writes a device's standing in a region: the members after the region.
    package mutating func members(of report: PresenceReport) {
        member("standing", report.standing.wireName.description)
        if let percent = report.insidePercent { member("probability", percent: percent) }
        if let doubt = report.doubt { member("doubt", doubt.wireName.description) }
        member("since", report.since)
        member("sampleTime", report.sampleTime)
    }

    /// Writes a percentage as a share of 1.
    private mutating func member(_ name: StaticString, percent: UInt8) {
        member(name, Double(percent) / 100)
    }
}
