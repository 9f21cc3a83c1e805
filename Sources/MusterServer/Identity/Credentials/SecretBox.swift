import CSodium
package import MusterCore
package import MusterStore
package import MusterWire

/// libsodium's secretbox, XSalsa20-Poly1305, as OwnTracks uses it.
package struct SecretBox: Sendable {
    private let key: [UInt8]

    /// The length of a key, in bytes. Apps pad a shorter secret with zeros.
    package static let keyBytes = 32

    /// Makes a box for a shared secret; nil when the secret is empty or longer than a key.
    package init?(secret: [UInt8]) {
        guard (1...Self.keyBytes).contains(secret.count) else { return nil }
        key = secret + Array(repeating: 0, count: Self.keyBytes - secret.count)
    }

    /// Decrypts an envelope; nil when it was encrypted with another key, or has been changed.
    package func open(_ envelope: OwnTracksEnvelope) -> [UInt8]? {
        let macBytes = OwnTracksEnvelope.authenticatorBytes
        guard envelope.nonce.count == OwnTracksEnvelope.nonceBytes, envelope.box.count >= macBytes else { return nil }
        var message = [UInt8](repeating: 0, count: envelope.box.count - macBytes)
        let status = crypto_secretbox_open_easy(
            &message, envelope.box, UInt64(envelope.box.count), envelope.nonce, key)
        return status == 0 ? message : nil
    }

    /// Encrypts a message with a new nonce.
    package func seal(_ message: [UInt8]) -> OwnTracksEnvelope {
        let nonce = SecretToken.randomBytes(OwnTracksEnvelope.nonceBytes)
        return seal(message, nonce: nonce)
    }

    /// Encrypts a message with a given nonce, which must never be used twice.
    package func seal(_ message: [UInt8], nonce: [UInt8]) -> OwnTracksEnvelope {
        var box = [UInt8](repeating: 0, count: message.count + OwnTracksEnvelope.authenticatorBytes)
        let status = crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, key)
        precondition(status == 0, "libsodium seals whatever fits into memory")
        return OwnTracksEnvelope(nonce: nonce, box: box)
    }
}

extension Credential {
    /// The key of a device's credential: its number, big-endian.
    package static func key(of device: DeviceNumber) -> [UInt8] {
        let number = UInt32(bitPattern: device.rawValue)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }
}
