package import MusterCore

/// The PAR of an incident, with names in place of numbers.
package struct NamedPAR: Hashable, Sendable {
    /// The newest round; nil before the first.
    package var newest: NamedPARRound?
    package var timer: PARTimer
    /// When the next round is requested by itself; nil while only users request it.
    package var nextAt: Instant?

    package init(newest: NamedPARRound?, timer: PARTimer, nextAt: Instant?) {
        self.newest = newest
        self.timer = timer
        self.nextAt = nextAt
    }
}

/// A round of PAR, with names in place of numbers.
package struct NamedPARRound: Hashable, Sendable {
    /// The round, in numbers.
    package var round: PARRound
    /// The name of the user who requested it; nil for the timer.
    package var requestedBy: String?
    /// The names of the users who made the newest reports, a place for each crew; nil for a crew without a report.
    package var reporters: [String?]

    package init(_ round: PARRound, requestedBy: String?, reporters: [String?]) {
        self.round = round
        self.requestedBy = requestedBy
        self.reporters = reporters
    }

    /// The crews, each with the name of the user who reported it.
    package var crews: [(crew: PARRound.Crew, reportedBy: String?)] {
        zip(round.crews, reporters).map { (crew: $0, reportedBy: $1) }
    }
}

/// What a change of an incident says of PAR or of a handover, with names in place of numbers.
package struct NamedIncidentNews: Hashable, Sendable {
    /// What happened, in numbers.
    package var detail: IncidentDetail
    /// When it happened, by the server's clock.
    package var at: Instant
    /// The name of the user who did it; nil for the server itself.
    package var by: String?
    /// The name of the user who leads from now on, in a handover.
    package var leader: String?
    /// The name of the user who led until then, in a handover; nil where nobody did.
    package var formerLeader: String?

    package init(
        detail: IncidentDetail, at: Instant, by: String?, leader: String? = nil, formerLeader: String? = nil
    ) {
        self.detail = detail
        self.at = at
        self.by = by
        self.leader = leader
        self.formerLeader = formerLeader
    }
}

extension JSONWriter {
    /// Writes the PAR of an incident: the newest round, and the timer if it requests any.
    package mutating func members(of par: NamedPAR) {
        if let everySeconds = par.timer.everySeconds {
            key("parTimer")
            beginObject()
            member("everySeconds", everySeconds)
            member("graceSeconds", par.timer.graceSeconds)
            if let moment = par.nextAt { member("nextTime", moment) }
            endObject()
        }
        guard let newest = par.newest else { return }
        key("par")
        beginObject()
        members(of: newest)
        member("graceSeconds", par.timer.graceSeconds)
        member("everySeconds", orNull: par.timer.everySeconds)
        if let moment = par.nextAt {
            member("nextTime", moment)
        } else {
            key("nextTime")
            null()
        }
        endObject()
    }

    /// Writes a round of PAR.
    package mutating func members(of named: NamedPARRound) {
        let round = named.round
        member("number", Int64(round.number))
        member("requestedTime", round.requestedAt)
        if let user = named.requestedBy {
            member("requestedBy", user)
        } else {
            key("requestedBy")
            null()
        }
        if let note = round.note { member("note", note) }
        member("dueTime", round.dueAt)
        member("isComplete", round.isComplete)
        if round.isComplete, let moment = round.completeAt { member("completeTime", moment) }
        if let moment = round.overdueAt { member("overdueTime", moment) }
        if let moment = round.endedAt { member("endedTime", moment) }
        key("crews")
        beginArray()
        for (crew, reporter) in named.crews {
            beginObject()
            members(of: crew.count)
            if let moment = crew.reportedAt { member("reportedTime", moment) }
            if let reporter { member("reportedBy", reporter) }
            if let note = crew.note { member("note", note) }
            if crew.dueAt != nil { member("dueTime", round.dueAt(of: crew)) }
            member("isOverdue", round.isOverdue(crew))
            member("isShort", crew.isShort)
            endObject()
        }
        endArray()
    }

    /// Writes a change of an incident: its members, and what the change says of PAR or of a handover.
    mutating func members(of incident: NamedIncident, _ news: NamedIncidentNews?) {
        members(of: incident)
        if let news { members(of: news, incident.incident.turn) }
    }

    /// Writes what a change of an incident says of PAR or of a handover.
    package mutating func members(of news: NamedIncidentNews, _ turn: Incident.Turn) {
        if let user = news.by { member("by", user) }
        members(of: news.detail, isReport: turn == .parReported)
        guard let leader = news.leader else { return }
        member("to", leader)
        if let former = news.formerLeader { member("from", former) }
        member("handedOverTime", news.at)
    }

    /// Writes what a line or a change says of PAR. A report's crew stands by itself, other crews in an array.
    mutating func members(of detail: IncidentDetail, isReport: Bool) {
        switch detail {
        case .par(let note):
            member("parNumber", Int64(note.round))
            if let moment = note.dueAt { member("dueTime", moment) }
            if isReport, let count = note.crews.first { return members(of: count) }
            guard !note.crews.isEmpty else { return }
            key("crews")
            beginArray()
            for count in note.crews {
                beginObject()
                members(of: count)
                endObject()
            }
            endArray()
        case .parTimer(let timer):
            member("everySeconds", orNull: timer.everySeconds)
            member("graceSeconds", timer.graceSeconds)
        case .handedOver: break
        case .declared(let word):
            member("declared", word.kind.wireName.description)
            member("declaredTime", word.at)
            if !word.isCurrent { member("late", true) }
        case .firstAccounted: member("firstAccounted", true)
        case .counts(let counts): member("counts", counts)
        }
    }

    /// Writes a number of seconds, or null where there is none.
    package mutating func member(_ name: StaticString, orNull seconds: Double?) {
        if let seconds { return member(name, seconds) }
        key(name)
        null()
    }

    private mutating func members(of count: PARCount) {
        if let name = count.name { member("crew", name) }
        if count.isVisitors { member("visitors", true) }
        member("people", Int64(count.people))
        if let present = count.present { member("present", Int64(present)) }
    }
}
