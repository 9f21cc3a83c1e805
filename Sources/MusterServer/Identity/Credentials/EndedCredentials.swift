package import MusterCore
import MusterStore

/// The kinds of credentials that a password reset revokes besides the user's sessions, unless the request keeps them.
package enum EndedCredentials: String, CaseIterable, Hashable, Sendable {
    /// The user's API keys.
    case apiKeys = "api-keys"
    /// The user's AWS access keys.
    case amazonKeys = "aws-keys"
    /// The tokens of the user's own devices.
    case deviceTokens = "device-tokens"
    /// The tokens that the user made for other people's devices.
    case tokensForOthers = "tokens-for-others"
    /// The links that the user gave.
    case links = "links"
    /// The user's push devices with their subscriptions: a person who knew the password may have registered one.
    case pushDevices = "push-devices"
}

extension Draft {
    /// Revokes credentials of a user. The command line's key stays: it belongs to the owner of the data folder.
    package mutating func end(_ ended: Set<EndedCredentials>, of user: UserNumber) throws {
        var credentials: [Credential] = []
        if ended.contains(.apiKeys) {
            credentials += try store.credentials(.apiKey, of: user).filter { $0.secret != Identity.controlMark }
        }
        if ended.contains(.amazonKeys) { credentials += try store.credentials(.awsKey, of: user) }
        if ended.contains(.deviceTokens) { credentials += try store.credentials(.deviceToken, of: user) }
        if ended.contains(.tokensForOthers) {
            credentials += try store.credentials(.deviceToken).filter { $0.maker == user && $0.user != user }
        }
        if ended.contains(.links) { credentials += try store.credentials(.link, of: user) }
        removedCredentials += credentials.map { (kind: $0.kind, key: $0.key) }
        if ended.contains(.pushDevices) { try removePushDevices(of: user) }
    }

    /// Removes a user's push devices with their subscriptions and the pushes that wait for them.
    package mutating func removePushDevices(of user: UserNumber) throws {
        for device in try store.credentials(.pushDevice, of: user).compactMap({ PushDevice($0) }) {
            try transaction.removePushDevice(device.id)
        }
    }

    /// Revokes the keys that a user's apps got by tokens of the user pool: they end with the sessions.
    package mutating func endIdentityKeys(of user: UserNumber) throws {
        let credentials = try store.credentials(.awsKey, of: user).filter(\.isIdentityKey)
        removedCredentials += credentials.map { (kind: $0.kind, key: $0.key) }
    }
}
