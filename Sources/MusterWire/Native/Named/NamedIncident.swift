package import MusterCore

/// An `Incident` with names in place of numbers.
package struct NamedIncident: Hashable, Sendable {
    /// The incident, in numbers.
    package var incident: Incident
    package var team: String
    /// The name of the user who started it.
    package var startedBy: String
    /// The name of the user who leads it; nil when nobody does.
    package var leader: String?
    /// The name of the user who closed it; nil when no user did.
    package var closedBy: String?
    /// The name of the user who opened it again; nil when nobody did.
    package var reopenedBy: String?
    /// The display names of these users now.
    package var displayNames: DisplayNames = [:]

    package init(
        _ incident: Incident, team: String, startedBy: String, leader: String? = nil, closedBy: String?,
        reopenedBy: String? = nil
    ) {
        self.incident = incident
        self.team = team
        self.startedBy = startedBy
        self.leader = leader
        self.closedBy = closedBy
        self.reopenedBy = reopenedBy
    }
}

extension JSONWriter {
    package mutating func members(of named: NamedIncident) {
        let incident = named.incident
        member("number", Int64(incident.number.rawValue))
        member("team", named.team)
        member("kind", incident.kind.wireName.description)
        if let note = incident.note { member("note", note) }
        member("startedAt", incident.startedAt)
        member("startedBy", named.startedBy)
        if let user = named.leader {
            member("leader", user)
        } else {
            key("leader")
            null()
        }
        member("open", incident.isOpen)
        member("happened", incident.turn.wireName.description)
        member("allAccounted", incident.allAccountedAt != nil)
        if let moment = incident.allAccountedAt { member("allAccountedAt", moment) }
        if let reopening = incident.reopening {
            member("reopenedAt", reopening.at)
            if let user = named.reopenedBy { member("reopenedBy", user) }
            member("reopenReason", reopening.reason)
        }
        guard let closing = incident.closing else { return }
        member("closedAt", closing.at)
        member("closedHow", closing.how.wireName.description)
        if let user = named.closedBy { member("closedBy", user) }
        switch closing.how {
        case .byHand(_, let reason): member("reason", reason)
        case .takenOver(let other): member("takenOverBy", Int64(other.rawValue))
        case .allAccounted, .teamGone, .automatic: break
        }
    }
}

extension Incident.Kind {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .real: "real"
        case .drill: "drill"
        }
    }
}

extension Incident.Turn {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .started: "started"
        case .closed: "closed"
        case .allAccounted: "allAccounted"
        case .notAllAccounted: "notAllAccounted"
        case .reopened: "reopened"
        case .parRequested: "parRequested"
        case .parReported: "parReported"
        case .parComplete: "parComplete"
        case .parOverdue: "parOverdue"
        case .parTimerSet: "parTimerSet"
        case .handedOver: "handedOver"
        }
    }
}

extension Incident.Closing.How {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .allAccounted: "allAccounted"
        case .byHand: "byHand"
        case .teamGone: "teamGone"
        case .automatic: "automatic"
        case .takenOver: "takenOver"
        }
    }

    /// The names of all ways in which an incident is closed.
    package static var wireNames: [StaticString] { ["allAccounted", "byHand", "teamGone", "automatic", "takenOver"] }
}
