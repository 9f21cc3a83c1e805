package import MusterCore
import MusterStore

/// A device's token as its owner sees it afterwards: everything but the secret.
package struct DeviceToken: Hashable, Sendable {
    /// Names it, and gives nothing away.
    package let id: String
    /// Who made it; nil where that was not noted.
    package let maker: UserNumber?
    /// When it was made.
    package let createdAt: Instant
}

extension Identity {
    /// How many tokens a device has at most.
    package static let deviceTokenLimit = 20

    /// Makes a token that lets a device report for itself, until its maker may make none for it any more.
    ///
    /// - Returns: the secret, which nobody can see again.
    /// - Throws: `IdentityError.tooMany`, `.unknown` when the device is gone, or its maker may make
    ///   none for it; `CoordinatorError`, `StoreError`.
    package func makeDeviceToken(for device: DeviceNumber, by author: Author) async throws -> String {
        guard try await deviceTokens(of: device).count < Self.deviceTokenLimit else {
            throw IdentityError.tooMany(limit: Self.deviceTokenLimit)
        }
        let secret = SecretToken(.device)
        let now = now()
        try await coordinator.edit(by: author) { directory, draft in
            guard let owner = directory.devices[device]?.user,
                directory.letsToken(madeBy: author.user, standForDevicesOf: owner)
            else { throw IdentityError.unknown }
            draft.credentials.append(
                Credential(
                    kind: .deviceToken, key: secret.digest.bytes, user: owner, device: device,
                    secret: Credential.passwordKey(of: author.user), createdAt: now))
        }
        return secret.text
    }

    /// The tokens of a device, oldest first.
    package func tokens(of device: DeviceNumber) async throws -> [DeviceToken] {
        try await deviceTokens(of: device)
            .map { DeviceToken(id: APIKey.id(ofKey: $0.key), maker: $0.maker, createdAt: $0.createdAt) }
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

    private func deviceTokens(of device: DeviceNumber) async throws -> [Credential] {
        let owner = coordinator.directory.devices[device]?.user
        return try await coordinator.read { store in
            try owner.map { try store.credentials(.deviceToken, of: $0) } ?? []
        }
        .filter { $0.device == device }
    }
}
