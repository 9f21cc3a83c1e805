/// Whether a notification has to be noticed at once. A Focus filter of the app may silence what is routine, and nothing
/// else. The raw value is the notification's filter criteria.
public enum NotificationUrgency: String, Hashable, Sendable, CaseIterable {
    /// It can wait for the end of a Focus: a report of an attendance or proximity rule.
    case routine
    /// No filter silences it: a call for help, an evacuation or drill and its end, a check-in that is due or did not
    /// come, a request for PAR and its overdue crews, an incident that somebody is to lead now, and the question where
    /// somebody is.
    case urgent

    /// Decides by the data of a message (docs/push.md), of which it reads `kind`. Whatever this version does not know
    /// is urgent, so that an older app silences nothing that a newer server sends.
    ///
    /// - Parameter data: the members of the message's `data`, numbers as their digits.
    public init(_ data: [String: String]) {
        switch data["kind"] {
        case "attendance", "proximity": self = .routine
        default: self = .urgent
        }
    }
}

extension Notice {
    /// Always urgent: the phone's own notices are about what the person said or has to say, such as a check-in that is
    /// due, an SOS that counts down, or a button that did not succeed.
    public var urgency: NotificationUrgency { .urgent }
}
