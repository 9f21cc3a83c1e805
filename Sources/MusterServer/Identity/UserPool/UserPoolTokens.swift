import Crypto
import CryptoExtras
import Foundation
import JWTKit
import MusterCoding
import MusterCore
import Synchronization

/// The claims of a user pool's tokens, as Cognito names them.
struct UserPoolClaims: JWTPayload, Equatable {
    /// The purpose of a token.
    enum Use: String, Codable, Sendable {
        case access
        case id
    }

    var sub: String
    var iss: String
    var use: Use
    /// The name of the session, a UUID. The server refuses the token once the session has ended.
    var session: String
    var signedInAt: Int64
    var iat: Int64
    var exp: Int64
    var jti: String
    var groups: [String]
    /// In an access token: the client that it was made for, what it may do, and the user's name.
    var client: String?
    var scope: String?
    var username: String?
    /// In an id token: the client and the user's name.
    var audience: String?
    var cognitoUsername: String?

    private enum CodingKeys: String, CodingKey {
        case sub, iss, iat, exp, jti, scope, username
        case use = "token_use"
        case session = "origin_jti"
        case signedInAt = "auth_time"
        case groups = "cognito:groups"
        case client = "client_id"
        case audience = "aud"
        case cognitoUsername = "cognito:username"
    }

    /// JWTKit checks the signature. `UserPoolTokens.verify` checks times, because it has the clock.
    func verify(using algorithm: some JWTAlgorithm) {}
}

/// The claims of a token that names an identity, for `GetCredentialsForIdentity` and for other servers.
struct IdentityClaims: JWTPayload, Equatable {
    /// The identity.
    var sub: String
    /// The identity pool.
    var aud: String
    var iss: String
    /// The name of the session by which the user proved who they are.
    var session: String
    var iat: Int64
    var exp: Int64
    var amr: [String]

    private enum CodingKeys: String, CodingKey {
        case sub, aud, iss, iat, exp, amr
        case session = "origin_jti"
    }

    func verify(using algorithm: some JWTAlgorithm) {}
}

/// Signs and verifies the tokens of the user pool with RS256 (RFC 7518).
///
/// Muster's own access tokens are signed with ES256. Cognito signs with RS256, and its clients accept nothing else:
/// pycognito passes `algorithms=["RS256"]` to PyJWT, and aws-jwt-verify reads the JWKS for keys of that algorithm. So
/// the user pool has an RSA key of its own.
///
/// The newest key signs. A key before it is accepted, and published, until all tokens that it signed have expired.
final class UserPoolTokens: Sendable {
    private struct Published {
        let id: String
        let modulus: String
        let exponent: String
        let madeAt: Instant
    }

    private let keys = JWTKeyCollection()
    /// Newest first.
    private let published = Mutex<[Published]>([])
    private let making = Mutex<Task<Void, any Error>?>(nil)

    /// How long a token lives, in seconds: as long as Muster's own.
    static let lifetimeSeconds = AccessTokens.lifetimeSeconds
    /// How long a key is accepted after the next one was made, in seconds: as long as its last token lives, and a
    /// minute for the token that it signed meanwhile.
    static let formerKeySeconds = Double(lifetimeSeconds) + 60
    private static let keySize = _RSA.Signing.KeySize.bits2048

    /// Makes a key, as DER. Blocks the thread for up to a second.
    static func makeKey() throws -> [UInt8] {
        Array(try _RSA.Signing.PrivateKey(keySize: keySize).derRepresentation)
    }

    /// Makes the first key. Callers that come meanwhile wait for the same one; after a failure the next tries again.
    func makeOnce(_ make: @escaping @Sendable () async throws -> Void) async throws {
        let task = making.withLock { making in
            if let making { return making }
            let task = Task {
                defer { self.making.withLock { $0 = nil } }
                if !isReady { try await make() }
            }
            making = task
            return task
        }
        try await task.value
    }

    /// Whether there is a key to sign with.
    var isReady: Bool { published.withLock { !$0.isEmpty } }

    /// Accepts the tokens that a key signed, and signs with it if none is newer.
    ///
    /// - Returns: the key's id.
    @discardableResult
    func use(_ der: [UInt8], madeAt: Instant) async throws -> String {
        let key = try _RSA.Signing.PrivateKey(derRepresentation: Data(der))
        let numbers = try key.publicKey.getKeyPrimitives()
        let id = Base64.encodeUnpadded(Array(SHA256.hash(data: numbers.modulus)), .forURLs)
        await keys.add(
            rsa: try Insecure.RSA.PrivateKey(backing: key), digestAlgorithm: .sha256, kid: JWKIdentifier(string: id))
        let fresh = Published(
            id: id, modulus: Base64.encodeUnpadded(Array(numbers.modulus), .forURLs),
            exponent: Base64.encodeUnpadded(Array(numbers.publicExponent), .forURLs), madeAt: madeAt)
        published.withLock { published in
            published.removeAll { $0.id == id }
            published.insert(fresh, at: published.firstIndex { $0.madeAt <= madeAt } ?? published.count)
        }
        return id
    }

    /// Ends the keys that were made before a moment: no token of theirs is accepted any more.
    func dropKeys(madeBefore moment: Instant) async {
        await drop { published in published.filter { $0.madeAt < moment } }
    }

    /// Ends the keys whose tokens have all expired.
    private func dropOutdatedKeys(at now: Instant) async {
        await drop { published in
            zip(published, published.dropFirst()).compactMap { next, key in
                Self.isOutdated(keyBefore: next.madeAt, at: now) ? key : nil
            }
        }
    }

    /// Whether a key is no longer accepted, because the next one was made at this time.
    static func isOutdated(keyBefore next: Instant, at now: Instant) -> Bool {
        next.advanced(bySeconds: formerKeySeconds) <= now
    }

    private func drop(_ choose: @Sendable ([Published]) -> [Published]) async {
        let dropped = published.withLock { published in
            let dropped = choose(published)
            published.removeAll { key in dropped.contains { $0.id == key.id } }
            return dropped
        }
        for key in dropped { await keys.remove(kid: JWKIdentifier(string: key.id)) }
    }

    func sign(_ claims: some JWTPayload) async throws -> String {
        guard let id = published.withLock({ $0.first?.id }) else { throw IdentityError.busy }
        return try await keys.sign(claims, kid: JWKIdentifier(string: id))
    }

    /// Returns the claims of a token that this store's key signed and that has not expired.
    ///
    /// - Throws: `UserPoolError.expiredToken`; `.invalidToken` for any other token.
    func verify<Claims: JWTPayload>(
        _ token: String, as type: Claims.Type, expiry: (Claims) -> Int64, at now: Instant
    ) async throws(UserPoolError) -> Claims {
        guard token.utf8.count <= 4096, CompactToken.isWellFormed(token), isReady else { throw .invalidToken }
        await dropOutdatedKeys(at: now)
        let claims: Claims
        do { claims = try await keys.verify(token, as: type) } catch { throw .invalidToken }
        guard now.milliseconds / 1000 < expiry(claims) else { throw .expiredToken }
        return claims
    }

    /// The JSON Web Key Set (RFC 7517) of the accepted keys, newest first.
    func keySet(at now: Instant) async -> String {
        await dropOutdatedKeys(at: now)
        let keys = published.withLock { $0 }.map { key in
            #"{"alg":"RS256","e":"\#(key.exponent)","kid":"\#(key.id)","kty":"RSA","n":"\#(key.modulus)","use":"sig"}"#
        }
        return #"{"keys":["# + keys.joined(separator: ",") + "]}"
    }
}

/// Why the user pool refuses a request, besides the reasons of `IdentityError`.
package enum UserPoolError: Error, Hashable, Sendable {
    /// The token is not of this user pool, or its session has ended.
    case invalidToken
    /// The token has expired.
    case expiredToken
    /// The client's number of SRP is one that SRP forbids.
    case invalidNumber
    /// The challenge has expired or was answered before.
    case invalidChallenge
    /// There is a user of that name.
    case nameTaken
    /// An admin ended the password: the user sets another by a code.
    case passwordResetRequired
    /// The code is wrong, has expired or was used before.
    case wrongCode
}
