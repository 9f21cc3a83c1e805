package import MusterCore
import MusterGeometry

/// Who is accounted for in an incident, in names: the roll call of one moment.
package struct NamedRoll: Hashable, Sendable {
    /// Which incident.
    package var incident: NamedIncident
    /// Everyone who is, or was, on the roll.
    package var people: [Person]
    /// The times during which everyone was accounted for, in order.
    package var allAccounted: [Period]

    /// A time during which everyone was accounted for.
    package struct Period: Hashable, Sendable {
        /// When it began.
        package var from: Instant
        /// When someone was no longer accounted for; nil where that never came.
        package var until: Instant?

        /// A time during which everyone was accounted for.
        package init(from: Instant, until: Instant?) {
            self.from = from
            self.until = until
        }
    }

    /// One person of the roll.
    package struct Person: Hashable, Sendable {
        /// The number on the roll: a user's, or a visitor's, which is below 0.
        package var number: UserNumber
        /// The name; of one who was removed and whose name no record kept, "removed person #7".
        package var user: String
        /// How they are, or were when the incident closed.
        package var safety: NamedSafety
        /// Where a device of theirs last was.
        package var lastSeen: LastSeen?
        /// When the server last heard a device of theirs, which may not have said where it is.
        package var heard: Instant?
        /// The battery of the device that was last seen, per cent.
        package var battery: Double?
        /// That they were removed, moved, or lost a device; nil for whom none of that happened to.
        package var departure: NamedRecordLine?
        /// That they were taken off the roll, or joined to another user, so that nobody waits for them.
        package var takenOff: NamedRecordLine?
        /// What a leader said with how they are.
        package var note: String?
        /// What was said of them that counts no longer.
        package var unconfirmed: NamedUnconfirmed?

        /// A person of a roll.
        package init(number: UserNumber, user: String, safety: NamedSafety, lastSeen: LastSeen?) {
            self.number = number
            self.user = user
            self.safety = safety
            self.lastSeen = lastSeen
        }

        /// Whether they are no user, but someone whom a leader put on the roll.
        package var isVisitor: Bool { number < IncidentEntry.nobody }
        /// Whether nobody need look for them.
        package var isAccounted: Bool { safety.safety.state.isAccounted }
    }

    /// A roll call.
    package init(_ incident: NamedIncident, people: [Person], allAccounted: [Period] = []) {
        self.incident = incident
        self.people = people
        self.allAccounted = allAccounted
    }

    /// Who is waited for.
    package var waitedFor: [Person] { people.filter { $0.takenOff == nil } }
    /// Who is still to be found.
    package var unaccounted: [Person] { people.filter { $0.takenOff == nil && !$0.isAccounted } }
}

/// A word about someone that counts no longer, in names.
package struct NamedUnconfirmed: Hashable, Sendable {
    /// What was said, when and by whom.
    package var word: Declared.Unconfirmed
    /// Who said it.
    package var author: String

    /// A word that counts no longer.
    package init(_ word: Declared.Unconfirmed, author: String) {
        self.word = word
        self.author = author
    }

    /// What the wire calls what was said.
    package var kind: StaticString { word.standing == .offSite ? "offSite" : "safe" }
}

/// One line of an incident's record, in names.
package struct NamedRecordLine: Hashable, Sendable {
    /// When it was decided.
    package var at: Instant
    /// The number on the roll; `IncidentEntry.nobody` in a line about the incident itself.
    package var person: UserNumber
    /// Who; nil in a line about the incident itself.
    package var user: String?
    /// What happened.
    package var event: IncidentEntry.Event
    /// How they were then.
    package var safety: NamedSafety
    /// Where a device of theirs last was then.
    package var lastSeen: LastSeen?
    /// Who did it.
    package var author: String?
    /// What was said with it.
    package var note: String?

    /// A line of a record.
    package init(
        at: Instant, person: UserNumber, user: String?, event: IncidentEntry.Event, safety: NamedSafety,
        lastSeen: LastSeen?, author: String? = nil, note: String? = nil
    ) {
        self.at = at
        self.person = person
        self.user = user
        self.event = event
        self.safety = safety
        self.lastSeen = lastSeen
        self.author = author
        self.note = note
    }
}

extension JSONWriter {
    /// Writes a roll call: the members that follow the incident's.
    package mutating func members(of roll: NamedRoll) {
        key("allAccountedTimes")
        beginArray()
        for period in roll.allAccounted {
            beginObject()
            member("from", period.from)
            if let until = period.until { member("until", until) }
            endObject()
        }
        endArray()
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
        member("person", Int64(person.number.rawValue))
        member("user", person.user)
        member("visitor", person.isVisitor)
        member("left", person.takenOff != nil)
        member("accounted", person.isAccounted)
        members(of: person.safety)
        if let note = person.note { member("note", note) }
        member(person.lastSeen)
        if let heard = person.heard { member("heard", heard) }
        if let battery = person.battery { member("battery", battery) }
        if let departure = person.departure { member(act: departure, departure.event.wireName) }
        if let takenOff = person.takenOff {
            member(act: takenOff, takenOff.event == .joinedTo ? takenOff.event.wireName : "takenOff")
        }
        if let unconfirmed = person.unconfirmed, !person.isAccounted {
            key("unconfirmed")
            beginObject()
            member("kind", unconfirmed.kind.description)
            member("at", unconfirmed.word.at)
            member("by", unconfirmed.author)
            endObject()
        }
        endObject()
    }

    /// Writes a line of a record.
    ///
    /// - Parameter evidence: how everyone on the roll is accounted for, in a line that says that all are.
    package mutating func value(_ line: NamedRecordLine, evidence: [NamedRecordLine] = []) {
        beginObject()
        member("at", line.at)
        members(of: line)
        if line.event == .allAccounted {
            key("evidence")
            beginArray()
            for other in evidence {
                beginObject()
                member("person", Int64(other.person.rawValue))
                member("user", other.user ?? "")
                members(of: other.safety)
                endObject()
            }
            endArray()
        }
        endObject()
    }

    /// Writes the members of a line of a record that follow its time.
    package mutating func members(of line: NamedRecordLine) {
        member("event", line.event.wireName.description)
        if let user = line.user {
            member("person", Int64(line.person.rawValue))
            member("user", user)
            members(of: line.safety)
        }
        if let author = line.author { member("by", author) }
        if let note = line.note { member(line.event.noteName, note) }
        member(line.lastSeen)
    }

    /// Writes what was done to someone on a roll: when, by whom, and what was said with it.
    private mutating func member(act line: NamedRecordLine, _ name: StaticString) {
        key(name)
        beginObject()
        member("at", line.at)
        if let author = line.author { member("by", author) }
        if let note = line.note { member(line.event.noteName, note) }
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

extension IncidentEntry.Event {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .present: "present"
        case .changed: "changed"
        case .joined: "joined"
        case .left: "left"
        case .removed: "removed"
        case .moved: "moved"
        case .returned: "returned"
        case .deviceRemoved: "deviceRemoved"
        case .visitor: "visitor"
        case .takenOff: "takenOff"
        case .allAccounted: "allAccounted"
        case .notAllAccounted: "notAllAccounted"
        case .closed: "closed"
        case .reopened: "reopened"
        case .joinedTo: "joinedTo"
        }
    }

    /// How the wire calls what was said with it.
    fileprivate var noteName: StaticString {
        switch self {
        case .moved: "team"
        case .deviceRemoved: "device"
        case .joinedTo: "to"
        case .takenOff, .closed, .reopened: "reason"
        default: "note"
        }
    }
}
