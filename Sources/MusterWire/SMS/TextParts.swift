/// The messages of the network that one text takes. A gateway is paid for each of them.
///
/// A text in GSM's alphabet (3GPP TS 23.038) has 160 characters in one message, or 153 in each of several; any other
/// text has 70, or 67.
package enum TextParts {
    /// The number of messages that a text takes, at least 1.
    package static func count(_ text: String) -> Int {
        let septets = gsmLength(of: text)
        let (length, alone, joined) = septets.map { ($0, 160, 153) } ?? (text.utf16.count, 70, 67)
        return length <= alone ? 1 : (length + joined - 1) / joined
    }

    /// A text that takes at most so many messages: the text itself, or its beginning and three full stops.
    ///
    /// - Complexity: O(characters).
    package static func cut(_ text: String, to limit: Int) -> String {
        if count(text) <= limit { return text }
        // No message has more characters than 160, and each takes at least one unit of a message.
        var cut = String(text.prefix(160 * limit))
        let length = { (cut: String) in
            gsmLength(of: cut + "...").map { ($0, 160, 153) } ?? (cut.utf16.count + 3, 70, 67)
        }
        while !cut.isEmpty {
            let (units, alone, joined) = length(cut)
            let most = limit == 1 ? alone : joined * limit
            if units <= most { break }
            cut.removeLast(max(1, (units - most) / 8))
        }
        return cut + "..."
    }

    /// Whether a text is in GSM's alphabet.
    package static func isGSM(_ text: String) -> Bool { gsmLength(of: text) != nil }

    /// The length of a text in GSM's alphabet, where some characters count twice; nil when it has others.
    private static func gsmLength(of text: String) -> Int? {
        var length = 0
        for scalar in text.unicodeScalars {
            if basic.contains(scalar) {
                length += 1
            } else if extended.contains(scalar) {
                length += 2
            } else {
                return nil
            }
        }
        return length
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}
