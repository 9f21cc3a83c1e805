import JWTKit
import MusterCoding
package import MusterCore
package import MusterStore
import MusterWire

/// Temporary AWS credentials of a guest.
package struct GuestKey: Sendable {
    package let id: String
    package let secretAccessKey: String
    package let sessionToken: String
    package let expiresAt: Instant
}

/// Identities of people who have no account, or have not signed in.
///
/// The server gives an identity without storing anything. It recognizes an identity by a mark in it, and credentials by
/// the sealed contents of the session token. It stores a guest with the guest's first dataset.
extension Identity {
    /// Makes the identity of a new guest.
    package func makeGuest(in pool: TeamNumber?) -> GuestID {
        let random = SecretToken.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return GuestID(random: random, pool: pool, mark: guestMark(random, pool))
    }

    /// The guest that an identity names; nil for any text that is not an identity which this server made.
    package func guest(named text: String) -> GuestID? {
        guard let guest = coordinator.origin.guestID(text), guest.mark == guestMark(guest.high, guest.pool) else {
            return nil
        }
        return guest
    }

    private func guestMark(_ random: UInt64, _ pool: TeamNumber?) -> UInt32 {
        vault.mark(of: "\(random) \(pool?.rawValue ?? 0)", for: "guest identity").prefix(4)
            .reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether a pool gives identities to guests. A pool that does not exist gives none.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func allowsGuests(in pool: TeamNumber?) async throws -> Bool {
        guard pool.map({ coordinator.directory.teams[$0] != nil }) ?? true else { return false }
        return try await coordinator.readCredentials { try $0.poolSettings(of: pool).allowsGuests }
    }

    /// Returns what is stored about a guest who may use the pool: the pool allows guests, and the guest was not merged
    /// into a user.
    ///
    /// - Throws: `IdentityError.refused` for any other guest; `CoordinatorError`, `StoreError`.
    package func admit(_ guest: GuestID) async throws -> Guest? {
        guard guest.pool.map({ coordinator.directory.teams[$0] != nil }) ?? true else { throw IdentityError.refused }
        let (isOpen, stored) = try await coordinator.readCredentials { store in
            (try store.poolSettings(of: guest.pool).allowsGuests, try store.guest(guest))
        }
        guard isOpen, stored?.user == nil else { throw IdentityError.refused }
        return stored
    }

    // MARK: Credentials

    /// How long a guest's credentials last, in seconds.
    static let guestKeySeconds: Double = Identity.identityKeySeconds
    /// The shortest time between two updates of a guest's `usedAt`, in seconds.
    private static let guestUseSeconds: Double = 86_400

    /// Makes credentials for a guest. Nothing of them is stored.
    ///
    /// - Throws: `IdentityError.refused` for a guest whom `admit` refuses; `CoordinatorError`, `StoreError`.
    package func makeGuestKey(for guest: GuestID) async throws -> GuestKey {
        let now = now()
        if let stored = try await admit(guest), now.seconds(since: stored.usedAt) > Self.guestUseSeconds {
            try await coordinator.storeState { transaction, moment in
                guard var stored = try transaction.guest(guest) else { return }
                stored.usedAt = moment
                try transaction.put(stored)
            }
        }
        let end = now.advanced(bySeconds: Self.guestKeySeconds)
        let random = Self.randomText(Self.guestKeyRandom)
        let id = APIKey.guestPrefix + random + guestKeyMark(random)
        let content = [guest.high, guest.low, UInt64(bitPattern: end.milliseconds)].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        let token = Base64.encodeUnpadded(vault.seal(content, for: Self.purpose(ofGuestKey: id)), .forURLs)
        return GuestKey(id: id, secretAccessKey: guestSecret(id, token), sessionToken: token, expiresAt: end)
    }

    private static let guestKeyRandom = 9
    private static func purpose(ofGuestKey id: String) -> String { "guest key \(id)" }

    /// The last letters of a guest key's id, by which the server recognizes the ids that it made.
    private func guestKeyMark(_ random: some StringProtocol) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        return String(
            vault.mark(of: String(random), for: "guest key").prefix(6).map { letters[Int($0) % letters.count] })
    }

    private func guestSecret(_ id: String, _ token: String) -> String {
        Base64.encodeUnpadded(Array(vault.mark(of: "\(id) \(token)", for: "guest secret").prefix(30)), .standard)
    }

    static func isGuestKey(_ id: String) -> Bool { id.hasPrefix(APIKey.guestPrefix) }

    /// Checks that this server made a key with this id.
    func requireGuestKey(_ id: String) throws(SignatureError) {
        let random = id.dropFirst(APIKey.guestPrefix.count).prefix(Self.guestKeyRandom)
        guard id.utf8.count == 20, id.hasSuffix(guestKeyMark(random)) else { throw .unknownKey }
    }

    /// Authenticates a request that a guest signed.
    ///
    /// - Throws: `SignatureError`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    func authenticateGuest(_ request: SignedRequest, at now: Instant) async throws -> Principal {
        let id = request.shown.accessKeyID
        try requireGuestKey(id)
        guard let token = request.sessionToken, let sealed = Base64.decodeUnpadded(token, .forURLs),
            let content = try? vault.open(sealed, for: Self.purpose(ofGuestKey: id)), content.count == 24
        else { throw SignatureError.unknownKey }
        let numbers = (0..<3).map { part in
            content[8 * part..<8 * part + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let key = SigningKey(secret: guestSecret(id, token), scope: request.shown.scope)
        guard key.accepts(request.shown.signature, of: request.stringToSign) else { throw SignatureError.mismatch }
        guard Instant(milliseconds: Int64(bitPattern: numbers[2])) > now else { throw SignatureError.expiredToken }
        let guest = GuestID(high: numbers[0], low: numbers[1])
        do {
            return Principal(GuestCaller(id: guest, number: try await admit(guest)?.number))
        } catch IdentityError.refused {
            throw SignatureError.unknownKey
        }
    }

    // MARK: Tokens

    /// Makes a token that names a guest's identity, for other servers. This server does not accept it.
    ///
    /// - Throws: `IdentityError.refused` for a guest whom `admit` refuses; `CoordinatorError`, `StoreError`.
    package func makeGuestToken(for guest: GuestID, issuer: String) async throws -> String {
        _ = try await admit(guest)
        try await prepareUserPool()
        let issued = now().milliseconds / 1000
        return try await userPool.sign(
            GuestClaims(
                sub: coordinator.origin.text(of: guest), aud: coordinator.origin.text(of: .pool(guest.pool)),
                iss: issuer, iat: issued, exp: issued + Int64(Self.identityTokenSeconds), amr: ["unauthenticated"]))
    }
}

/// The claims of a token that names a guest. They name no session, so that the token cannot be used as a user's.
private struct GuestClaims: JWTPayload, Equatable {
    var sub: String
    var aud: String
    var iss: String
    var iat: Int64
    var exp: Int64
    var amr: [String]

    func verify(using algorithm: some JWTAlgorithm) {}
}
