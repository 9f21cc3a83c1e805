package import MusterCore

/// Rights to administer what is not part of a team: rules, trackers, API keys, the user pool and datasets.
extension Access {
    /// Whether the principal may read the rules and their targets, and test a pattern.
    package var mayReadRules: Bool {
        principal.device == nil && (principal.role == .admin || principal.role == .leader)
    }

    /// Whether the principal may change rules and targets, and post events.
    package var mayChangeRules: Bool { principal.device == nil && principal.role == .admin }

    /// Whether the principal may call the user pool's operations over other people's accounts.
    package var mayAdministerUserPool: Bool { principal.role == .admin }

    /// Whether the principal may see how much another user's datasets take. Only the owner may read the datasets
    /// themselves.
    package var mayReadDatasetUsageOfOthers: Bool { principal.role == .admin }

    /// Whether the principal may revoke everyone's API keys, and not only their own.
    package var mayRevokeEveryKey: Bool { principal.role == .admin }

    /// Whether the principal may see how it stands with a feed of official warnings for this team: an admin, and the
    /// team's leaders. nil stands for a team that does not exist.
    package func mayReadWarningSources(of team: Team?) -> Bool {
        principal.device == nil && (team.map { mayChange($0) } ?? (principal.role == .admin))
    }

    /// Whether the principal may change trackers.
    package var mayChangeTrackers: Bool { principal.role == .admin }

    /// The trackers that a collection which the principal creates by Muster's own API is linked to: for an admin all,
    /// for others their own team's.
    package var trackersLinkedToNewCollection: [Tracker] {
        directory.trackers.all.filter { principal.role == .admin || $0.number == ownTracker }
    }

    /// The tracker of the team that the principal leads; nil for other roles. A collection that a leader creates by
    /// Amazon Location's API is linked to it, because a leader may change no other collection.
    package var ledTracker: Tracker? {
        principal.role == .leader ? ownTracker.flatMap { directory.trackers[$0] } : nil
    }
}
