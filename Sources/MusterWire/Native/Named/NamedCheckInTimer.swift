package import MusterCore

/// A `CheckInTimer` with names in place of numbers.
package struct NamedCheckInTimer: Hashable, Sendable {
    /// The timer, in numbers.
    package var timer: CheckInTimer
    /// The name of the user who started it.
    package var setBy: String
    /// The name of the user who caused its last event; nil when the timer ran out.
    package var turnBy: String?

    package init(_ timer: CheckInTimer, setBy: String, turnBy: String?) {
        self.timer = timer
        self.setBy = setBy
        self.turnBy = turnBy
    }
}

extension CheckInTimer.Turn {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .started: "started"
        case .checkedIn: "checkedIn"
        case .reminded: "reminded"
        case .overdue: "overdue"
        case .sos: "sos"
        case .ended: "ended"
        }
    }
}

extension JSONWriter {
    /// Writes a person's check-in timer.
    mutating func members(of named: NamedCheckInTimer, user: String) {
        member("user", user)
        members(of: named)
    }

    /// Writes a check-in timer: the members after the user.
    package mutating func members(of named: NamedCheckInTimer) {
        let timer = named.timer
        member("happened", timer.turn.wireName.description)
        member("happenedAt", timer.turnAt)
        if let user = named.turnBy { member("by", user) }
        member("lastWord", timer.lastWord)
        if timer.turn != .ended { member("dueAt", timer.dueAt) }
        member("intervalSeconds", timer.intervalSeconds)
        member("leaderAfterSeconds", timer.leaderAfterSeconds)
        member("sosAfterSeconds", timer.sosAfterSeconds)
        member("opensIncident", timer.opensIncident)
        member("setBy", named.setBy)
        if timer.noticeCount > 0 { member("tellings", Int64(timer.noticeCount)) }
        if let note = timer.note { member("note", note) }
    }
}
