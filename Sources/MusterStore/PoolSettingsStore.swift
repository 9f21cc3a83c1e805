package import MusterCore

/// The settings of a team's identity pool, which an admin sets for Cognito's clients.
package struct PoolSettings: Hashable, Sendable {
    /// The JSON of `PushSync` and `CognitoStreams` as an admin sent it; nil if none was sent.
    package var configuration: String?
    /// The ARN of the target that sees each update of a dataset before it is stored; nil for none.
    package var syncTrigger: String?
    /// Whether the pool gives identities to guests.
    package var allowsGuests: Bool

    package init(configuration: String? = nil, syncTrigger: String? = nil, allowsGuests: Bool = false) {
        self.configuration = configuration
        self.syncTrigger = syncTrigger
        self.allowsGuests = allowsGuests
    }
}

/// The settings of identity pools.
package protocol PoolSettingsStore {
    /// Returns the settings of a team's pool; nil for the team stands for the users without a team.
    func poolSettings(of team: TeamNumber?) throws -> PoolSettings
}

/// The operations of a transaction on the settings of identity pools.
package protocol PoolSettingsTransaction {
    /// Returns the settings of a team's pool, as this transaction sees them.
    func settings(ofPool team: TeamNumber?) throws -> PoolSettings
    /// Stores the settings of a team's pool.
    func put(_ settings: PoolSettings, ofPool team: TeamNumber?) throws
}
