import Crypto
package import Logging
import MusterCoding
package import MusterCore
package import MusterStore

/// Authenticates requests, and manages passwords, sessions, keys and tokens.
///
/// The store holds passwords and tokens as hashes, and seals AWS keys (`SecretVault`). It holds the signing key of
/// access tokens and the OwnTracks encryption keys in clear. A change of a credential takes effect with its commit: no
/// earlier verification is trusted afterwards.
package final class Identity: Sendable {
    package let coordinator: StoreCoordinator
    package let hasher: PasswordHasher
    package let tokens: AccessTokens
    package let verified: CredentialCache
    package let attempts: AttemptLimiter
    let recentSignIns = RecentSignIns()
    /// Limits how often a user's known clients may pass the queue of strangers.
    let knownClientRates = RequestRates(.init(tries: 10, perSecond: 1.0 / 600))
    /// Limits how many users' numbers sign-ups take: a number is never given again, also when nobody confirms.
    let signUpNumberRates = RequestRates(.init(tries: 1_000, perSecond: 1))
    package let signIns = SignInCounts()
    /// Seals the secrets that the server needs again.
    package let vault: SecretVault
    let codes = OneTimeCodes()
    /// The links whose tokens were shown lately.
    let links = VerifiedLinks()
    /// How often visitors may enter by each link.
    let visitRates = RequestRates(Identity.visitAllowance)
    /// The tokens of Cognito's clients.
    let userPool = UserPoolTokens()
    let challenges = PasswordChallenges()
    /// How often strangers may become guests, and guests may write.
    package let guestLimiter = GuestLimiter()
    /// The codes that an admin hands over.
    package let confirmations = ConfirmationCodes()
    /// Sessions that the disk could not store yet.
    let unstored = UnstoredSessions()
    /// The log of failed sign-ins.
    package let logger: Logger
    package let now: @Sendable () -> Instant
    /// The key for digests of Basic credentials, so that the cache in memory reveals no password.
    let cacheKey = SymmetricKey(size: .bits256)

    /// How long a session lasts without being refreshed, in seconds.
    package static let sessionSeconds: Double = 30 * 24 * 3600
    /// How long a verified credential is trusted without a new check, in seconds.
    static let cacheSeconds: Double = 300
    /// The largest number of verified credentials in the cache.
    static let cacheCapacity = 20_000

    /// Makes an identity over a coordinator. Call `load` before the first request.
    ///
    /// - Parameters:
    ///   - issuer: the value of `iss` in access tokens: the server's own URL or name.
    ///   - vault: seals the secrets that the server needs again.
    ///   - logger: receives failed sign-ins.
    ///   - now: the clock.
    package convenience init(
        coordinator: StoreCoordinator, issuer: String, vault: SecretVault, logger: Logger,
        now: @escaping @Sendable () -> Instant
    ) {
        self.init(
            coordinator: coordinator, issuer: issuer, hasher: PasswordHasher(), attempts: AttemptLimiter(),
            vault: vault, logger: logger, now: now)
    }

    package init(
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
            _ = try await rotateAccessTokenKey()
        } else {
            for key in stored.sorted(by: { $0.createdAt < $1.createdAt }) { try await tokens.use(key) }
        }
    }

    /// The public keys that verify access tokens, as a JSON Web Key Set.
    package var keySet: String { tokens.keySet }

    /// Creates the user `admin` where the store has no users, and sets its password where it has none.
    ///
    /// - Parameters:
    ///   - adminPassword: the password; nil for a random one.
    ///   - isForLater: whether to leave the random password to the next call, because nobody could be shown it now.
    ///   - show: shows the random password to the person who starts the server, before it is stored. If it throws, the
    ///     password is left to the next call, as nobody has read it.
    /// - Returns: the random password, to be shown once; nil when none was made.
    /// - Throws: `IdentityError.unusablePassword`, or when the store cannot be written.
    package func bootstrap(
        adminPassword: String?, isForLater: Bool = false, show: (String) throws -> Void = { _ in }
    ) async throws -> String? {
        let isFirst = coordinator.directory.users.count == 0
        if isForLater, adminPassword == nil {
            if isFirst { try await makeAdmin(password: nil) }
            return nil
        }
        let lacksPassword = try await adminLacksPassword()
        guard isFirst || lacksPassword else { return nil }
        let password = adminPassword ?? Base64.encodeUnpadded(SecretToken.randomBytes(15), .forURLs)
        let prepared = try await prepare(password, ofUserNamed: Self.firstName)
        if adminPassword == nil {
            do {
                try show(password)
            } catch {
                logger.error(
                    """
                    The password of admin could not be shown, so it was not stored. The next start makes another one; \
                    MUSTER_ADMIN_PASSWORD sets one, and so does muster user password admin
                    """, metadata: ["error": "\(error)"])
                if isFirst { try await makeAdmin(password: nil) }
                return nil
            }
        }
        try await makeAdmin(password: prepared)
        return adminPassword == nil ? password : nil
    }

    /// The number of the first user of a store.
    private static let firstUser = UserNumber(1)
    private static let firstName = "admin"

    /// Whether the store's first user, an admin, has no password.
    private func adminLacksPassword() async throws -> Bool {
        guard let admin = coordinator.directory.users[Self.firstUser], admin.role == .admin else { return false }
        let key = Credential.passwordKey(of: admin.number)
        return try await coordinator.read { try $0.credential(.password, key: key) } == nil
    }

    /// Creates `admin` where the store has no users, and sets its password where one is given.
    private func makeAdmin(password: StoredPassword?) async throws {
        let now = now()
        try await coordinator.edit(by: nil) { directory, draft in
            var number = Self.firstUser
            if directory.users.count == 0 {
                number = try draft.transaction.nextUserNumber()
                draft.edits.append(.putUser(User(number: number, name: Self.firstName, role: .admin, team: nil)))
            }
            if let password { draft.credentials += self.credentials(for: password, of: number, at: now) }
        }
    }
}

extension Credential {
    /// The key under which a user's password is stored: its number, big-endian.
    static func passwordKey(of user: UserNumber) -> [UInt8] {
        let number = UInt32(bitPattern: user.rawValue)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }

    /// The credential that stores a user's hashed password.
    package static func password(_ hash: String, of user: UserNumber, at now: Instant) -> Credential {
        Credential(
            kind: .password, key: passwordKey(of: user), user: user, secret: Array(hash.utf8), createdAt: now)
    }
}
