import Crypto
import MusterCoding
import MusterCore
import MusterHTTP
import MusterStore

/// The credential in an `Authorization` header (RFC 7617, RFC 6750).
package enum ShownCredential: Equatable {
    case accessToken(String)
    case apiKey(String)
    case deviceToken(String)
    case basic(name: String, password: String)
    case locationKey(name: LocationKeyName, password: String)

    /// Parses a header's value; nil for an unsupported scheme or a malformed value.
    package init?(header: String) {
        guard header.utf8.count <= 4096 else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2 else { return nil }
        let value = parts[1].filter { $0 != " " }
        switch parts[0].lowercased() {
        case "bearer": self.init(token: value)
        case "basic":
            guard let bytes = Base64.decodeUnpadded(value, .standard),
                let text = String(validating: bytes, as: UTF8.self),
                let colon = text.firstIndex(of: ":")
            else { return nil }
            let name = text[..<colon]
            let password = String(text[text.index(after: colon)...])
            if password.hasPrefix(SecretToken.Kind.location.rawValue), let key = LocationKeyName(name) {
                self = .locationKey(name: key, password: password)
            } else {
                self = .basic(name: String(name), password: password)
            }
        default: return nil
        }
    }

    private init(token: String) {
        if token.hasPrefix(SecretToken.Kind.apiKey.rawValue) {
            self = .apiKey(token)
        } else if token.hasPrefix(SecretToken.Kind.device.rawValue) {
            self = .deviceToken(token)
        } else {
            self = .accessToken(token)
        }
    }

    /// For Basic, returns the token that stands in place of the password; nil for a real password.
    fileprivate static func tokenInPassword(_ password: String) -> ShownCredential? {
        switch ShownCredential(token: password) {
        case .accessToken: nil
        case let token: token
        }
    }
}

extension Identity {
    /// Authenticates a request.
    ///
    /// A credential that was verified within the last minutes costs one digest and one lookup. User, role and team come
    /// from the current directory, so removing or demoting a user takes effect at once.
    ///
    /// - Parameters:
    ///   - authorization: the header's value.
    ///   - address: the address the request comes from, to slow down guessing.
    ///   - admitsLocationKeys: whether to accept a key that opens one location database. Callers that accept one must
    ///     check the principal's proof.
    /// - Throws: `IdentityError.missing` without a header; `.refused`; `.tooManyTries` and `.busy` for passwords;
    ///   `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func authenticate(
        _ authorization: String?, from address: String, admitsLocationKeys: Bool = false
    ) async throws -> Principal {
        guard let authorization else { throw IdentityError.missing }
        guard let shown = ShownCredential(header: authorization) else { throw IdentityError.refused }
        if case .locationKey = shown, !admitsLocationKeys { throw IdentityError.refused }
        let now = now()
        let digest = digest(of: shown)
        if let entry = verified.entry(for: digest, at: now),
            entry.maker == nil || entry.endedRights == coordinator.endedRights
        {
            return try principal(entry)
        }
        let generation = verified.generation
        let entry = try await verify(shown, digest: digest, from: address, at: now)
        let principal = try principal(entry)
        verified.storeEntry(entry, for: digest, verifiedIn: generation, at: now)
        return principal
    }

    /// Adds a function that is called from any thread when a credential has ended; it must not block. An edit of the
    /// directory may also end a right; the log has such edits.
    package func whenCredentialsEnd(_ body: @escaping @Sendable () -> Void) { verified.whenForgotten(body) }

    /// The cache key of a credential. Tokens use the digest that the store knows them by. Basic credentials use a keyed
    /// digest, because an attacker could guess a password from a plain one.
    private func digest(of shown: ShownCredential) -> TokenDigest {
        switch shown {
        case .accessToken(let token), .apiKey(let token), .deviceToken(let token): return TokenDigest(of: token)
        case .locationKey(let name, let password): return TokenDigest(of: "\(name.text):\(password)")
        case .basic(let name, let password):
            let bytes = Array(name.utf8) + [0] + Array(password.utf8)
            return TokenDigest(HMAC<SHA256>.authenticationCode(for: bytes, using: cacheKey))
        }
    }

    private func verify(
        _ shown: ShownCredential, digest: TokenDigest, from address: String, at now: Instant
    ) async throws -> CredentialCache.Entry {
        switch shown {
        case .apiKey: return try await stored(.apiKey, digest, at: now)
        case .deviceToken: return try await stored(.deviceToken, digest, at: now)
        case .accessToken(let token): return try await session(of: token, at: now)
        case .locationKey(let name, let password): return try await locationKey(name, password: password)
        case .basic(let name, let password):
            if let token = ShownCredential.tokenInPassword(password) {
                let entry = try await verify(token, digest: self.digest(of: token), from: address, at: now)
                guard coordinator.directory.users[entry.user]?.name == name else { throw IdentityError.refused }
                return entry
            }
            let user = try await verifyPassword(password, ofUserNamed: name, from: address)
            return .init(user: user.number, device: nil, proof: .password, expiresAt: nil)
        }
    }

    private func stored(
        _ kind: Credential.Kind, _ digest: TokenDigest, at now: Instant
    ) async throws -> CredentialCache.Entry {
        let endedRights = coordinator.endedRights
        let credential = try await coordinator.readCredentials { try $0.credential(kind, key: digest.bytes) }
        guard let credential, credential.isGood(at: now) else { throw IdentityError.refused }
        if kind == .deviceToken {
            guard let device = credential.device, let owner = coordinator.directory.devices[device]?.user else {
                throw IdentityError.refused
            }
            return .init(
                user: owner, device: device, proof: .deviceToken, maker: credential.maker,
                endedRights: endedRights, expiresAt: credential.expiresAt)
        }
        guard let user = credential.user else { throw IdentityError.refused }
        let proof: Principal.Proof = credential.secret == Self.controlMark ? .control : .apiKey
        return .init(user: user, device: nil, proof: proof, expiresAt: credential.expiresAt)
    }

    private func session(of token: String, at now: Instant) async throws -> CredentialCache.Entry {
        let claims = try await tokens.verify(token, at: now)
        guard let key = Base64.decodeUnpadded(claims.sid, .forURLs) else { throw IdentityError.refused }
        let user = UserNumber(claims.uid)
        let (session, password) = try await coordinator.readCredentials { store in
            (
                try store.credential(.refreshToken, key: key),
                try store.credential(.password, key: Credential.passwordKey(of: user))
            )
        }
        let mark = Identity.passwordMark(password)
        guard let session = unstored.session(key, stored: session), session.user == user, session.isGood(at: now),
            SessionSecret(stored: session.secret).passwordMark == mark,
            coordinator.directory.users[user]?.name == claims.sub
        else { throw IdentityError.refused }
        if let request = RequestWork.current { recentSignIns.record(user, from: request.address, at: now) }
        return .init(
            user: user, device: nil, proof: .session(key: key), expiresAt: Instant(milliseconds: claims.exp * 1000))
    }

    /// The principal as the directory has it now.
    func principal(_ entry: CredentialCache.Entry) throws(IdentityError) -> Principal {
        let directory = coordinator.directory
        // A device token acts for the device's current owner.
        let owner = entry.device.map { directory.devices[$0]?.user } ?? entry.user
        guard let user = owner.flatMap({ directory.users[$0] }) else { throw .refused }
        if entry.device != nil {
            guard directory.letsToken(madeBy: entry.maker, standForDevicesOf: user.number) else { throw .refused }
        }
        RequestWork.current?.identify(user)
        return Principal(user, device: entry.device, proof: entry.proof)
    }
}
