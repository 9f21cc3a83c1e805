package import MusterCore
package import MusterWire

/// The data of a roll call: lines of an incident's record, and the engine's current knowledge of the people on the
/// roll.
package struct RollCall: Sendable {
    package var incident: Incident
    /// The lines that put people on or off the roll, each person's newest line, and the last reopening, in order.
    package var lines: [IncidentEntry]
    /// The lines about the incident itself.
    package var milestones: [IncidentEntry]
    /// The names of the crews of the people on the roll: as they are now for an open incident, as they were when it
    /// closed for a closed one.
    package var crews: [UserNumber: String]
    /// The display names of the users of the roll call: as they are now for an open incident, as they were when it
    /// closed for a closed one.
    package var displayNames: [UserNumber: String] = [:]
    /// The telephone numbers that the reader may see, for an open incident.
    package var phones: [UserNumber: String] = [:]
    /// The current knowledge of the people on the roll, for an open incident.
    package var known: [UserNumber: Known] = [:]
    /// The PAR of the incident; empty for a reader who may not see the roll.
    package var par = PARCourse()
    /// Whether the reader may see everyone on the roll.
    package var showsAll = false

    package init(
        incident: Incident, lines: [IncidentEntry], milestones: [IncidentEntry], crews: [UserNumber: String] = [:]
    ) {
        self.incident = incident
        self.lines = lines
        self.milestones = milestones
        self.crews = crews
    }

    /// The users whom the roll call names beside its people.
    package var authors: Set<UserNumber> {
        let ofLines = lines.flatMap { [$0.author] + $0.safety.users } + milestones.flatMap(\.users)
        let all = ofLines + incident.users + par.users + known.values.map { $0.unconfirmed?.author }
        return Set(all.compactMap(\.self).filter { $0 > IncidentEntry.nobody })
    }

    /// The knowledge of one person at one moment.
    package struct Known: Sendable {
        package var lastSeen: LastSeen?
        package var heard: Instant?
        package var battery: Double?
        package var unconfirmed: Declared.Unconfirmed?

        package init(
            lastSeen: LastSeen? = nil, heard: Instant? = nil, battery: Double? = nil,
            unconfirmed: Declared.Unconfirmed? = nil
        ) {
            self.lastSeen = lastSeen
            self.heard = heard
            self.battery = battery
            self.unconfirmed = unconfirmed
        }
    }

    /// The periods during which everyone was accounted for. A period that a closing interrupted, with a reopening after
    /// it, ends at the closing.
    package var allAccounted: [NamedRoll.Period] {
        var periods: [NamedRoll.Period] = []
        var closedAt: Instant?
        for line in milestones {
            switch line.event {
            case .allAccounted: periods.append(.init(from: line.at, until: nil))
            case .closed: closedAt = line.at
            case .notAllAccounted, .reopened:
                guard let last = periods.indices.last, periods[last].until == nil else { continue }
                periods[last].until = line.event == .reopened ? closedAt : line.at
            default: continue
            }
        }
        // Earlier versions stored no such lines, and closed the incident at that moment.
        if periods.isEmpty, let moment = incident.allAccountedAt { return [.init(from: moment, until: nil)] }
        return periods
    }
}

extension Directory {
    /// A roll call with names: users in the order of their numbers, then visitors in the order they were added.
    package func named(_ call: RollCall) -> NamedRoll {
        let roll = Roll(call.lines)
        let newest = Dictionary(call.lines.map { ($0.person, $0) }) { $1 }
        let order = roll.members.keys.sorted { left, right in
            let (isVisitor, other) = (left.rawValue < 0, right.rawValue < 0)
            return isVisitor == other ? left.rawValue.magnitude < right.rawValue.magnitude : other
        }
        let people = order.compactMap { number -> NamedRoll.Person? in
            guard let member = roll.members[number], let line = newest[number] else { return nil }
            let known = call.known[number]
            var person = NamedRoll.Person(
                number: number, user: nameOnRecord(of: number, member.name), safety: named(line.safety),
                lastSeen: known?.lastSeen ?? line.lastSeen)
            person.crew = call.crews[number]
            // A removed person's display name goes with the sign-in name, unless a line of the record keeps that.
            if users[number] != nil || member.name != nil { person.displayName = call.displayNames[number] }
            person.phone = call.phones[number]
            person.heard = known?.heard
            person.battery = known?.battery
            person.departure = member.departure.map { named($0) }
            person.takenOff = member.takenOff.map { named($0) }
            person.note = member.note
            person.callSeenAt = member.callSeenAt
            person.firstAccountedAt = roll.firstAccounted[number]
            person.mark = mark(of: member)
            person.words = member.words.map { named($0) }
            person.unconfirmed = known?.unconfirmed.map { word in
                NamedUnconfirmed(word, author: name(of: word.author ?? number))
            }
            return person
        }
        var rollCall = NamedRoll(named(call.incident), people: people, allAccounted: call.allAccounted)
        if !call.par.isEmpty { rollCall.par = named(call.par) }
        rollCall.handovers = call.milestones.filter { $0.event == .handedOver }.map { named($0) }
        rollCall.displayNames = call.authors.reduce(into: [:]) { names, author in
            guard let user = users[author] else { return }
            names[user.name] = call.displayNames[author]
        }
        if call.showsAll { rollCall.closings = closings(in: call.milestones) }
        return rollCall
    }

    /// The last mark by hand of a person on a roll, with names.
    private func mark(of member: Roll.Member) -> NamedMark? {
        if member.isWithoutUser {
            guard let marked = member.marked, case .marked(let author) = marked.source, marked.state != .unknown else {
                return nil
            }
            return NamedMark(
                at: member.markedAt ?? marked.since, by: name(of: author), state: marked.state, note: member.note)
        }
        guard let line = member.mark, let author = line.author, case .declared(let word)? = line.detail else {
            return nil
        }
        let state: Safety.State =
            switch word.kind {
            case .safe: .safe
            case .needsHelp: .needsHelp
            case .sos: .sos
            case .offSite: .offSite
            case .clear, .acknowledge: .unknown
            }
        return NamedMark(at: word.at, by: name(of: author), state: state, note: line.note)
    }

    /// Each closing of an incident with the reopening after it, with names.
    private func closings(in milestones: [IncidentEntry]) -> [NamedClosing] {
        var closings: [NamedClosing] = []
        for line in milestones {
            if line.event == .closed {
                let counts: RollCounts? = if case .counts(let counts)? = line.detail { counts } else { nil }
                closings.append(NamedClosing(named(line), counts: counts))
            } else if line.event == .reopened, let last = closings.indices.last {
                closings[last].reopening = named(line)
            }
        }
        return closings
    }
}

extension Declared.Unconfirmed {
    /// The user who said it of another; nil for a word of the person.
    fileprivate var author: UserNumber? { if case .marked(let user) = source { user } else { nil } }
}
