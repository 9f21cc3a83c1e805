package import MusterCore
import MusterStore

/// Writes audit log entries for actions that are not edits: on credentials, histories and waiting deliveries.
extension StoreTransaction {
    /// Adds a change and its author to the audit log.
    ///
    /// - Parameter details: what the change changed, as `AuditEntry.details` has it.
    package func appendAuditEntry(
        _ change: Change, at sequence: LogSequence, _ moment: Instant, by author: Author, details: String? = nil
    ) throws {
        try append(
            AuditEntry(
                sequence: sequence, at: moment, author: author.user, device: author.device,
                operatorName: author.operatorName, change: change, details: details))
    }

    /// Logs a draft's actions, and the credentials that the draft adds and removes, before those credentials change.
    /// Logs nothing for the server itself.
    func carryOutActions(of draft: Draft, at moment: Instant) throws {
        guard let author = draft.author else { return }
        var actions = draft.actions
        for removed in draft.removedCredentials {
            guard let credential = try credential(removed.kind, key: removed.key) else { continue }
            // An invitation that is used up is logged as used.
            if let link = Link(credential), actions.contains(where: { $0.label == link.label }) { continue }
            if let action = credential.action(isEnding: true, by: author) { actions.append(action) }
        }
        actions += draft.credentials.compactMap { $0.action(isEnding: false, by: author) }
        for action in actions {
            let change = Change.action(action)
            try appendAuditEntry(change, at: append(change), moment, by: author)
        }
    }
}

extension PostedEvent {
    /// The event as the audit log keeps it: without its detail.
    var withoutDetail: PostedEvent {
        var event = self
        event.detail = "{}"
        return event
    }
}

extension Credential {
    /// The action of making or ending the credential; nil for credentials that no person manages, such as sessions.
    fileprivate func action(isEnding: Bool, by author: Author) -> Action? {
        let kind: Action.Kind
        var label = ""
        switch self.kind {
        case .password where !isEnding: kind = .passwordSet
        case .apiKey where secret != Identity.controlMark:
            kind = isEnding ? .keyEnded : .keyMade
            label = APIKey(self)?.id ?? ""
        case .awsKey:
            kind = isEnding ? .amazonKeyEnded : .amazonKeyMade
            label = APIKey(self)?.id ?? ""
        case .deviceToken:
            kind = isEnding ? .deviceTokenEnded : .deviceTokenMade
            label = APIKey.id(ofKey: key)
        case .link:
            guard let link = Link(self) else { return nil }
            return Action(
                isEnding ? .linkEnded : .linkMade, by: author.user, user: link.purpose.user, label: link.label)
        case .encryptionKey: kind = isEnding ? .encryptionKeyEnded : .encryptionKeySet
        default: return nil
        }
        return Action(kind, by: author.user, user: user, device: device, label: label)
    }
}
