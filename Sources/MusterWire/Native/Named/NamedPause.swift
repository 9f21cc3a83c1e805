package import MusterCore

// How the API shows a `Pause`.

extension Pause.Turn {
    /// The name of the event in the API.
    package var wireName: StaticString {
        switch self {
        case .began: "began"
        case .ended: "ended"
        case .ranOut: "ranOut"
        case .incident: "incident"
        case .withdrawn: "withdrawn"
        }
    }
}

extension JSONWriter {
    /// Writes what happened to a person's pause.
    mutating func members(of pause: Pause, user: String) {
        member("user", user)
        member("happened", pause.turn.wireName.description)
        members(of: pause)
    }

    /// Writes the members of a pause that do not name its user or event: its times and its note.
    package mutating func members(of pause: Pause) {
        member("since", pause.since)
        member("until", pause.until)
        if let note = pause.note { member("note", note) }
    }

    /// Writes the member `pause` for a pause that is in force; nothing for nil.
    package mutating func member(_ pause: Pause?) {
        guard let pause else { return }
        key("pause")
        beginObject()
        members(of: pause)
        endObject()
    }
}
