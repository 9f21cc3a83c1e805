import MusterCoding
package import MusterCore
import MusterHTTP
import MusterStore
package import MusterWire

/// The credentials to configure an AWS client with. The server shows them once.
package struct AmazonKey: Sendable {
    /// The key as listings show it later; its id is the access key id.
    package let key: APIKey
    /// The secret that the client signs requests with.
    package let secretAccessKey: String
    /// The session token of temporary credentials; nil for lasting ones.
    package let sessionToken: String?
}

extension Identity {
    /// How long temporary credentials may last, in seconds: up to 36 hours, as at AWS.
    package static let temporaryKeyRange: ClosedRange<Double> = 1...129_600
    /// How far a signature's time may differ from the server's clock, in seconds.
    static let signatureToleranceSeconds: Double = 300

    /// Makes an AWS access key with its user's rights. The server seals the secret instead of hashing it, because it
    /// needs the secret to verify signatures.
    ///
    /// - Parameters:
    ///   - seconds: the lifetime in seconds; nil for a key that lasts until it is revoked.
    ///   - author: the author, for the audit log.
    /// - Throws: `IdentityError.tooMany`, `.unknown` when the user no longer exists; `CoordinatorError`, `StoreError`.
    package func makeAmazonKey(
        label: String, for user: UserNumber, lastingSeconds seconds: Double? = nil, by author: Author?
    ) async throws -> AmazonKey {
        try await requireRoomForKey(of: user)
        let made = newAmazonKey(
            label, for: user, prefix: seconds == nil ? "AKIA" : "ASIA", lastingSeconds: seconds, at: now())
        try await coordinator.edit(by: author) { directory, draft in
            guard directory.users[user] != nil else { throw IdentityError.unknown }
            draft.credentials.append(made.credential)
        }
        return made.key
    }

    /// Makes a key, and the credential to store.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the key's id, which shows its kind.
    ///   - bond: the session and the password that the key depends on; nil for a key that no session made.
    func newAmazonKey(
        _ label: String, for user: UserNumber, prefix: String, lastingSeconds seconds: Double?,
        bond: SessionBond? = nil, at now: Instant
    ) -> (key: AmazonKey, credential: Credential) {
        let id = prefix + Self.randomText(16)
        let secret = Base64.encodeUnpadded(SecretToken.randomBytes(30), .standard)
        let token = seconds.map { _ in Base64.encodeUnpadded(SecretToken.randomBytes(48), .standard) }
        let digest = token.map { TokenDigest(of: $0).bytes } ?? []
        let credential = Credential(
            kind: .awsKey, key: Array(id.utf8), user: user, label: label,
            secret: vault.seal(
                Array(secret.utf8) + digest + (bond?.bytes ?? []), for: Self.purpose(ofKey: id)), createdAt: now,
            expiresAt: seconds.map { now.advanced(bySeconds: $0) })
        guard let key = APIKey(credential) else { preconditionFailure("an AWS key is an API key") }
        return (AmazonKey(key: key, secretAccessKey: secret, sessionToken: token), credential)
    }

    /// Checks that an access key exists.
    ///
    /// - Throws: `SignatureError.unknownKey`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func requireAmazonKey(_ shown: SignatureV4) async throws {
        if Self.isGuestKey(shown.accessKeyID) { return try requireGuestKey(shown.accessKeyID) }
        let now = now()
        if verified.entry(for: Self.digest(of: shown), at: now) == nil { _ = try await amazonEntry(shown, at: now) }
    }

    private static func digest(of shown: SignatureV4) -> TokenDigest {
        TokenDigest(of: "\(shown.accessKeyID)/\(shown.scope.text)")
    }

    /// Authenticates a request by its signature.
    ///
    /// - Parameters:
    ///   - service: the signing name that the signature must be for; nil for any.
    ///   - isOpening: whether a request begins; false to continue a response, for which the signature's age does not
    ///     count: the key must still exist.
    /// - Throws: `SignatureError`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func authenticate(
        _ request: SignedRequest, for service: String?, atOpening isOpening: Bool = true
    ) async throws -> Principal {
        let now = now()
        if isOpening { try Self.check(request, for: service, at: now) }
        if Self.isGuestKey(request.shown.accessKeyID) { return try await authenticateGuest(request, at: now) }
        let digest = Self.digest(of: request.shown)
        if let entry = verified.entry(for: digest, at: now), let key = entry.signing {
            try Self.check(request, key)
            return try amazonPrincipal(entry)
        }
        let generation = verified.generation
        let (entry, key) = try await amazonEntry(request.shown, at: now)
        try Self.check(request, key)
        if let end = entry.expiresAt, end <= now { throw SignatureError.expiredToken }
        verified.storeEntry(entry, for: digest, verifiedIn: generation, at: now)
        return try amazonPrincipal(entry)
    }

    private func amazonPrincipal(_ entry: CredentialCache.Entry) throws(SignatureError) -> Principal {
        guard let user = coordinator.directory.users[entry.user] else { throw .unknownKey }
        RequestWork.current?.identify(user)
        return Principal(user, proof: entry.proof)
    }

    private func amazonEntry(
        _ shown: SignatureV4, at now: Instant
    ) async throws -> (CredentialCache.Entry, VerifyingKey) {
        let stored = try await coordinator.readCredentials { store in
            try store.credential(.awsKey, key: Array(shown.accessKeyID.utf8))
        }
        guard let stored, let user = stored.user,
            let opened = try? vault.open(stored.secret, for: Self.purpose(ofKey: shown.accessKeyID)),
            opened.count >= Self.secretLength
        else { throw SignatureError.unknownKey }
        let secret = String(decoding: opened.prefix(Self.secretLength), as: UTF8.self)
        let token = opened.dropFirst(Self.secretLength).prefix(Self.tokenDigestBytes)
        if stored.isIdentityKey {
            let bond = SessionBond(bytes: opened.dropFirst(Self.secretLength + Self.tokenDigestBytes))
            guard let bond, try await lasts(bond, of: user, at: now) else { throw SignatureError.unknownKey }
        }
        let key = VerifyingKey(
            signing: SigningKey(secret: secret, scope: shown.scope), tokenDigest: token.isEmpty ? nil : Array(token))
        return (
            .init(user: user, device: nil, proof: .amazonKey, expiresAt: stored.expiresAt, signing: key), key
        )
    }

    /// Whether the session that a temporary key depends on still exists, with the same password.
    private func lasts(_ bond: SessionBond, of user: UserNumber, at now: Instant) async throws -> Bool {
        let (session, password) = try await coordinator.readCredentials { store in
            (
                try store.credential(.refreshToken, key: bond.key),
                try store.credential(.password, key: Credential.passwordKey(of: user))
            )
        }
        return bond.lasts(session: session, password: password, of: user, at: now)
    }

    /// The length of a secret access key: 30 bytes in base64.
    private static let secretLength = 40
    private static let tokenDigestBytes = 32

    private static func purpose(ofKey id: String) -> String { "aws key \(id)" }

    private static func check(
        _ request: SignedRequest, for service: String?, at now: Instant
    ) throws(SignatureError) {
        if let service, request.shown.scope.service != service {
            throw .otherScope("Credential should be scoped to correct service: '\(service)'.")
        }
        guard request.time.hasPrefix(request.shown.scope.date), let time = Instant(amazonDate: request.time) else {
            throw .otherScope("Date in Credential scope does not match YYYYMMDD from the time of the request.")
        }
        let skew = now.seconds(since: time)
        guard skew <= signatureToleranceSeconds else {
            throw .otherTime("Signature expired: \(request.time) is more than 5 min before \(now.rfc3339).")
        }
        guard skew >= -signatureToleranceSeconds else {
            throw .otherTime("Signature not yet current: \(request.time) is more than 5 min after \(now.rfc3339).")
        }
    }

    private static func check(_ request: SignedRequest, _ key: VerifyingKey) throws(SignatureError) {
        let shownToken = request.sessionToken.map { TokenDigest(of: $0).bytes }
        guard (shownToken ?? []).isEqualInConstantTime(to: key.tokenDigest ?? []) else { throw .unknownKey }
        guard key.signing.accepts(request.shown.signature, of: request.stringToSign) else { throw .mismatch }
    }

    /// Random letters and digits of base 32 (RFC 4648): 5 bits each.
    static func randomText(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        return String(SecretToken.randomBytes(count).map { letters[Int($0) % letters.count] })
    }
}

/// The key that verifies an access key's signatures within one scope.
struct VerifyingKey: Sendable {
    let signing: SigningKey
    /// SHA-256 of the session token that requests with temporary credentials must carry; nil for lasting ones.
    let tokenDigest: [UInt8]?
}
