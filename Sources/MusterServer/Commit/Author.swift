package import MusterCore
import MusterStore

/// Who changes something by hand, for the audit log.
package struct Author: Hashable, Sendable {
    /// Whose request it is.
    package let user: UserNumber
    /// The device whose token it came with.
    package let device: DeviceNumber?

    /// The author that a principal is.
    package init(_ principal: Principal) {
        user = principal.user
        device = principal.device
    }

    /// The author that a user is, for whom the server acts.
    package init(user: UserNumber) {
        self.user = user
        device = nil
    }
}

extension Change {
    /// The audit log's entry of a change that the engine decided for someone: what a person says of a person, an
    /// incident started, closed or opened again by hand, what a leader does to a roll. nil for all others.
    func audit(at sequence: MusterCore.LogSequence) -> AuditEntry? {
        switch self {
        case .declaration(var declaration, let isCurrent):
            // What the audit log keeps for a year must not outlive its subject elsewhere.
            declaration.note = nil
            declaration.coordinate = nil
            return AuditEntry(
                sequence: sequence, at: declaration.receivedTime, author: declaration.author,
                device: declaration.device, change: .declaration(declaration, isCurrent: isCurrent))
        case .incident(let incident):
            switch incident.turn {
            case .started:
                return AuditEntry(
                    sequence: sequence, at: incident.startedAt, author: incident.startedBy, change: self)
            case .closed:
                guard let closing = incident.closing, case .byHand(let user, _) = closing.how else { return nil }
                return AuditEntry(sequence: sequence, at: closing.at, author: user, change: self)
            case .reopened:
                return incident.reopening.map {
                    AuditEntry(sequence: sequence, at: $0.at, author: $0.by, change: self)
                }
            case .allAccounted, .notAllAccounted: return nil
            }
        case .roll(var entry, let team):
            guard let author = entry.author else { return nil }
            // Why someone is no longer looked for; any other note may tell of someone's health.
            if entry.event != .takenOff && entry.event != .joinedTo { entry.note = nil }
            return AuditEntry(sequence: sequence, at: entry.at, author: author, change: .roll(entry, of: team))
        default: return nil
        }
    }
}
