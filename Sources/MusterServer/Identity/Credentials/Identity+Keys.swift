import MusterCoding
package import MusterCore
package import MusterStore

/// An API key as listings show it: everything but the secret.
package struct APIKey: Hashable, Sendable {
    /// Identifies the key without revealing its secret.
    package let id: String
    /// The user whose rights the key has.
    package let user: UserNumber
    /// The label that its owner gave it.
    package let label: String
    package let createdAt: Instant
    /// The time at which the key expires; nil for never.
    package let expiresAt: Instant?
    package let kind: Kind

    /// How a client uses a key.
    package enum Kind: String, CaseIterable, Sendable {
        /// A key that the client sends with each request.
        case token
        /// A key with which AWS clients sign requests.
        case aws
    }

    package init?(_ credential: Credential) {
        guard let user = credential.user else { return nil }
        switch credential.kind {
        case .apiKey:
            kind = .token
            id = Self.id(ofKey: credential.key)
        case .awsKey:
            kind = .aws
            id = String(decoding: credential.key, as: UTF8.self)
        default: return nil
        }
        self.user = user
        label = credential.label
        createdAt = credential.createdAt
        expiresAt = credential.expiresAt
    }

    /// Whether it is a temporary key that an app got by a token of the user pool, for an hour.
    package var isOfIdentity: Bool { kind == .aws && id.hasPrefix(Self.identityPrefix) }
    /// The prefix of the ids of AWS keys that apps get by a token of the user pool. Other ids have no digit 0.
    static let identityPrefix = "ASIA0"
    /// The prefix of the id of a guest's key. The server does not store such keys.
    static let guestPrefix = "ASIA1"

    /// Returns the id of the key with this SHA-256 of its secret. An id never begins with "-", because a command line
    /// would take it for an option.
    package static func id(ofKey digest: [UInt8]) -> String {
        let start = digest.prefix(12)
        let text = Base64.encodeUnpadded(start, .forURLs)
        return text.hasPrefix("-") ? Array(start).hexadecimal : text
    }
}

extension Identity {
    /// The largest number of API keys of one user, of both kinds together.
    package static let keyLimit = 100

    /// Makes an API key with its user's rights.
    ///
    /// - Parameter author: the author, for the audit log.
    /// - Returns: the key, and its secret, which cannot be read again.
    /// - Throws: `IdentityError.tooMany`, `.unknown` when the user no longer exists; `CoordinatorError`, `StoreError`.
    package func makeKey(
        label: String, for user: UserNumber, by author: Author?
    ) async throws -> (key: APIKey, secret: String) {
        try await requireRoomForKey(of: user)
        let secret = SecretToken(.apiKey)
        let credential = Credential(
            kind: .apiKey, key: secret.digest.bytes, user: user, label: label, createdAt: now())
        try await coordinator.edit(by: author) { directory, draft in
            guard directory.users[user] != nil else { throw IdentityError.unknown }
            draft.credentials.append(credential)
        }
        guard let key = APIKey(credential) else { throw IdentityError.unknown }
        return (key, secret.text)
    }

    /// Checks that a user may have one key more. The temporary keys of the user's apps have a limit of their own.
    ///
    /// - Throws: `IdentityError.tooMany`; `CoordinatorError`, `StoreError`.
    func requireRoomForKey(of user: UserNumber) async throws {
        let count = try await keys(of: user).count { !$0.isOfIdentity }
        guard count < Self.keyLimit else {
            let name = coordinator.directory.users[user]?.name ?? "this user"
            throw IdentityError.tooMany("keys of \(name)", limit: Self.keyLimit)
        }
    }

    /// The API keys of one user, or of all users where `user` is nil, oldest first. The command line's key is none of
    /// them: it belongs to the owner of the data folder.
    package func keys(of user: UserNumber?) async throws -> [APIKey] {
        let stored = try await coordinator.read { store in
            guard let user else { return try store.credentials(.apiKey) + store.credentials(.awsKey) }
            return try store.credentials(.apiKey, of: user) + store.credentials(.awsKey, of: user)
        }
        return stored.filter { $0.secret != Self.controlMark }.compactMap { APIKey($0) }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Revokes an API key. Requests with it are refused from then on.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func removeKey(_ key: APIKey, by author: Author?) async throws {
        let credentials = try await coordinator.read { store in
            try (store.credentials(.apiKey) + store.credentials(.awsKey)).filter { APIKey($0) == key }
        }
        try await coordinator.edit(by: author) { _, draft in
            draft.removedCredentials += credentials.map { (kind: $0.kind, key: $0.key) }
        }
        verified.forget { $0.user == key.user && [.apiKey, .control, .amazonKey].contains($0.proof) }
    }

    /// The stored mark of the command line's key. Keys that people make never have it, whatever their label.
    static let controlMark = Array("control".utf8)

    /// Makes the key with which the command line on this machine calls the running server. It has the first admin's
    /// rights and lasts until the next such key is made.
    ///
    /// - Returns: the secret of the key, and the admin whose rights it has.
    /// - Throws: `IdentityError.unknown` when there is no admin; `CoordinatorError`, `StoreError`.
    package func makeControlKey() async throws -> (secret: String, holder: UserNumber) {
        guard let admin = coordinator.directory.users.all.first(where: { $0.role == .admin }) else {
            throw IdentityError.unknown
        }
        let earlier = try await coordinator.read { store in
            try store.credentials(.apiKey).filter { $0.secret == Self.controlMark }.map(\.key)
        }
        let secret = SecretToken(.apiKey)
        let credential = Credential(
            kind: .apiKey, key: secret.digest.bytes, user: admin.number, label: "control", secret: Self.controlMark,
            createdAt: now())
        try await coordinator.edit(by: nil) { _, draft in
            draft.removedCredentials += earlier.map { (kind: .apiKey, key: $0) }
            draft.credentials.append(credential)
        }
        verified.forget { $0.proof == .control }
        return (secret.text, admin.number)
    }
}
