import Crypto

/// The keys of a subscription of Web Push: messages are encrypted for them (RFC 8291), so that no push service can read
/// them.
package struct WebPushKeys: Hashable, Sendable {
    /// The public key of the receiver, `p256dh`: a point of P-256, uncompressed.
    package let publicKey: [UInt8]
    /// The receiver's `auth`: 16 bytes.
    package let secret: [UInt8]

    /// The error for keys that cannot be used.
    package struct KeyError: Error, Hashable {
        package let detail: String
    }

    /// - Throws: `KeyError` where the public key is no point of P-256, or the secret is not of 16 bytes.
    package init(publicKey: [UInt8], secret: [UInt8]) throws(KeyError) {
        guard publicKey.count == 65, (try? P256.KeyAgreement.PublicKey(x963Representation: publicKey)) != nil else {
            throw KeyError(detail: "p256dh is not a public key of P-256: give its 65 bytes in base64url")
        }
        guard secret.count == 16 else { throw KeyError(detail: "auth is not of 16 bytes in base64url") }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// The largest text that one message carries: a record of 4096 bytes without what encryption adds (RFC 8291,
    /// section 4).
    package static let textLimitBytes = 3_993
    private static let recordBytes: UInt32 = 4_096

    /// Encrypts a text as a body of the content coding `aes128gcm` (RFC 8188), in one record.
    ///
    /// - Parameters:
    ///   - key: the sender's key, a new one for each message.
    ///   - salt: 16 random bytes, new ones for each message.
    /// - Returns: the body; nil for a text of more than `textLimitBytes`.
    func encrypt(
        _ text: [UInt8], key: P256.KeyAgreement.PrivateKey = .init(),
        salt: [UInt8] = SecretToken.randomBytes(16)
    ) -> [UInt8]? {
        guard text.count <= Self.textLimitBytes else { return nil }
        do {
            let receiver = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
            let sender = Array(key.publicKey.x963Representation)
            let shared = try key.sharedSecretFromKeyAgreement(with: receiver)
            let material = shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: secret, sharedInfo: Array("WebPush: info\0".utf8) + publicKey + sender,
                outputByteCount: 32)
            let contentKey = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8),
                outputByteCount: 16)
            let nonce = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Array("Content-Encoding: nonce\0".utf8),
                outputByteCount: 12)
            // The byte 2 ends the last record.
            let box = try AES.GCM.seal(
                text + [2], using: contentKey, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
            let size = (0..<4).map { UInt8(truncatingIfNeeded: Self.recordBytes >> (24 - 8 * UInt32($0))) }
            return salt + size + [UInt8(sender.count)] + sender + Array(box.ciphertext) + Array(box.tag)
        } catch {
            preconditionFailure("the public key was checked when it was taken: \(error)")
        }
    }
}
