import MusterCore
import MusterWire

/// What a roll call is told from: lines of an incident's record, and what the engine knows at this moment.
struct RollCall: Sendable {
    /// Which incident.
    var incident: Incident
    /// The lines that say who is on the roll, and everyone's newest, in their order.
    var lines: [IncidentEntry]
    /// The lines about the incident itself.
    var milestones: [IncidentEntry]
    /// What is known at this moment of those on the roll of an open incident.
    var known: [UserNumber: Known] = [:]

    /// What is known of someone at one moment.
    struct Known: Sendable {
        var lastSeen: LastSeen?
        var heard: Instant?
        var battery: Double?
        var unconfirmed: Declared.Unconfirmed?
    }

    /// The times during which all were accounted for. A time that a closing ended and a reopening followed ends there.
    var allAccounted: [NamedRoll.Period] {
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
        // Earlier versions kept no lines of it, and closed the incident at that moment.
        if periods.isEmpty, let moment = incident.allAccountedAt { return [.init(from: moment, until: nil)] }
        return periods
    }
}

extension Directory {
    /// A roll call in names: users in the order of their numbers, then visitors in the order they came.
    func named(_ call: RollCall) -> NamedRoll {
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
            person.heard = known?.heard
            person.battery = known?.battery
            person.departure = member.departure.map { named($0) }
            person.takenOff = member.takenOff.map { named($0) }
            person.note = member.note
            person.unconfirmed = known?.unconfirmed.map { word in
                let author: UserNumber = if case .marked(let user) = word.source { user } else { number }
                return NamedUnconfirmed(word, author: name(of: author))
            }
            return person
        }
        return NamedRoll(named(call.incident), people: people, allAccounted: call.allAccounted)
    }
}
