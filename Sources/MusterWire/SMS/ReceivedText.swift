import MusterCoding
package import MusterCore

/// A text that a gateway has received from a phone.
package struct ReceivedText: Hashable, Sendable {
    /// The number of the sender, as the gateway writes it.
    package let sender: String
    package let text: String
    /// The gateway's id of the text, the same when the gateway sends it again; nil where it sends none.
    package let id: String?
    /// When the text was sent, by the network's clock; nil where the gateway does not say.
    package let sentAt: Instant?

    /// The longest id of a gateway, in bytes; a longer one counts as none.
    private static let idLimitBytes = 200

    private init?(sender: String?, text: String?, id: String?, time: String?) {
        guard let sender else { return nil }
        self.sender = sender
        self.text = text ?? ""
        self.id = id.flatMap { $0.utf8.count <= Self.idLimitBytes ? $0 : nil }
        sentAt = time.flatMap { Instant(trackerText: $0) }
    }

    /// Reads the form that Twilio posts (https://www.twilio.com/docs/messaging/guides/webhook-request).
    ///
    /// - Returns: nil where it has no sender, or two.
    package init?(twilio form: FormFields) {
        self.init(
            sender: form.text("From"), text: Self.text("Body", in: form), id: form.text("MessageSid", "SmsSid"),
            time: nil)
    }

    /// Reads a form with the fields `from`, `text`, `id` and `time`, as the script behind Gammu posts it.
    ///
    /// - Returns: nil where it has no sender, or two.
    package init?(form: FormFields) {
        self.init(
            sender: form.text("from"), text: Self.text("text", in: form), id: form.text("id"), time: form.text("time"))
    }

    /// The text of a form. A text that comes in several fields is all of them, so that none is lost; what they say
    /// together is hardly ever exactly "safe".
    private static func text(_ name: String, in form: FormFields) -> String? {
        let parts = form.texts(name)
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// Reads what Kannel posts: the text is the body, and all else is in the query of the operator's `post-url`, or in
    /// header fields (https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html).
    ///
    /// - Parameters:
    ///   - query: the fields of the query.
    ///   - sender: the header field `X-Kannel-From`, which Kannel sends if it is set to.
    ///   - time: the header field `X-Kannel-Time`.
    ///   - contentType: the body's media type with its character set; Kannel sends texts in UTF-16, too.
    /// - Returns: nil where there is no sender.
    package init?(kannel query: FormFields, sender: String?, time: String?, body: [UInt8], contentType: String?) {
        self.init(
            sender: query.text("from") ?? sender.flatMap { PercentEncoding.decode($0) },
            text: Self.text(of: body, contentType?.lowercased() ?? ""), id: query.text("id"),
            time: query.text("time") ?? time)
    }

    /// Reads a body as text, whatever its bytes are: a call for help in a wrong character set is still one. What is not
    /// UTF-8 counts as ISO 8859-1, and an odd last byte of UTF-16 is dropped.
    private static func text(of body: [UInt8], _ contentType: String) -> String {
        guard contentType.contains("utf-16") || contentType.contains("ucs-2") else { return String(anyText: body) }
        let isLittle =
            contentType.contains("16le") || (!contentType.contains("16be") && body.starts(with: [0xFF, 0xFE]))
        let units = stride(from: 0, to: body.count - 1, by: 2).map { at in
            let (first, second) = (UInt16(body[at]), UInt16(body[at + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension FormFields {
    /// Reads a form as far as it can be read: a wrong escape stays as it is written, and what is not UTF-8 counts as
    /// ISO 8859-1. So no field is left out that may be a call for help.
    package init(anyForm text: String) {
        guard text.utf8.count <= Self.limitBytes else {
            self.init([])
            return
        }
        self.init(
            text.split(separator: "&").prefix(Self.limit).map { part in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let parts = pair.map { Self.decodeEscapes(String($0).replacing("+", with: " ")) }
                return (parts[0], parts.count > 1 ? parts[1] : "")
            })
    }

    private static func decodeEscapes(_ text: String) -> String {
        if let decoded = PercentEncoding.decode(text) { return decoded }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = Hexadecimal.decode(rest.prefix(2))?.first {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(anyText: bytes)
    }
}

extension String {
    /// Reads bytes as UTF-8, or as ISO 8859-1 where they are not UTF-8.
    fileprivate init(anyText bytes: [UInt8]) {
        self =
            String(utf8: bytes)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
