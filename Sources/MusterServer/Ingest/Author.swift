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

    /// Who asks, while a request is carried out. The gate sets it, so that no edit of any endpoint can forget to say
    /// who made it; nil for what the server does by itself.
    @TaskLocal package static var current: Author?
}

extension Change {
    /// The audit log's entry of a change that the engine decided for someone: what a person says of a person, an
    /// incident started or closed by hand. nil for all others.
    func audit(at sequence: MusterCore.Sequence) -> AuditEntry? {
        switch self {
        case .declaration(var declaration, let isCurrent):
            // What the audit log keeps for a year must not outlive its subject elsewhere.
            declaration.note = nil
            declaration.coordinate = nil
            return AuditEntry(
                sequence: sequence, at: declaration.receivedTime, author: declaration.author,
                device: declaration.device, change: .declaration(declaration, isCurrent: isCurrent))
        case .incident(let incident):
            guard let closing = incident.closing else {
                return AuditEntry(
                    sequence: sequence, at: incident.startedAt, author: incident.startedBy, change: self)
            }
            guard case .byHand(let user, _) = closing.how else { return nil }
            return AuditEntry(sequence: sequence, at: closing.at, author: user, change: self)
        default: return nil
        }
    }
}
