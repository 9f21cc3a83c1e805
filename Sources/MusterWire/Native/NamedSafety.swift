package import MusterCore
import MusterGeometry

/// How someone is, in names.
package struct NamedSafety: Hashable, Sendable {
    /// In numbers; what of it has a name follows.
    package var safety: Safety
    /// The region that makes safe.
    package var region: NamedRegion?
    /// Who said so, where someone else did.
    package var markedBy: String?
    /// Who has heard the call for help.
    package var acknowledgedBy: String?

    /// A person's safety with the names of what it speaks of.
    package init(_ safety: Safety, region: NamedRegion?, markedBy: String?, acknowledgedBy: String?) {
        self.safety = safety
        self.region = region
        self.markedBy = markedBy
        self.acknowledgedBy = acknowledgedBy
    }
}

/// What was said of someone, in names.
package struct NamedDeclaration: Hashable, Sendable {
    /// In numbers.
    package var declaration: Declaration
    /// Of whom it speaks.
    package var user: String
    /// Who said it.
    package var author: String
    /// The device whose token it came with, as `alice/phone`.
    package var device: String?
    /// Whether it moved nothing.
    package var isLate: Bool

    /// A declaration with the names of whom it speaks of.
    package init(_ declaration: Declaration, user: String, author: String, device: String?, isLate: Bool) {
        self.declaration = declaration
        self.user = user
        self.author = author
        self.device = device
        self.isLate = isLate
    }
}

/// An incident, in names.
package struct NamedIncident: Hashable, Sendable {
    /// In numbers.
    package var incident: Incident
    /// Whose it is.
    package var team: String
    /// Who started it.
    package var startedBy: String
    /// Who closed it, where someone did.
    package var closedBy: String?

    /// An incident with the names of whom it speaks of.
    package init(_ incident: Incident, team: String, startedBy: String, closedBy: String?) {
        self.incident = incident
        self.team = team
        self.startedBy = startedBy
        self.closedBy = closedBy
    }
}

extension JSONWriter {
    /// Writes how someone is: the members that follow the user.
    package mutating func members(of named: NamedSafety) {
        let safety = named.safety
        member("state", safety.state.wireName.description)
        // Nothing was ever heard of who is unknown since 1970.
        if safety.since > Instant(milliseconds: 0) { member("since", safety.since) }
        member("source", safety.source.wireName.description)
        if let author = named.markedBy { member("markedBy", author) }
        if safety.state.isCall { member("acknowledged", safety.acknowledgedBy != nil) }
        if let user = named.acknowledgedBy { member("acknowledgedBy", user) }
        if let region = named.region {
            key("region")
            value(region)
        }
    }

    /// Writes what was said of someone.
    package mutating func members(of named: NamedDeclaration) {
        let declaration = named.declaration
        member("id", declaration.id)
        member("user", named.user)
        member("kind", declaration.kind.wireName.description)
        member("author", named.author)
        if let device = named.device { member("device", device) }
        member("sampleTime", declaration.sampleTime)
        member("receivedTime", declaration.receivedTime)
        if let note = declaration.note { member("note", note) }
        if let coordinate = declaration.coordinate {
            member("latitude", coordinate.latitude)
            member("longitude", coordinate.longitude)
        }
        member("late", named.isLate)
    }

    /// Writes an incident.
    package mutating func members(of named: NamedIncident) {
        let incident = named.incident
        member("number", Int64(incident.number.rawValue))
        member("team", named.team)
        member("kind", incident.kind.wireName.description)
        if let note = incident.note { member("note", note) }
        member("startedAt", incident.startedAt)
        member("startedBy", named.startedBy)
        member("open", incident.isOpen)
        guard let closing = incident.closing else { return }
        member("closedAt", closing.at)
        member("closedHow", closing.how.wireName.description)
        if let user = named.closedBy { member("closedBy", user) }
        if case .byHand(_, let reason) = closing.how { member("reason", reason) }
    }
}

extension Safety.State {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .safe: "safe"
        case .unsafe: "unsafe"
        case .needsHelp: "needsHelp"
        case .sos: "sos"
        case .offSite: "offSite"
        }
    }
}

extension Safety.Source {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .silence: "silence"
        case .region: "region"
        case .position: "position"
        case .ownDeclaration: "ownDeclaration"
        case .marked: "marked"
        }
    }
}

extension Declaration.Kind {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .safe: "safe"
        case .needsHelp: "needsHelp"
        case .sos: "sos"
        case .offSite: "offSite"
        case .clear: "clear"
        case .acknowledge: "acknowledge"
        }
    }
}

extension Incident.Kind {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .real: "real"
        case .drill: "drill"
        }
    }
}

extension Incident.Closing.How {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .allAccounted: "allAccounted"
        case .byHand: "byHand"
        case .teamGone: "teamGone"
        }
    }
}

extension IncidentEntry.Event {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .present: "present"
        case .changed: "changed"
        case .joined: "joined"
        case .left: "left"
        }
    }
}
