import MusterCore
import MusterStore
import MusterWire

/// Muster's own events about people's safety and incidents. docs/rules.md lists their members.
extension EventMapper {
    func content(_ safety: Safety, of number: UserNumber, _ directory: Directory) -> EventContent? {
        guard let user = directory.users[number] else { return nil }
        var detail = head(user, directory)
        add(safety, to: &detail, directory)
        return EventContent(
            detailType: "Muster Safety Change", time: safety.since, resources: resources(of: user.team, directory),
            detail: .object(detail), subject: .user(number))
    }

    /// The reminder of a call for help that nobody has acknowledged.
    func content(_ safety: Safety, of number: UserNumber, reminder count: Int32, _ directory: Directory)
        -> EventContent?
    {
        guard let user = directory.users[number] else { return nil }
        var detail = head(user, directory)
        detail.insert(.init("EventType", .string("REMINDER")), at: 0)
        detail.append(.init("Count", .integer(Int64(count))))
        add(safety, to: &detail, directory)
        return EventContent(
            detailType: "Muster Help Request", time: safety.since, resources: resources(of: user.team, directory),
            detail: .object(detail), subject: .user(number))
    }

    /// The event of a call for help or of its acknowledgement. Other declarations appear as a change of safety.
    func content(_ declaration: Declaration, _ directory: Directory) -> EventContent? {
        let type: String
        switch declaration.kind {
        case .needsHelp: type = "NEEDS_HELP"
        case .sos: type = "SOS"
        case .acknowledge: type = "ACKNOWLEDGED"
        case .safe, .offSite, .clear: return nil
        }
        guard let user = directory.users[declaration.subject] else { return nil }
        var detail = head(user, directory)
        detail.insert(.init("EventType", .string(type)), at: 0)
        detail.add("By", name(of: declaration.author, directory))
        detail.add("SampleTime", declaration.sampleTime)
        detail.add("Note", declaration.note)
        detail.add("Position", declaration.coordinate)
        return EventContent(
            detailType: "Muster Help Request", time: declaration.sampleTime,
            resources: resources(of: user.team, directory), detail: .object(detail),
            subject: .user(declaration.subject))
    }

    /// The event of a check-in timer's turn. Each notice that a person is overdue is an event, too.
    func content(_ timer: CheckInTimer, of number: UserNumber, _ directory: Directory) -> EventContent? {
        guard let user = directory.users[number] else { return nil }
        var detail = head(user, directory)
        detail.insert(.init("EventType", .string(timer.turn.eventType)), at: 0)
        detail.add("By", timer.turnBy.flatMap { name(of: $0, directory) })
        detail.add("LastWord", timer.lastWord)
        detail.add("DueAt", timer.dueAt)
        detail.append(.init("IntervalSeconds", .number(timer.intervalSeconds)))
        if timer.noticeCount > 0 { detail.append(.init("Count", .integer(Int64(timer.noticeCount)))) }
        detail.add("Note", timer.note)
        let time = timer.turn == .overdue ? timer.toldAt : timer.turnAt
        return EventContent(
            detailType: "Muster Check-In", time: time, resources: resources(of: user.team, directory),
            detail: .object(detail), subject: .user(number))
    }

    /// - Parameter time: the time when the change was committed, because an incident does not store the time of every
    ///   turn.
    func content(_ incident: Incident, at time: Instant, _ directory: Directory) -> EventContent? {
        var detail: [EventValue.Member] = []
        detail.add("EventType", incident.turn.eventType)
        detail.append(.init("Incident", .integer(Int64(incident.number.rawValue))))
        detail.add("Team", directory.teams[incident.team]?.name)
        detail.add("Kind", incident.kind.wireName.description)
        detail.add("Note", incident.note)
        detail.add("StartedAt", incident.startedAt)
        detail.add("StartedBy", name(of: incident.startedBy, directory))
        detail.append(.init("AllAccounted", .boolean(incident.allAccountedAt != nil)))
        detail.add("AllAccountedAt", incident.allAccountedAt)
        if let closing = incident.closing {
            detail.add("ClosedAt", closing.at)
            detail.add("ClosedHow", closing.how.wireName.description)
            if case .byHand(let user, let reason) = closing.how {
                detail.add("ClosedBy", name(of: user, directory))
                detail.add("Reason", reason)
            }
            if case .takenOver(let other) = closing.how {
                detail.append(.init("TakenOverBy", .integer(Int64(other.rawValue))))
            }
        }
        if let reopening = incident.reopening {
            detail.add("ReopenedAt", reopening.at)
            detail.add("ReopenedBy", name(of: reopening.by, directory))
            if incident.turn == .reopened { detail.add("Reason", reopening.reason) }
        }
        detail.add("Leader", incident.leader.flatMap { name(of: $0, directory) })
        if let news = incident.news { add(news, to: &detail, directory) }
        return EventContent(
            detailType: "Muster Incident", time: time,
            resources: resources(of: incident.team, directory), detail: .object(detail), subject: .nobody)
    }

    /// What a PAR or a handover adds to the event of its incident.
    private func add(_ news: Incident.News, to detail: inout [EventValue.Member], _ directory: Directory) {
        detail.add("By", news.by.flatMap { name(of: $0, directory) })
        switch news.detail {
        case .par(let note):
            detail.append(.init("Par", .integer(Int64(note.round))))
            detail.add("DueAt", note.dueAt)
            guard !note.crews.isEmpty else { return }
            let crews = note.crews.map { count in
                var members: [EventValue.Member] = []
                members.add("Crew", count.name)
                if count.isVisitors { members.append(.init("Visitors", .boolean(true))) }
                members.append(.init("People", .integer(Int64(count.people))))
                if let present = count.present { members.append(.init("Present", .integer(Int64(present)))) }
                return EventValue.object(members)
            }
            detail.append(.init("Crews", .array(crews)))
        case .parTimer(let timer):
            if let everySeconds = timer.everySeconds { detail.append(.init("EverySeconds", .number(everySeconds))) }
            detail.append(.init("GraceSeconds", .number(timer.graceSeconds)))
        case .handedOver(let leader, _): detail.add("To", name(of: leader, directory))
        case .declared, .firstAccounted, .counts: break
        }
    }

    private func name(of user: UserNumber, _ directory: Directory) -> String? {
        directory.users[user].map { directory.amazonName(of: $0) }
    }

    private func head(_ user: User, _ directory: Directory) -> [EventValue.Member] {
        var detail: [EventValue.Member] = []
        detail.add("User", directory.amazonName(of: user))
        detail.add("Team", user.team.flatMap { directory.teams[$0]?.name })
        return detail
    }

    private func add(_ safety: Safety, to detail: inout [EventValue.Member], _ directory: Directory) {
        detail.add("State", safety.state.wireName.description)
        detail.add("Since", safety.since)
        detail.add("Source", safety.source.wireName.description)
        detail.add("Doubt", safety.doubt?.wireName.description)
        if case .marked(let user) = safety.source { detail.add("MarkedBy", name(of: user, directory)) }
        if let region = safety.region.flatMap({ directory.regions[$0] }) {
            detail.add("Region", region.id)
            detail.add("Collection", directory.collections[region.collection]?.name)
        }
        if safety.state.isCall { detail.append(.init("Acknowledged", .boolean(safety.acknowledgedBy != nil))) }
    }

    private func resources(of team: TeamNumber?, _ directory: Directory) -> [String] {
        team.flatMap { directory.teams[$0] }.map { [origin.arn(ofTeam: $0.name)] } ?? []
    }
}

extension CheckInTimer.Turn {
    /// The value of `EventType` in the event.
    fileprivate var eventType: String {
        switch self {
        case .started: "STARTED"
        case .checkedIn: "CHECKED_IN"
        case .reminded: "REMINDED"
        case .overdue: "OVERDUE"
        case .sos: "SOS"
        case .ended: "ENDED"
        }
    }
}

extension Incident.Turn {
    /// The value of `EventType` in the event.
    fileprivate var eventType: String {
        switch self {
        case .started: "STARTED"
        case .closed: "CLOSED"
        case .allAccounted: "ALL_ACCOUNTED"
        case .notAllAccounted: "NOT_ALL_ACCOUNTED"
        case .reopened: "REOPENED"
        case .parRequested: "PAR_REQUESTED"
        case .parReported: "PAR_REPORTED"
        case .parComplete: "PAR_COMPLETE"
        case .parOverdue: "PAR_OVERDUE"
        case .parTimerSet: "PAR_TIMER_SET"
        case .handedOver: "HANDED_OVER"
        }
    }
}
