package import MusterCore

/// A line of an incident's record, with names in place of numbers.
package struct NamedRecordLine: Hashable, Sendable {
    /// When the server recorded the event.
    package var at: Instant
    /// The number on the roll; `IncidentEntry.nobody` in a line about the incident itself.
    package var person: UserNumber
    /// The person's name; nil in a line about the incident itself.
    package var user: String?
    /// The event.
    package var event: IncidentEntry.Event
    /// The person's safety at that moment.
    package var safety: NamedSafety
    /// The last known place of the person's devices at that moment.
    package var lastSeen: LastSeen?
    /// The name of the user who caused the event.
    package var author: String?
    /// The text that explains the event.
    package var note: String?
    /// What a line about PAR or a handover says beside its event.
    package var detail: IncidentDetail?
    /// The name of the user who leads from now on, in a handover.
    package var leader: String?
    /// The name of the user who led until then, in a handover; nil where nobody did.
    package var formerLeader: String?

    package init(
        at: Instant, person: UserNumber, user: String?, event: IncidentEntry.Event, safety: NamedSafety,
        lastSeen: LastSeen?, author: String? = nil, note: String? = nil, detail: IncidentDetail? = nil,
        leader: String? = nil, formerLeader: String? = nil
    ) {
        self.at = at
        self.person = person
        self.user = user
        self.event = event
        self.safety = safety
        self.lastSeen = lastSeen
        self.author = author
        self.note = note
        self.detail = detail
        self.leader = leader
        self.formerLeader = formerLeader
    }
}
