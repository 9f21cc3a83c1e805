package import MusterCore
import MusterGeometry

/// Who is accounted for in an incident, in names: the roll call of one moment.
package struct NamedRoll: Hashable, Sendable {
    /// Which incident.
    package var incident: NamedIncident
    /// Everyone who is, or was, on the roll.
    package var people: [Person]

    /// One person of the roll.
    package struct Person: Hashable, Sendable {
        /// The name; of one who was removed, "removed person #7".
        package var user: String
        /// Whether they left the team, so that nobody waits for them.
        package var hasLeft: Bool
        /// How they are, or were when the incident closed.
        package var safety: NamedSafety
        /// Where a device of theirs last was.
        package var lastSeen: LastSeen?

        /// A person of a roll.
        package init(user: String, hasLeft: Bool, safety: NamedSafety, lastSeen: LastSeen?) {
            self.user = user
            self.hasLeft = hasLeft
            self.safety = safety
            self.lastSeen = lastSeen
        }

        /// Whether nobody need look for them.
        package var isAccounted: Bool { safety.safety.state.isAccounted }
    }

    /// A roll call.
    package init(_ incident: NamedIncident, people: [Person]) {
        self.incident = incident
        self.people = people
    }

    /// Who is waited for.
    package var waitedFor: [Person] { people.filter { !$0.hasLeft } }
    /// Who is still to be found.
    package var unaccounted: [Person] { people.filter { !$0.hasLeft && !$0.isAccounted } }

    /// When everyone was accounted for; nil while, and where, that was not so.
    package var allSafeAt: Instant? {
        guard let closing = incident.incident.closing, closing.how == .allAccounted else { return nil }
        return closing.at
    }
}

/// One line of an incident's record, in names.
package struct NamedRecordLine: Hashable, Sendable {
    /// When it was decided.
    package var at: Instant
    /// Who.
    package var user: String
    /// What happened.
    package var event: IncidentEntry.Event
    /// How they were then.
    package var safety: NamedSafety
    /// Where a device of theirs last was then.
    package var lastSeen: LastSeen?

    /// A line of a record.
    package init(
        at: Instant, user: String, event: IncidentEntry.Event, safety: NamedSafety, lastSeen: LastSeen?
    ) {
        self.at = at
        self.user = user
        self.event = event
        self.safety = safety
        self.lastSeen = lastSeen
    }
}

extension JSONWriter {
    /// Writes a roll call: the members that follow the incident's.
    package mutating func members(of roll: NamedRoll) {
        if let allSafeAt = roll.allSafeAt { member("allSafeAt", allSafeAt) }
        let waitedFor = roll.waitedFor.count
        let unaccounted = roll.unaccounted.count
        key("counts")
        beginObject()
        member("people", Int64(waitedFor))
        member("accounted", Int64(waitedFor - unaccounted))
        member("unaccounted", Int64(unaccounted))
        endObject()
        key("roll")
        beginArray()
        for person in roll.people { value(person) }
        endArray()
    }

    /// Writes one person of a roll.
    package mutating func value(_ person: NamedRoll.Person) {
        beginObject()
        member("user", person.user)
        member("left", person.hasLeft)
        member("accounted", person.isAccounted)
        members(of: person.safety)
        member(person.lastSeen)
        endObject()
    }

    /// Writes a line of a record.
    package mutating func value(_ line: NamedRecordLine) {
        beginObject()
        member("at", line.at)
        member("user", line.user)
        member("event", line.event.wireName.description)
        members(of: line.safety)
        member(line.lastSeen)
        endObject()
    }

    private mutating func member(_ lastSeen: LastSeen?) {
        guard let lastSeen else { return }
        key("lastSeen")
        beginObject()
        member("latitude", lastSeen.coordinate.latitude)
        member("longitude", lastSeen.coordinate.longitude)
        member("sampleTime", lastSeen.sampleTime)
        endObject()
    }
}
