package import MusterCore
import MusterStore

/// A device token as listings show it: everything but the secret.
package struct DeviceToken: Hashable, Sendable {
    /// What the secret is.
    package enum Kind: String, Sendable {
        /// A text with which the device reports.
        case token
        /// A certificate with which it connects as a TAK client.
        case certificate
        /// A text with which a TAK client gets such a certificate, once.
        case enrollment
    }

    /// Identifies the token without revealing its secret.
    package let id: String
    package let kind: Kind
    /// Whether it opens what the device's user may read, or a certificate that does.
    package let readsAsUser: Bool
    /// The user who made it; nil where that was not recorded.
    package let maker: UserNumber?
    package let createdAt: Instant
    /// When it ends by itself; nil for never.
    package let expiresAt: Instant?
}

/// Device tokens: making them, listing them, and token revocation. A revoked token is refused from the commit on.
extension Identity {
    /// The largest number of tokens of one device.
    package static let deviceTokenLimit = 20

    /// Makes a token with which a device reports its own positions. The token stops working when the user who made it
    /// loses the right to make tokens for that device.
    ///
    /// - Returns: the secret, which cannot be read again.
    /// - Throws: `IdentityError.tooMany`; `.unknown` when the device no longer exists, or the author may not make
    ///   tokens for it; `CoordinatorError`, `StoreError`.
    package func makeDeviceToken(for device: DeviceNumber, by author: Author) async throws -> String {
        guard try await deviceTokens(of: device).count < Self.deviceTokenLimit else {
            let name = coordinator.directory.qualifiedName(of: device) ?? "this device"
            throw IdentityError.tooMany("tokens of \(name)", limit: Self.deviceTokenLimit)
        }
        let now = now()
        return try await coordinator.edit(by: author) { directory, draft in
            guard let device = directory.devices[device] else { throw IdentityError.unknown }
            return try draft.addDeviceToken(for: device, by: author, at: now, in: directory)
        }
    }

    /// The tokens of a device, oldest first.
    package func tokens(of device: DeviceNumber) async throws -> [DeviceToken] {
        try await deviceTokens(of: device)
            .map {
                let (kind, readsAsUser) = Self.kind(ofLabel: $0.label)
                return DeviceToken(
                    id: APIKey.id(ofKey: $0.key), kind: kind, readsAsUser: readsAsUser, maker: $0.maker,
                    createdAt: $0.createdAt, expiresAt: $0.expiresAt)
            }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Revokes all tokens of a device.
    package func removeDeviceTokens(of device: DeviceNumber, by author: Author) async throws {
        let tokens = try await deviceTokens(of: device)
        try await coordinator.edit(by: author) { _, draft in
            draft.removedCredentials += tokens.map { (kind: .deviceToken, key: $0.key) }
        }
        verified.forget { $0.device == device }
    }

    /// Revokes one token of a device.
    ///
    /// - Returns: whether the device had it.
    package func removeDeviceToken(_ token: String, of device: DeviceNumber, by author: Author) async throws -> Bool {
        let key = TokenDigest(of: token).bytes
        guard try await deviceTokens(of: device).contains(where: { $0.key == key }) else { return false }
        try await coordinator.edit(by: author) { _, draft in
            draft.removedCredentials.append((kind: .deviceToken, key: key))
        }
        verified.forget { $0.device == device }
        return true
    }

    /// The tokens of a device that have not expired.
    private func deviceTokens(of device: DeviceNumber) async throws -> [Credential] {
        let now = now()
        let owner = coordinator.directory.devices[device]?.user
        return try await coordinator.read { store in
            try owner.map { try store.credentials(.deviceToken, of: $0) } ?? []
        }
        .filter { $0.device == device && $0.isGood(at: now) }
    }
}

extension Draft {
    /// Adds a token with which a device reports. The same draft may create the device.
    ///
    /// - Returns: the secret, which cannot be read again.
    /// - Throws: `IdentityError.unknown` when the author may not make tokens for the device.
    package mutating func addDeviceToken(
        for device: Device, by author: Author, at now: Instant, in directory: Directory
    ) throws(IdentityError) -> String {
        guard directory.letsToken(madeBy: author.user, standForDevicesOf: device.user) else { throw .unknown }
        let secret = SecretToken(.device)
        credentials.append(
            Credential(
                kind: .deviceToken, key: secret.digest.bytes, user: device.user, device: device.number,
                secret: Credential.passwordKey(of: author.user), createdAt: now))
        return secret.text
    }
}
