import CSodium
import MusterWire

/// libsodium's secretbox, XSalsa20-Poly1305, as OwnTracks uses it.
struct SecretBox: Sendable {
    private let key: [UInt8]

    /// How long a key is. Apps pad a shorter secret with zeros.
    static let keyBytes = 32

    /// A box for a shared secret; nil when it is empty or longer than a key.
    init?(secret: [UInt8]) {
        guard (1...Self.keyBytes).contains(secret.count) else { return nil }
        key = secret + Array(repeating: 0, count: Self.keyBytes - secret.count)
    }

    /// What an envelope holds; nil when it was not sealed with this key, or was changed since.
    func open(_ envelope: OwnTracksEnvelope) -> [UInt8]? {
        let macBytes = OwnTracksEnvelope.authenticatorBytes
        guard envelope.nonce.count == OwnTracksEnvelope.nonceBytes, envelope.box.count >= macBytes else { return nil }
        var message = [UInt8](repeating: 0, count: envelope.box.count - macBytes)
        let status = crypto_secretbox_open_easy(
            &message, envelope.box, UInt64(envelope.box.count), envelope.nonce, key)
        return status == 0 ? message : nil
    }

    /// An envelope with a fresh nonce.
    func seal(_ message: [UInt8]) -> OwnTracksEnvelope {
        let nonce = SecretToken.randomBytes(OwnTracksEnvelope.nonceBytes)
        return seal(message, nonce: nonce)
    }

    /// An envelope with a given nonce, which must never be used twice.
    func seal(_ message: [UInt8], nonce: [UInt8]) -> OwnTracksEnvelope {
        var box = [UInt8](repeating: 0, count: message.count + OwnTracksEnvelope.authenticatorBytes)
        let status = crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, key)
        precondition(status == 0, "libsodium seals whatever fits into memory")
        return OwnTracksEnvelope(nonce: nonce, box: box)
    }
}
