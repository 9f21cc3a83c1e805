import Crypto
import MusterCoding
package import MusterCore
import MusterStore
import MusterWire

/// The key with which the server proves itself to Web Push services (VAPID, RFC 8292). A subscription is bound to its
/// public part, so that nobody else can send to it.
package struct VAPIDKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Makes a new key.
    package init() { key = P256.Signing.PrivateKey() }

    /// The public key as browsers take it: an uncompressed point in base64url.
    package var publicText: String { Base64.encodeUnpadded(key.publicKey.x963Representation, .forURLs) }

    /// Seconds for which a token is valid. RFC 8292 allows 24 hours.
    static let tokenSeconds: Double = 12 * 3600

    /// The value of `Authorization` for a push service.
    ///
    /// - Parameters:
    ///   - audience: the service's scheme, host and port.
    ///   - contact: the operator's address for the push service: a `mailto:` or `https:` URL.
    package func authorization(for audience: String, contact: String, at now: Instant) -> String {
        let claims = JSONWriter.object { writer in
            writer.member("aud", audience)
            writer.member("exp", now.advanced(bySeconds: Self.tokenSeconds).milliseconds / 1000)
            writer.member("sub", contact)
        }
        let token = SignedToken.es256(header: [("typ", "JWT"), ("alg", "ES256")], claims: claims, by: key)
        return "vapid t=\(token), k=\(publicText)"
    }
}

extension VAPIDKey {
    private static let credentialKey = Array("vapid".utf8)
    private static let purpose = "vapid key"

    /// Opens the key of a store, and makes it where there is none, or where it was sealed with a key that is lost.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    static func open(of coordinator: StoreCoordinator, _ vault: SecretVault) async throws -> VAPIDKey {
        let stored = try await coordinator.read { try $0.credential(.vapidKey, key: credentialKey) }
        if let key = stored.flatMap({ VAPIDKey($0, vault) }) { return key }
        let now = coordinator.now()
        return try await coordinator.edit(by: nil) { _, draft in
            // Another request may have made it meanwhile.
            let stored = try draft.transaction.credential(.vapidKey, key: credentialKey)
            if let key = stored.flatMap({ VAPIDKey($0, vault) }) { return key }
            let made = VAPIDKey()
            draft.credentials.append(
                Credential(
                    kind: .vapidKey, key: credentialKey,
                    secret: vault.seal(Array(made.key.rawRepresentation), for: purpose), createdAt: now))
            return made
        }
    }

    private init?(_ credential: Credential, _ vault: SecretVault) {
        guard let bytes = try? vault.open(credential.secret, for: Self.purpose),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.key = key
    }
}

/// Makes JSON Web Tokens for push services (RFC 7515).
enum SignedToken {
    /// Returns the token of these claims, signed by ECDSA on P-256 with SHA-256 (`ES256`).
    static func es256(
        header: [(name: String, value: String)], claims: [UInt8], by key: P256.Signing.PrivateKey
    ) -> String {
        let text = unsigned(header, claims)
        do {
            let signature = try key.signature(for: Array(text.utf8)).rawRepresentation
            return text + "." + Base64.encodeUnpadded(signature, .forURLs)
        } catch {
            preconditionFailure("a key of P-256 signs whatever fits into memory: \(error)")
        }
    }

    /// The part of a token that is signed.
    static func unsigned(_ header: [(name: String, value: String)], _ claims: [UInt8]) -> String {
        let head = JSONWriter.object { writer in
            for (name, value) in header {
                writer.key(name)
                writer.value(value)
            }
        }
        return Base64.encodeUnpadded(head, .forURLs) + "." + Base64.encodeUnpadded(claims, .forURLs)
    }
}
