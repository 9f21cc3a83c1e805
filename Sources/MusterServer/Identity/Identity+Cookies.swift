package import MusterCore
import MusterStore

/// The cookie that stands for a name and a password for some minutes.
package enum SessionCookie {
    /// What clients of CouchDB know it as.
    package static let name = "AuthSession"
    /// How long one lasts, in seconds.
    package static let lifetimeSeconds: Double = 600
    /// How old one is when it is replaced by a fresh one, in seconds.
    static let renewalSeconds: Double = 60
}

extension Identity {
    /// Makes a cookie. It is sealed, and nothing of it is stored: it is worth nothing once the password is another.
    ///
    /// - Parameter isLasting: whether it is renewed while it is used.
    /// - Throws: `IdentityError.unknown` when the user is gone; `StoreError`.
    package func makeCookie(for user: UserNumber, isLasting: Bool) async throws -> String {
        guard coordinator.directory.users[user] != nil else { throw IdentityError.unknown }
        return seal(
            CookieContent(user: user, mark: try await passwordMark(of: user), isLasting: isLasting, expiresAt: now()))
    }

    /// Proves whose request it is by its cookie.
    ///
    /// - Parameter isExpiryMet: false for whoever goes on with what began while the cookie was good.
    /// - Throws: `IdentityError.refused`; `CoordinatorError` and `StoreError` when it cannot be known now.
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
            verified.keep(entry, for: digest, verifiedIn: generation, at: now)
        }
        guard let user = coordinator.directory.users[content.user] else { throw IdentityError.refused }
        RequestWork.current?.identify(user)
        return Principal(user, proof: .password)
    }

    /// The cookie that goes on where one that proved something ends; nil while that one will do, or is not to last.
    package func renewal(of cookie: String) -> String? {
        guard let content = open(cookie), content.isLasting else { return nil }
        let left = content.expiresAt.seconds(since: now())
        return left > SessionCookie.lifetimeSeconds - SessionCookie.renewalSeconds ? nil : seal(content)
    }

    private static let cookiePurpose = "session cookie"

    private func seal(_ content: CookieContent) -> String {
        var content = content
        content.expiresAt = now().advanced(bySeconds: SessionCookie.lifetimeSeconds)
        return UnpaddedBase64.encode(vault.seal(content.bytes, for: Self.cookiePurpose), .forURLs)
    }

    private func open(_ cookie: String) -> CookieContent? {
        guard cookie.utf8.count <= 512, let sealed = UnpaddedBase64.decode(cookie, .forURLs),
            let bytes = try? vault.open(sealed, for: Self.cookiePurpose)
        else { return nil }
        return CookieContent(bytes)
    }
}

/// What a cookie says, sealed.
private struct CookieContent {
    var user: UserNumber
    /// What tells the user's password from the next.
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
