package import MusterCore
import MusterGeometry

/// The roll call of an incident at one moment, with names in place of numbers.
package struct NamedRoll: Hashable, Sendable {
    package var incident: NamedIncident
    /// Everyone who is or was on the roll.
    package var people: [Person]
    /// The times during which everyone was accounted for, in order.
    package var allAccounted: [Period]
    /// The PAR of the incident; nil while none was requested and no timer runs, and for a reader who may not see it.
    package var par: NamedPAR?
    /// The lines by which the lead was handed over, in order.
    package var handovers: [NamedRecordLine] = []
    /// Each time that the incident was closed, in order, with the reopening after it. Empty for a reader who may not
    /// see the roll.
    package var closings: [NamedClosing] = []
    /// The display names of the users that the roll call names beside its people: now, or when the incident closed.
    package var displayNames: DisplayNames = [:]

    /// A time during which everyone was accounted for.
    package struct Period: Hashable, Sendable {
        /// When it began.
        package var from: Instant
        /// When someone was no longer accounted for; nil when that never came.
        package var until: Instant?

        package init(from: Instant, until: Instant?) {
            self.from = from
            self.until = until
        }
    }

    /// A person who is or was on the roll.
    package struct Person: Hashable, Sendable {
        /// The number on the roll: a user's, or a visitor's, which is below 0.
        package var number: UserNumber
        /// The name; "removed person #7" for a removed user whose name no line recorded.
        package var user: String
        /// The name of the person's crew now, or when the incident closed; nil for nobody's.
        package var crew: String?
        /// The person's display name now, or when the incident closed; nil for a visitor, and for who had none.
        package var displayName: String?
        /// The person's telephone number, where the reader may see it and the incident is open.
        package var phone: String?
        /// The person's safety now, or when the incident closed.
        package var safety: NamedSafety
        /// The last known place of the person's devices.
        package var lastSeen: LastSeen?
        /// When the server last received anything from the person's devices, with or without a position.
        package var heard: Instant?
        /// The battery charge of the device that was located last, per cent.
        package var battery: Double?
        /// The line by which the person was removed, moved to another team, or lost a device; nil when there is none.
        package var departure: NamedRecordLine?
        /// The line by which the person was taken off the roll, or joined to another user, so that the incident does
        /// not wait for them; nil when there is none.
        package var takenOff: NamedRecordLine?
        /// The leader's note with a mark.
        package var note: String?
        /// The last declaration about the person that no longer applies.
        package var unconfirmed: NamedUnconfirmed?
        /// When the person acknowledged the call of the incident, since the incident was last opened.
        package var callSeenAt: Instant?
        /// When the person was accounted for first since the incident was last opened; nil while they never were.
        package var firstAccountedAt: Instant?
        /// The last mark by another user, whatever the person's phone says.
        package var mark: NamedMark?
        /// The newest words that somebody said about the person, such as the text of an SOS, in order.
        package var words: [NamedRecordLine] = []

        package init(number: UserNumber, user: String, safety: NamedSafety, lastSeen: LastSeen?) {
            self.number = number
            self.user = user
            self.safety = safety
            self.lastSeen = lastSeen
        }

        /// What people call the person, with the sign-in name that tells people of one name apart: `Ana Ruiz (aruiz)`.
        package var spokenName: String { displayName.map { "\($0) (\(user))" } ?? user }
        /// Whether the person is no user, but a visitor that a leader put on the roll.
        package var isVisitor: Bool { number < IncidentEntry.nobody }
        /// Whether the person counts as accounted for, so that nobody needs to look for them.
        package var isAccounted: Bool { safety.safety.isAccounted }
        /// Whether the person is safe with a doubt.
        package var isChecking: Bool { safety.safety.isChecking }
        /// Whether the person's devices were inside a muster region and seem to have left it.
        package var seemsToHaveLeft: Bool { safety.safety.source == .seemsToHaveLeft }
    }

    package init(_ incident: NamedIncident, people: [Person], allAccounted: [Period] = []) {
        self.incident = incident
        self.people = people
        self.allAccounted = allAccounted
    }

    /// The people that the incident waits for.
    package var waitedFor: [Person] { people.filter { $0.takenOff == nil } }
    /// The people that the incident waits for and that are neither accounted for nor checking.
    package var unaccounted: [Person] { waitedFor.filter { !$0.isAccounted && !$0.isChecking } }
    /// The people that the incident waits for and that are safe with a doubt.
    package var checking: [Person] { waitedFor.filter(\.isChecking) }
    /// Who seems to have left which muster region, in words: a person by name, several by number.
    package var leavingWords: [String] {
        let left = waitedFor.filter(\.seemsToHaveLeft)
        let byRegion = Dictionary(grouping: left) { $0.safety.region }
        let sentences = byRegion.map { region, people in
            let who = people.count == 1 ? "\(people[0].spokenName) seems" : "\(people.count) seem"
            return "\(who) to have left \(region?.name ?? "the muster region")"
        }
        return sentences.sorted()
    }
    /// How many of the people that the incident waits for are accounted for.
    package var counts: RollCounts { RollCounts(of: waitedFor.map(\.safety.safety)) }
    /// The same of each crew, in the order of the crews' names, and last of those without a crew; empty where nobody is
    /// in one.
    package var crewCounts: [CrewCounts] {
        let crews = Dictionary(grouping: waitedFor) { $0.crew }
        guard crews.keys.contains(where: { $0 != nil }) else { return [] }
        return crews.map { crew, people in
            let times = people.compactMap { $0.isAccounted ? $0.firstAccountedAt : nil }
            return CrewCounts(
                crew: crew, counts: RollCounts(of: people.map(\.safety.safety)),
                allAccountedAt: times.count == people.count ? times.max() : nil)
        }.sorted()
    }

    /// How many people of one crew are accounted for.
    package struct CrewCounts: Hashable, Sendable, Comparable {
        /// The crew's name; nil for the people without a crew.
        package var crew: String?
        package var counts: RollCounts
        /// When the last of them was accounted for first since the incident was last opened; nil while one is not.
        package var allAccountedAt: Instant?

        /// Orders crews by name; the people without a crew come last.
        package static func < (left: Self, right: Self) -> Bool {
            guard let one = left.crew, let other = right.crew else { return left.crew != nil && right.crew == nil }
            return one < other
        }
    }
}

/// A declaration that no longer applies, with names in place of numbers.
package struct NamedUnconfirmed: Hashable, Sendable {
    /// The declaration, in numbers.
    package var word: Declared.Unconfirmed
    /// The name of the user who made it.
    package var author: String

    package init(_ word: Declared.Unconfirmed, author: String) {
        self.word = word
        self.author = author
    }

    /// The kind's name in the API.
    package var kind: StaticString { word.status == .offSite ? "offSite" : "safe" }
}

extension JSONWriter {
    /// Writes a roll call: the members after those of the incident.
    package mutating func members(of roll: NamedRoll) {
        member(displayNames: roll.displayNames)
        key("allAccountedTimes")
        beginArray()
        for period in roll.allAccounted {
            beginObject()
            member("from", period.from)
            if let until = period.until { member("until", until) }
            endObject()
        }
        endArray()
        member("counts", roll.counts)
        key("crews")
        beginArray()
        for crew in roll.crewCounts {
            beginObject()
            if let name = crew.crew { member("crew", name) }
            members(of: crew.counts)
            if let moment = crew.allAccountedAt { member("allAccountedTime", moment) }
            endObject()
        }
        endArray()
        key("roll")
        beginArray()
        for person in roll.people { value(person) }
        endArray()
        if let par = roll.par { members(of: par) }
        if let line = roll.handovers.last, let leader = line.leader {
            key("handover")
            beginObject()
            member("at", line.at)
            member("to", leader)
            if let author = line.author { member("by", author) }
            // Lines of earlier versions lack it.
            if let former = line.formerLeader ?? roll.handovers.dropLast().last?.leader { member("from", former) }
            endObject()
        }
        guard !roll.closings.isEmpty else { return }
        key("closings")
        beginArray()
        for closing in roll.closings { value(closing) }
        endArray()
    }

    /// Writes how many people of a roll are accounted for.
    package mutating func member(_ name: StaticString, _ counts: RollCounts) {
        key(name)
        beginObject()
        members(of: counts)
        endObject()
    }

    private mutating func members(of counts: RollCounts) {
        member("people", Int64(counts.people))
        member("accounted", Int64(counts.accounted))
        member("checking", Int64(counts.checking))
        member("unaccounted", Int64(counts.unaccounted))
    }

    /// Writes one person of a roll.
    package mutating func value(_ person: NamedRoll.Person) {
        beginObject()
        member("person", Int64(person.number.rawValue))
        member("user", person.user)
        if let name = person.displayName { member("displayName", name) }
        if let crew = person.crew { member("crew", crew) }
        if let phone = person.phone { member("phone", phone) }
        member("visitor", person.isVisitor)
        member("left", person.takenOff != nil)
        member("accounted", person.isAccounted)
        member("checking", person.isChecking)
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
        if let callSeenAt = person.callSeenAt { member("callSeenAt", callSeenAt) }
        if let moment = person.firstAccountedAt { member("firstAccountedTime", moment) }
        if let mark = person.mark { member(mark) }
        if !person.words.isEmpty {
            key("said")
            beginArray()
            for line in person.words { said(line) }
            endArray()
        }
        endObject()
    }

    /// Writes a line of a record.
    ///
    /// - Parameter evidence: the newest line of everyone on the roll, written for a line with the event
    ///   `.allAccounted`.
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

    /// Writes the members of a line that follow its time.
    package mutating func members(of line: NamedRecordLine) {
        member("event", line.event.wireName.description)
        if let user = line.user {
            member("person", Int64(line.person.rawValue))
            member("user", user)
            members(of: line.safety)
        }
        if let author = line.author { member("by", author) }
        if let note = line.note { member(line.event.noteName, note) }
        if let detail = line.detail { members(of: detail, isReport: line.event == .parReported) }
        if let leader = line.leader { member("to", leader) }
        if let former = line.formerLeader { member("from", former) }
        member(line.lastSeen)
    }

    /// Writes an act on a person of the roll: its time, its author and its note.
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
    /// The event's name in the API.
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
        case .parRequested: "parRequested"
        case .parReported: "parReported"
        case .parComplete: "parComplete"
        case .parOverdue: "parOverdue"
        case .parEnded: "parEnded"
        case .parTimerSet: "parTimerSet"
        case .handedOver: "handedOver"
        case .callSeen: "callSeen"
        case .atClosing: "atClosing"
        case .declared: "declared"
        }
    }

    /// The key of the event's note in the API.
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
