import Crypto
import JWTKit
import MusterCore
import MusterStore
import Synchronization

/// Signs and verifies access tokens: ES256 (RFC 7518), short-lived, told apart by `kid`.
final class AccessTokens: Sendable {
    /// What a token says. It carries no role: the directory is asked at every request.
    struct Claims: JWTPayload, Equatable {
        /// Who issued it.
        let iss: String
        /// The user's name.
        let sub: String
        /// The user's number: a later user of the same name is someone else.
        let uid: Int32
        /// The session's key, base64url: when the session is gone, so is the token.
        let sid: String
        /// Seconds since 1970.
        let iat: Int64
        /// Seconds since 1970.
        let exp: Int64

        /// The signature is JWTKit's to check; times and names are checked by who has the clock.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Keys {
        /// Newest first.
        var published: [PublishedKey] = []
    }

    private struct PublishedKey {
        let id: String
        let coordinates: [UInt8]
    }

    private let issuer: String
    private let verifiers = JWTKeyCollection()
    private let keys = Mutex(Keys())

    /// How long a token lives, in seconds.
    static let lifetimeSeconds: Int64 = 15 * 60

    init(issuer: String) { self.issuer = issuer }

    /// Begins to sign with a key, and to accept what it signed. Keys used before stay accepted.
    func use(_ credential: Credential) async throws {
        let key = try P256.Signing.PrivateKey(rawRepresentation: credential.secret)
        let id = Self.id(of: key.publicKey)
        await verifiers.add(ecdsa: try ES256PrivateKey(backing: key), kid: JWKIdentifier(string: id))
        let published = PublishedKey(id: id, coordinates: Array(key.publicKey.rawRepresentation))
        keys.withLock { keys in
            keys.published.removeAll { $0.id == id }
            keys.published.insert(published, at: 0)
        }
    }

    /// Stops accepting what a key signed.
    func drop(_ credential: Credential) async {
        let id = String(decoding: credential.key, as: UTF8.self)
        await verifiers.remove(kid: JWKIdentifier(string: id))
        keys.withLock { $0.published.removeAll { $0.id == id } }
    }

    /// A fresh key, to be stored and then given to `use`.
    static func makeKey(at now: Instant) -> Credential {
        let key = P256.Signing.PrivateKey()
        return Credential(
            kind: .signingKey, key: Array(id(of: key.publicKey).utf8), secret: Array(key.rawRepresentation),
            createdAt: now)
    }

    /// A token for a user's session.
    func sign(_ user: User, session: [UInt8], at now: Instant) async throws -> String {
        let issued = now.milliseconds / 1000
        let claims = Claims(
            iss: issuer, sub: user.name, uid: user.number.rawValue, sid: UnpaddedBase64.encode(session, .forURLs),
            iat: issued, exp: issued + Self.lifetimeSeconds)
        guard let id = keys.withLock({ $0.published.first?.id }) else { throw IdentityError.busy }
        return try await verifiers.sign(claims, kid: JWKIdentifier(string: id))
    }

    /// What a token says, when it is ours and has not expired.
    ///
    /// - Throws: `IdentityError.refused` for any other.
    func verify(_ token: String, at now: Instant) async throws(IdentityError) -> Claims {
        guard token.utf8.count <= 2048 else { throw .refused }
        let claims: Claims
        do { claims = try await verifiers.verify(token, as: Claims.self) } catch { throw .refused }
        let second = now.milliseconds / 1000
        guard claims.iss == issuer, second < claims.exp, claims.iat <= second + 60 else { throw .refused }
        return claims
    }

    /// The JSON Web Key Set (RFC 7517) of all keys that are accepted, newest first.
    var keySet: String {
        let keys = keys.withLock { $0.published }
        let texts = keys.map { key in
            let x = UnpaddedBase64.encode(key.coordinates.prefix(32), .forURLs)
            let y = UnpaddedBase64.encode(key.coordinates.suffix(32), .forURLs)
            return #"{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\#(key.id)","x":"\#(x)","y":"\#(y)"}"#
        }
        return #"{"keys":["# + texts.joined(separator: ",") + "]}"
    }

    private static func id(of key: P256.Signing.PublicKey) -> String {
        UnpaddedBase64.encode(Array(SHA256.hash(data: key.rawRepresentation)).prefix(9), .forURLs)
    }
}
