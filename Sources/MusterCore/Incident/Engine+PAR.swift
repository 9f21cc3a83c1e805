/// PAR, the personnel accountability report: who requests it, what crews report, and what follows from the time.
extension Engine {
    /// Returns the PAR of an open incident as it is now: with the present names of the crews, and how many of their
    /// people are on the roll at this moment. Visitors who came after the request are in it, unless it asked for none
    /// and was complete by then. Empty for an incident that is not open.
    ///
    /// - Complexity: O(people on the roll).
    public func par(of incident: IncidentNumber, after decision: Decision = Decision()) -> PARCourse {
        var course = course(of: incident, after: decision)
        guard var round = course.newest, round.endedAt == nil else { return course }
        var sizes = crewSizes(of: incident, after: decision)
        if !round.countsVisitors {
            sizes[.withoutCrew, default: 0] += sizes.removeValue(forKey: .visitors) ?? 0
        } else if let visitors = sizes[.visitors], round.completeAt == nil {
            round.addVisitors(PARCount(of: .visitors, name: nil, people: visitors))
        }
        for place in round.crews.indices {
            let group = round.crews[place].count.group
            if case .crew(let crew) = group {
                // A crew that was removed stays as it was last reported.
                guard let name = crews[crew] else { continue }
                round.crews[place].count.name = name
            }
            round.crews[place].count.people = sizes[group] ?? 0
        }
        if let place = round.visitorsPlace,
            let arrivedAt = roll(of: incident, after: decision).firstVisitorAt, arrivedAt > round.requestedAt
        {
            round.crews[place].dueAt = arrivedAt.advanced(bySeconds: course.timer.reportSeconds)
        }
        course.newest = round
        return course
    }

    /// Requests a PAR of the crews as they are now. A round that is open ends as it is.
    ///
    /// - Parameter id: the sender's id of the request, for the record.
    /// - Throws: `.isNotOpen`; `.nobodyToAccountFor` when nobody is on the roll; `.tooManyPARs` beyond
    ///   `PARRound.limit`.
    public func requestPAR(
        of incident: IncidentNumber, of team: TeamNumber, note: String?, by author: UserNumber, id: String? = nil,
        now: Instant, into decision: inout Decision
    ) throws(IncidentError) {
        let open = try openIncident(incident, of: team, after: decision)
        try askForPAR(of: open, note: note, by: author, id: id, now: now, into: &decision)
    }

    /// Records how many people of a crew are present. The same report again changes nothing; another one about the same
    /// crew takes the place of the one before, and both stay in the record.
    ///
    /// - Parameters:
    ///   - crew: the crew's name, as it is now or was at the request; nil for the people in no crew.
    ///   - isOfVisitors: whether the report is about the visitors; `crew` is nil then.
    ///   - number: the number of the round that the report is for; nil for the newest.
    /// - Throws: `.isNotOpen`; `.hasNoPAR`; `.isNotNewestPAR`; `.isNotInPAR`; `.tooManyReports` beyond
    ///   `PARRound.reportLimit`.
    public func reportPAR(
        _ crew: String?, isOfVisitors: Bool = false, present: Int32, note: String?, number: Int32? = nil,
        of incident: IncidentNumber, of team: TeamNumber, by author: UserNumber, id: String? = nil, now: Instant,
        into decision: inout Decision
    ) throws(IncidentError) {
        let open = try openIncident(incident, of: team, after: decision)
        guard let round = par(of: incident, after: decision).newest, round.endedAt == nil else { throw .hasNoPAR }
        guard number ?? round.number == round.number else { throw .isNotNewestPAR(round.number) }
        let recorded = course(of: incident, after: decision).newest?.crews ?? []
        func isReported(_ known: PARRound.Crew) -> Bool {
            known.count.name == crew && known.count.isVisitors == isOfVisitors
        }
        // The name may be another crew's meanwhile: the present names come first.
        guard let place = round.crews.firstIndex(where: isReported) ?? recorded.firstIndex(where: isReported)
        else { throw .isNotInPAR }
        let known = round.crews[place]
        guard known.reports == 0 || known.count.present != present || known.note != note || known.reportedBy != author
        else { return }
        guard known.reports < PARRound.reportLimit else { throw .tooManyReports }
        var count = known.count
        count.present = present
        record(
            .parReported, .parReported, of: open, .par(.init(round: round.number, crews: [count])), by: author,
            note: note, id: id, now: now, into: &decision)
        completePAR(of: open, isAgain: round.isReopened, now: now, into: &decision)
    }

    /// Sets when PAR is requested by itself. The time to the next request counts from the newest one; where that is
    /// older than the interval, the next sweep requests the next.
    ///
    /// - Throws: `.isNotOpen`.
    public func setPARTimer(
        _ timer: PARTimer, of incident: IncidentNumber, of team: TeamNumber, by author: UserNumber, now: Instant,
        into decision: inout Decision
    ) throws(IncidentError) {
        let open = try openIncident(incident, of: team, after: decision)
        guard course(of: incident, after: decision).timer != timer else { return }
        record(.parTimerSet, .parTimerSet, of: open, .parTimer(timer), by: author, now: now, into: &decision)
    }

    /// Gives the lead of an open incident to a user. Nothing changes where that user leads it already.
    ///
    /// - Parameter name: the user's name, for the record.
    /// - Throws: `.isNotOpen`.
    public func handOver(
        _ incident: IncidentNumber, of team: TeamNumber, to leader: UserNumber, named name: String, note: String?,
        by author: UserNumber, id: String? = nil, now: Instant, into decision: inout Decision
    ) throws(IncidentError) {
        var open = try openIncident(incident, of: team, after: decision)
        let former = open.leader
        guard former != leader else { return }
        open.leader = leader
        record(
            .handedOver, .handedOver, of: open, .handedOver(to: leader, from: former), by: author, note: note,
            name: name, id: id, now: now, into: &decision)
    }

    /// Starts the timer that a team chose for its incidents.
    func startPARTimer(of incident: Incident, now: Instant, into decision: inout Decision) {
        guard let everySeconds = team(incident.team).incidents.parEverySeconds else { return }
        record(
            .parTimerSet, nil, of: incident, .parTimer(PARTimer(everySeconds: everySeconds)), now: now, into: &decision)
    }

    /// Ends the open round and the timer of an incident that closes.
    func endPAR(of incident: Incident, now: Instant, into decision: inout Decision) {
        endRound(of: incident, now: now, into: &decision)
        var timer = course(of: incident.number, after: decision).timer
        guard timer.everySeconds != nil else { return }
        timer.everySeconds = nil
        record(.parTimerSet, nil, of: incident, .parTimer(timer), now: now, into: &decision)
    }

    /// Reports crews that are overdue, once a round, and requests the rounds that are due. After the server was off it
    /// requests one, not one for each that it missed.
    func sweepPAR(now: Instant, into decision: inout Decision) {
        for incident in openIncidents(after: decision) {
            completePAR(of: incident, now: now, into: &decision)
            reportOverduePAR(of: incident, now: now, into: &decision)
            guard let next = course(of: incident.number, after: decision).nextAt, now >= next else { continue }
            // Refused where nobody is on the roll, and beyond the limit of rounds: then there is nothing to request.
            try? askForPAR(of: incident, note: nil, by: nil, id: nil, now: now, into: &decision)
        }
    }

    private func askForPAR(
        of incident: Incident, note: String?, by author: UserNumber?, id: String?, now: Instant,
        into decision: inout Decision
    ) throws(IncidentError) {
        let course = course(of: incident.number, after: decision)
        let number = (course.newest?.number ?? 0) + 1
        guard number <= PARRound.limit else { throw .tooManyPARs }
        let asked = crewSizes(of: incident.number, after: decision)
            .map { group, people in
                let name: String? = if case .crew(let crew) = group { crews[crew] } else { nil }
                return PARCount(of: group, name: name, people: people)
            }
            .sorted(by: PARCount.precedes)
        guard !asked.isEmpty else { throw .nobodyToAccountFor }
        endRound(of: incident, now: now, into: &decision)
        let request = IncidentDetail.PARNote(
            round: number, dueAt: now.advanced(bySeconds: course.timer.reportSeconds), crews: asked,
            countsVisitors: true)
        record(
            .parRequested, .parRequested, of: incident, .par(request), by: author, note: note, id: id, now: now,
            into: &decision)
    }

    /// Ends the open round of an incident, if there is one, with what is known of each crew.
    private func endRound(of incident: Incident, now: Instant, into decision: inout Decision) {
        guard let round = par(of: incident.number, after: decision).newest, round.endedAt == nil else { return }
        let end = IncidentDetail.PARNote(round: round.number, crews: round.crews.map(\.count))
        record(.parEnded, nil, of: incident, .par(end), now: now, into: &decision)
    }

    /// Reports that the open round is complete, once it waits for no crew.
    ///
    /// - Parameter isAgain: whether it was complete before, and waited for visitors who came since.
    private func completePAR(
        of incident: Incident, isAgain: Bool = false, now: Instant, into decision: inout Decision
    ) {
        let waiting = waitingRound(of: incident, after: decision)
        let round = isAgain ? par(of: incident.number, after: decision).newest : waiting
        guard let round, !round.crews.contains(where: \.isPending) else { return }
        record(
            .parComplete, .parComplete, of: incident, .par(.init(round: round.number)), now: now, into: &decision)
    }

    private func reportOverduePAR(of incident: Incident, now: Instant, into decision: inout Decision) {
        guard let round = waitingRound(of: incident, after: decision) else { return }
        let late = round.crews
            .filter { $0.isPending && now >= round.dueAt(of: $0) && !round.isOverdue($0) }
            // A round that was complete waits for visitors alone.
            .filter { round.completeAt == nil || $0.count.isVisitors }
            .map(\.count)
        guard !late.isEmpty else { return }
        record(
            .parOverdue, .parOverdue, of: incident, .par(.init(round: round.number, crews: late)), now: now,
            into: &decision)
    }

    /// The open round of an incident, while it is not complete.
    private func waitingRound(of incident: Incident, after decision: Decision) -> PARRound? {
        // Only visitors are waited for once it was complete.
        guard let newest = course(of: incident.number, after: decision).newest, newest.endedAt == nil,
            newest.completeAt == nil || newest.visitorsPlace != nil
        else { return nil }
        return par(of: incident.number, after: decision).newest.flatMap { $0.isComplete ? nil : $0 }
    }

    /// Adds a line to the record, and reports it where `turn` is given.
    private func record(
        _ event: IncidentEntry.Event, _ turn: Incident.Turn?, of incident: Incident, _ detail: IncidentDetail,
        by author: UserNumber? = nil, note: String? = nil, name: String? = nil, id: String? = nil, now: Instant,
        into decision: inout Decision
    ) {
        let line = IncidentEntry(
            event, of: incident.number, at: now, author: author, note: note, name: name, detail: detail, id: id)
        decision.entries.append(line)
        if event.isPAR {
            var course = course(of: incident.number, after: decision)
            course.apply(line)
            decision.courses[incident.number] = course
        }
        guard let turn else { return }
        var incident = incident
        incident.turn = turn
        incident.news = Incident.News(at: now, by: author, detail: detail)
        decision.incidents[incident.team] = incident
        decision.scratch.changes.append(.incident(incident))
    }

    private func course(of incident: IncidentNumber, after decision: Decision) -> PARCourse {
        decision.courses[incident] ?? courses[incident] ?? PARCourse()
    }

    private func openIncident(
        _ incident: IncidentNumber, of team: TeamNumber, after decision: Decision
    ) throws(IncidentError) -> Incident {
        guard let open = openIncident(of: team, after: decision), open.number == incident else { throw .isNotOpen }
        return open
    }

    /// Returns how many people on the roll of an incident each crew has, how many are in none, and how many visit.
    private func crewSizes(of incident: IncidentNumber, after decision: Decision) -> [PARGroup: Int32] {
        var sizes: [PARGroup: Int32] = [:]
        let team = openIncidents(after: decision).first { $0.number == incident }?.team
        for (person, member) in roll(of: incident, after: decision).members where member.takenOff == nil {
            sizes[group(of: person, in: team, after: decision), default: 0] += 1
        }
        return sizes
    }

    /// Returns with whom PAR counts a person on the roll of a team. People who are in no crew any more, or in another
    /// team, count with those in none.
    private func group(of person: UserNumber, in team: TeamNumber?, after decision: Decision) -> PARGroup {
        guard person > IncidentEntry.nobody else { return .visitors }
        guard let state = decidedPerson(person, after: decision), state.team == team, let crew = state.crew,
            crews[crew] != nil
        else { return .withoutCrew }
        return .crew(crew)
    }
}

/// Whom one count of a PAR is about.
private enum PARGroup: Hashable {
    case crew(CrewNumber)
    case withoutCrew
    case visitors
}

extension PARCount {
    fileprivate init(of group: PARGroup, name: String?, people: Int32) {
        let crew: CrewNumber? = if case .crew(let number) = group { number } else { nil }
        self.init(crew: crew, name: name, people: people, isVisitors: group == .visitors)
    }

    fileprivate var group: PARGroup { isVisitors ? .visitors : crew.map { PARGroup.crew($0) } ?? .withoutCrew }

    /// Orders crews by name; then come the people in no crew, and last the visitors.
    fileprivate static func precedes(_ left: Self, _ right: Self) -> Bool {
        if let one = left.name, let other = right.name { return one < other }
        return left.rank < right.rank
    }

    private var rank: Int { isVisitors ? 2 : name == nil ? 1 : 0 }
}
