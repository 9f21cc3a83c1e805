import Crypto
import JWTKit
import MusterCoding
import MusterCore
import MusterStore
import Synchronization

/// Signs and verifies access tokens: short-lived JSON Web Tokens with ES256 (RFC 7518), whose key `kid` names.
package final class AccessTokens: Sendable {
    /// The claims of a token. A token carries no role; every request looks it up in the directory.
    struct Claims: JWTPayload, Equatable {
        /// The issuer.
        let iss: String
        /// The user's name.
        let sub: String
        /// The user's number, so that a later user of the same name is not mistaken for this one.
        let uid: Int32
        /// The session's key, in base64url. The server refuses the token once the session has ended.
        let sid: String
        /// The time of issue, in seconds since 1970.
        let iat: Int64
        /// The time of expiry, in seconds since 1970.
        let exp: Int64

        /// JWTKit checks the signature. `AccessTokens.verify` checks times and names, because it has the clock.
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

    /// Starts signing with a key and accepting tokens it signed. Earlier keys stay accepted.
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

    /// Stops accepting tokens that a key signed.
    func drop(_ credential: Credential) async {
        let id = String(decoding: credential.key, as: UTF8.self)
        await verifiers.remove(kid: JWKIdentifier(string: id))
        keys.withLock { $0.published.removeAll { $0.id == id } }
    }

    /// Makes a new key, to be stored and then passed to `use`.
    static func makeKey(at now: Instant) -> Credential {
        let key = P256.Signing.PrivateKey()
        return Credential(
            kind: .signingKey, key: Array(id(of: key.publicKey).utf8), secret: Array(key.rawRepresentation),
            createdAt: now)
    }

    /// Makes a token for a user's session.
    func sign(_ user: User, session: [UInt8], at now: Instant) async throws -> String {
        let issued = now.milliseconds / 1000
        let claims = Claims(
            iss: issuer, sub: user.name, uid: user.number.rawValue, sid: Base64.encodeUnpadded(session, .forURLs),
            iat: issued, exp: issued + Self.lifetimeSeconds)
        guard let id = keys.withLock({ $0.published.first?.id }) else { throw IdentityError.busy }
        return try await verifiers.sign(claims, kid: JWKIdentifier(string: id))
    }

    /// Returns the claims of a token that this server signed and that has not expired.
    ///
    /// - Throws: `IdentityError.refused` for any other token.
    func verify(_ token: String, at now: Instant) async throws(IdentityError) -> Claims {
        guard token.utf8.count <= 2048, CompactToken.isWellFormed(token) else { throw .refused }
        let claims: Claims
        do { claims = try await verifiers.verify(token, as: Claims.self) } catch { throw .refused }
        let second = now.milliseconds / 1000
        guard claims.iss == issuer, second < claims.exp, claims.iat <= second + 60 else { throw .refused }
        return claims
    }

    /// The JSON Web Key Set (RFC 7517) of all accepted keys, newest first.
    var keySet: String {
        let keys = keys.withLock { $0.published }
        let texts = keys.map { key in
            let x = Base64.encodeUnpadded(key.coordinates.prefix(32), .forURLs)
            let y = Base64.encodeUnpadded(key.coordinates.suffix(32), .forURLs)
            return #"{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\#(key.id)","x":"\#(x)","y":"\#(y)"}"#
        }
        return #"{"keys":["# + texts.joined(separator: ",") + "]}"
    }

    private static func id(of key: P256.Signing.PublicKey) -> String {
        Base64.encodeUnpadded(Array(SHA256.hash(data: key.rawRepresentation)).prefix(9), .forURLs)
    }
}
