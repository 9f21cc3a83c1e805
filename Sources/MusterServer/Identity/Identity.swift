import Crypto
package import Logging
package import MusterCore
import MusterStore

/// Who someone is. Keeps passwords, sessions, keys and tokens; proves what a request claims.
///
/// Every secret is stored hashed, or sealed where it must be had again. A change of a credential takes effect with its
/// commit: nothing verified before it is trusted after it.
package final class Identity: Sendable {
    let coordinator: StoreCoordinator
    let hasher: PasswordHasher
    let tokens: AccessTokens
    let verified: CredentialCache
    let attempts: AttemptLimiter
    let recentSignIns = RecentSignIns()
    let signIns = SignInCounts()
    /// Seals the secrets that must be had again.
    package let vault: SecretVault
    let codes = OneTimeCodes()
    /// Sessions that the disk could not take yet.
    let unstored = UnstoredSessions()
    /// Told of sign-ins that failed.
    let logger: Logger
    let now: @Sendable () -> Instant
    /// Keys the digests of Basic credentials, so that what is held in memory gives no password away.
    let cacheKey = SymmetricKey(size: .bits256)

    /// How long a session lasts without being refreshed, in seconds.
    package static let sessionSeconds: Double = 30 * 24 * 3600
    /// How long a verified credential is believed, in seconds.
    static let cacheSeconds: Double = 300
    /// How many verified credentials are remembered.
    static let cacheCapacity = 20_000

    /// An identity over a coordinator; `load` before the first request.
    ///
    /// - Parameters:
    ///   - issuer: what access tokens say in `iss`: the server's own URL or name.
    ///   - vault: seals the secrets that must be had again.
    ///   - logger: told of sign-ins that failed.
    ///   - now: the clock.
    package convenience init(
        coordinator: StoreCoordinator, issuer: String, vault: SecretVault, logger: Logger,
        now: @escaping @Sendable () -> Instant
    ) throws {
        self.init(
            coordinator: coordinator, issuer: issuer, hasher: try PasswordHasher(), attempts: AttemptLimiter(),
            vault: vault,
            logger: logger, now: now)
    }

    init(
        coordinator: StoreCoordinator, issuer: String, hasher: PasswordHasher, attempts: AttemptLimiter,
        vault: SecretVault = SecretVault(), logger: Logger = Logger(label: "muster.identity"),
        now: @escaping @Sendable () -> Instant
    ) {
        self.coordinator = coordinator
        self.hasher = hasher
        self.attempts = attempts
        self.vault = vault
        self.logger = logger
        self.now = now
        tokens = AccessTokens(issuer: issuer)
        verified = CredentialCache(capacity: Self.cacheCapacity, lifetimeSeconds: Self.cacheSeconds)
    }

    /// Reads the signing keys, and makes one when there is none.
    ///
    /// - Throws: when the store cannot be read or written.
    package func load() async throws {
        let stored = try await coordinator.read { try $0.credentials(.signingKey) }
        if stored.isEmpty {
            try await rotateSigningKey()
        } else {
            for key in stored.sorted(by: { $0.createdAt < $1.createdAt }) { try await tokens.use(key) }
        }
    }

    /// Signs with a fresh key from now on. Tokens of the key before stay good; older keys are dropped.
    package func rotateSigningKey() async throws {
        let fresh = AccessTokens.makeKey(at: now())
        let stored = try await coordinator.read { try $0.credentials(.signingKey) }
        let outdated = stored.sorted { $0.createdAt > $1.createdAt }.dropFirst()
        try await coordinator.edit(by: nil) { _, draft in
            draft.credentials.append(fresh)
            draft.removedCredentials += outdated.map { (kind: .signingKey, key: $0.key) }
        }
        try await tokens.use(fresh)
        for key in outdated { await tokens.drop(key) }
        verified.forget { if case .session = $0.proof { true } else { false } }
    }

    /// The public keys that access tokens are signed with, as a JSON Web Key Set.
    package var keySet: String { tokens.keySet }

    /// Makes the user `admin`, when there is nobody at all, and gives it a password where it was left without.
    ///
    /// - Parameters:
    ///   - adminPassword: its password; nil for a random one.
    ///   - isForLater: whether a random one is left to the next who calls this, because nobody would be told now.
    /// - Returns: the random password, to be shown once; nil when none was made.
    /// - Throws: `IdentityError.unusablePassword`, or when the store cannot be written.
    package func bootstrap(adminPassword: String?, isForLater: Bool = false) async throws -> String? {
        let isFirst = coordinator.directory.users.count == 0
        if isForLater, adminPassword == nil {
            if isFirst { try await makeAdmin(passwordHash: nil) }
            return nil
        }
        let lacksPassword = try await adminLacksPassword()
        guard isFirst || lacksPassword else { return nil }
        let password = adminPassword ?? UnpaddedBase64.encode(SecretToken.randomBytes(15), .forURLs)
        try Self.check(password)
        try await makeAdmin(passwordHash: try await hasher.hash(password))
        return adminPassword == nil ? password : nil
    }

    /// The number of whoever was made first in a store.
    private static let firstUser = UserNumber(1)

    /// Whether `admin`, as it was made with the store, was left without a password.
    private func adminLacksPassword() async throws -> Bool {
        guard let admin = coordinator.directory.users[Self.firstUser], admin.role == .admin else { return false }
        let key = Credential.passwordKey(of: admin.number)
        return try await coordinator.read { try $0.credential(.password, key: key) } == nil
    }

    /// Makes `admin` where there is nobody, and gives it a password where there is one to give.
    private func makeAdmin(passwordHash: String?) async throws {
        let now = now()
        try await coordinator.edit(by: nil) { directory, draft in
            var number = Self.firstUser
            if directory.users.count == 0 {
                number = try draft.transaction.nextUserNumber()
                draft.edits.append(.putUser(User(number: number, name: "admin", role: .admin, team: nil)))
            }
            if let passwordHash { draft.credentials.append(.password(passwordHash, of: number, at: now)) }
        }
    }
}

extension Credential {
    /// The key under which a user's password is stored: its number, big-endian.
    static func passwordKey(of user: UserNumber) -> [UInt8] {
        let number = UInt32(bitPattern: user.rawValue)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }

    /// A user's password, hashed.
    static func password(_ hash: String, of user: UserNumber, at now: Instant) -> Credential {
        Credential(
            kind: .password, key: passwordKey(of: user), user: user, secret: Array(hash.utf8), createdAt: now)
    }
}
