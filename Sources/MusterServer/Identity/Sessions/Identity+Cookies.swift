import MusterCoding
package import MusterCore
import MusterHTTP

/// The session cookie. It stands for a name and a password for some minutes.
package enum SessionCookie {
    /// The cookie's name, as clients of CouchDB know it.
    package static let name = "AuthSession"
    package static let lifetimeSeconds: Double = 600
    /// The age, in seconds, at which a cookie is replaced by a new one.
    static let renewalSeconds: Double = 60
}

extension Identity {
    /// Makes a cookie. The server seals its content, and does not store it. The cookie becomes invalid when the user's
    /// password changes.
    ///
    /// - Parameter isLasting: whether the cookie is renewed while it is used.
    /// - Throws: `IdentityError.unknown` when the user no longer exists; `StoreError`.
    package func makeCookie(for user: UserNumber, isLasting: Bool) async throws -> String {
        guard coordinator.directory.users[user] != nil else { throw IdentityError.unknown }
        return seal(
            CookieContent(user: user, mark: try await passwordMark(of: user), isLasting: isLasting, expiresAt: now()))
    }

    /// Authenticates a request by its cookie.
    ///
    /// - Parameter isExpiryMet: whether to refuse an expired cookie; false to continue work that began while it was
    ///   valid.
    /// - Throws: `IdentityError.refused`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func authenticate(cookie: String, isExpiryMet: Bool = true) async throws -> Principal {
        let now = now()
        guard let content = open(cookie), !isExpiryMet || now < content.expiresAt else { throw IdentityError.refused }
        let digest = TokenDigest(of: cookie)
        if verified.entry(for: digest, at: now) == nil {
            let generation = verified.generation
            guard try await passwordMark(of: content.user).isEqualInConstantTime(to: content.mark) else {
                throw IdentityError.refused
            }
            let entry = CredentialCache.Entry(user: content.user, device: nil, proof: .password, expiresAt: nil)
            verified.storeEntry(entry, for: digest, verifiedIn: generation, at: now)
        }
        guard let user = coordinator.directory.users[content.user] else { throw IdentityError.refused }
        RequestWork.current?.identify(user)
        return Principal(user, proof: .password)
    }

    /// Returns the cookie that replaces a valid one; nil while that one is new enough, or where it is not to be
    /// renewed.
    package func renewal(of cookie: String) -> String? {
        guard let content = open(cookie), content.isLasting else { return nil }
        let left = content.expiresAt.seconds(since: now())
        return left > SessionCookie.lifetimeSeconds - SessionCookie.renewalSeconds ? nil : seal(content)
    }

    private static let cookiePurpose = "session cookie"

    private func seal(_ content: CookieContent) -> String {
        var content = content
        content.expiresAt = now().advanced(bySeconds: SessionCookie.lifetimeSeconds)
        return Base64.encodeUnpadded(vault.seal(content.bytes, for: Self.cookiePurpose), .forURLs)
    }

    private func open(_ cookie: String) -> CookieContent? {
        guard cookie.utf8.count <= 512, let sealed = Base64.decodeUnpadded(cookie, .forURLs),
            let bytes = try? vault.open(sealed, for: Self.cookiePurpose)
        else { return nil }
        return CookieContent(bytes)
    }
}

/// The content of a cookie, before sealing.
private struct CookieContent {
    var user: UserNumber
    /// Changes whenever the user's password changes.
    var mark: [UInt8]
    var isLasting: Bool
    var expiresAt: Instant

    init(user: UserNumber, mark: [UInt8], isLasting: Bool, expiresAt: Instant) {
        self.user = user
        self.mark = mark
        self.isLasting = isLasting
        self.expiresAt = expiresAt
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 13 else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        user = UserNumber(Int32(truncatingIfNeeded: number(0..<4)))
        expiresAt = Instant(milliseconds: Int64(bitPattern: number(4..<12)))
        isLasting = bytes[12] == 1
        mark = Array(bytes[13...])
    }

    var bytes: [UInt8] {
        let number = UInt32(bitPattern: user.rawValue)
        let moment = UInt64(bitPattern: expiresAt.milliseconds)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: moment >> UInt64(56 - 8 * $0)) } + [isLasting ? 1 : 0] + mark
    }
}
