import Crypto
import MusterStore

/// The `webhook-id` of a delivery: what a receiver knows a repetition by.
enum WebhookID {
    /// The id of one event for one target entry of one rule.
    ///
    /// Every attempt at a delivery has the same id, also after a restart or a redrive. Two rules, or two target entries
    /// of one rule, that send the same event have different ids: their bodies may differ, and a receiver that discards
    /// known ids must get both. A delivery that no rule asked for, such as a test, has its event's id.
    ///
    /// - Returns: a UUID of version 8 (RFC 9562), of the SHA-256 of the event's id, the rule's name and the entry's id.
    ///   It holds no full stop, which would be taken for the end of the id in what is signed.
    static func of(_ content: NewDelivery) -> String {
        guard content.rule.contains("/") else { return content.event }
        var bytes = Array(SHA256.hash(data: Array("\(content.event)/\(content.rule)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(bytes.hexadecimal)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
