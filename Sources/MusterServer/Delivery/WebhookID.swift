import Crypto
import MusterCoding
import MusterStore

/// The `webhook-id` of a delivery. A receiver uses it as an idempotency key, to recognize a repeated delivery.
enum WebhookID {
    /// Returns the id of one event for one target entry of one rule.
    ///
    /// Every attempt at a delivery has the same id, also after a restart or a redrive. Two rules, or two target entries
    /// of one rule, that send the same event have different ids: their bodies may differ, and a receiver that discards
    /// known ids must receive both. A delivery that no rule requested, such as a test, has its event's id.
    ///
    /// - Returns: a UUID of version 8 (RFC 9562), made from the SHA-256 of the event's id, the rule's name and the
    ///   entry's id. It contains no full stop, which would end the id in the signed text.
    static func of(_ content: NewDelivery) -> String {
        guard content.rule.contains("/") else { return content.event }
        var bytes = Array(SHA256.hash(data: Array("\(content.event)/\(content.rule)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hexadecimal.uuid(bytes.hexadecimal.utf8)
    }
}
