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
            sender: form.text("From"), text: form.text("Body"), id: form.text("MessageSid", "SmsSid"), time: nil)
    }

    /// Reads a form with the fields `from`, `text`, `id` and `time`, as the script behind Gammu posts it.
    ///
    /// - Returns: nil where it has no sender, or two.
    package init?(form: FormFields) {
        self.init(sender: form.text("from"), text: form.text("text"), id: form.text("id"), time: form.text("time"))
    }

    /// Reads what Kannel posts: the text is the body, and all else is in the query of the operator's `post-url`, or in
    /// header fields (https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html).
    ///
    /// - Parameters:
    ///   - query: the fields of the query.
    ///   - sender: the header field `X-Kannel-From`, which Kannel sends if it is set to.
    ///   - time: the header field `X-Kannel-Time`.
    ///   - contentType: the body's media type with its character set; Kannel sends texts in UTF-16, too.
    /// - Returns: nil where there is no sender, or the body is no text.
    package init?(kannel query: FormFields, sender: String?, time: String?, body: [UInt8], contentType: String?) {
        guard let text = Self.text(of: body, contentType?.lowercased() ?? "") else { return nil }
        self.init(
            sender: query.text("from") ?? sender.flatMap { PercentEncoding.decode($0) },
            text: text, id: query.text("id"), time: query.text("time") ?? time)
    }

    private static func text(of body: [UInt8], _ contentType: String) -> String? {
        guard contentType.contains("utf-16") || contentType.contains("ucs-2") else {
            return String(validating: body, as: UTF8.self)
        }
        guard body.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: body.count, by: 2).map { UInt16(body[$0]) << 8 | UInt16(body[$0 + 1]) }
        return String(validating: units, as: UTF16.self)
    }
}
