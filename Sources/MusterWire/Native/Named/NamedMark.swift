package import MusterCore

/// A mark by hand on a roll, with names in place of numbers: who said how a person is, when, and as what.
package struct NamedMark: Hashable, Sendable {
    /// When the author marked the person.
    package var at: Instant
    /// The name of the user who did.
    package var author: String
    package var state: Safety.State
    /// The author's note.
    package var note: String?

    package init(at: Instant, by author: String, state: Safety.State, note: String?) {
        self.at = at
        self.author = author
        self.state = state
        self.note = note
    }
}

/// One closing of an incident, with names in place of numbers.
package struct NamedClosing: Hashable, Sendable {
    /// The line that closed it: when, by whom, and the reason.
    package var line: NamedRecordLine
    /// How many people were accounted for then; nil where an earlier version closed it.
    package var counts: RollCounts?
    /// The line that opened it again; nil when nobody did.
    package var reopening: NamedRecordLine?

    package init(_ line: NamedRecordLine, counts: RollCounts?, reopening: NamedRecordLine? = nil) {
        self.line = line
        self.counts = counts
        self.reopening = reopening
    }
}

extension NamedRoll.Person {
    /// The notes about the person in one text: a mark's, and what was said. Nil where there are none.
    var remark: String? {
        let said = words.filter { $0.note != mark?.note }.compactMap(\.note)
        let notes = [note, mark?.note == note ? nil : mark?.note].compactMap { $0 } + said
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}

extension JSONWriter {
    mutating func member(_ mark: NamedMark) {
        key("mark")
        beginObject()
        member("state", mark.state.wireName.description)
        member("at", mark.at)
        member("by", mark.author)
        if let note = mark.note { member("note", note) }
        endObject()
    }

    /// Writes words that somebody said about a person of the roll.
    mutating func said(_ line: NamedRecordLine) {
        guard case .declared(let word)? = line.detail else { return }
        beginObject()
        member("kind", word.kind.wireName.description)
        member("at", word.at)
        if let author = line.author { member("by", author) }
        member("note", line.note ?? "")
        endObject()
    }

    mutating func value(_ closing: NamedClosing) {
        beginObject()
        member("closedAt", closing.line.at)
        if let author = closing.line.author { member("closedBy", author) }
        if let reason = closing.line.note { member("reason", reason) }
        if let counts = closing.counts { member("counts", counts) }
        if let reopening = closing.reopening {
            member("reopenedAt", reopening.at)
            if let author = reopening.author { member("reopenedBy", author) }
            if let reason = reopening.note { member("reopenReason", reason) }
        }
        endObject()
    }
}
