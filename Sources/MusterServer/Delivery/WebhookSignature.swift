import Crypto
import MusterCoding
import MusterCore

/// Signs as Standard Webhooks 1.0 specifies: HMAC-SHA256 over `id.timestamp.body`. Because the id and the time are
/// signed, a receiver that checks both is safe from a replay attack.
enum WebhookSignature {
    /// Returns the three header fields of an attempt.
    ///
    /// - Parameters:
    ///   - id: the delivery's id, the same for every attempt; see `WebhookID`.
    ///   - keys: one key, or two while a secret is being replaced. A receiver that knows either accepts the delivery.
    static func headers(
        id: String, at now: Instant, body: [UInt8], keys: [[UInt8]]
    ) -> [(name: String, value: String)] {
        let seconds = now.milliseconds / 1000
        let signed = Array("\(id).\(seconds).".utf8) + body
        let signatures = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
            return "v1," + Base64.encode(Array(code))
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}

/// A secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64.
package struct WebhookSecret: Hashable, Sendable {
    package static let prefix = "whsec_"

    package let key: [UInt8]

    /// Makes a secret of 32 random bytes.
    package init() { key = SecretToken.randomBytes(32) }

    /// Parses a secret; nil when the text is not one.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Base64.decode(String(text.dropFirst(Self.prefix.count))),
            (24...64).contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The text form, which is shown once.
    package var text: String { Self.prefix + Base64.encode(key) }
}
