import MusterCore
import MusterStore

/// What the audit log holds beside edits: what is done by hand to credentials, histories and what waits.
extension StoreTransaction {
    /// Notes in the audit log who made a change.
    func note(_ change: Change, at sequence: LogSequence, _ moment: Instant, by author: Author) throws {
        try append(
            AuditEntry(sequence: sequence, at: moment, author: author.user, device: author.device, change: change))
    }

    /// Tells of a draft's actions, and of the credentials that it makes and ends, before it does so. What the server
    /// does by itself is told nowhere.
    func carryOutActions(of draft: Draft, at moment: Instant) throws {
        guard let author = draft.author else { return }
        var actions = draft.actions
        for removed in draft.removedCredentials {
            guard let credential = try credential(removed.kind, key: removed.key) else { continue }
            if let action = credential.action(isEnding: true, by: author) { actions.append(action) }
        }
        actions += draft.credentials.compactMap { $0.action(isEnding: false, by: author) }
        for action in actions {
            let change = Change.action(action)
            try note(change, at: append(change), moment, by: author)
        }
    }
}

extension PostedEvent {
    /// What the audit log keeps of it: who said what kind of thing, and not what happened.
    var withoutDetail: PostedEvent {
        var event = self
        event.detail = "{}"
        return event
    }
}

extension Credential {
    /// What it is to make or to end this; nil for what is no person's doing, such as a session.
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
        case .encryptionKey: kind = isEnding ? .encryptionKeyEnded : .encryptionKeySet
        default: return nil
        }
        return Action(kind, by: author.user, user: user, device: device, label: label)
    }
}
