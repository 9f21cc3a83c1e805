import MusterCore
import MusterServer
import MusterWire

/// The members of a request that say how a target sends texts; nil for those that are absent.
struct TextsPatch {
    private var gateway: TextSettings.Gateway?
    private var sender: String?
    private var recipients: [TextSettings.Recipient]?
    private var perMinute: Int?
    private var perDay: Int?
    private var lifetimeMinutes: Int?

    /// Reads the members, and records their faults.
    ///
    /// - Parameter isNew: whether the gateway and the recipients are required.
    init(from fields: inout Fields, in directory: Directory, isNew: Bool = false) {
        gateway = fields.word("gateway", isRequired: isNew)
        sender = fields.text("from", limitBytes: TextSettings.senderLimitBytes)
        if let sender, !sender.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            fields.addFault("from", "must be a number, or a name in ASCII")
        }
        perMinute = fields.number("perMinute", in: Self.range(TextSettings.perMinuteRange)).map { Int($0) }
        perDay = fields.number("perDay", in: Self.range(TextSettings.perDayRange)).map { Int($0) }
        lifetimeMinutes = fields.number("lifetimeMinutes", in: Self.range(TextSettings.lifetimeRange)).map { Int($0) }
        let texts = fields.names("to", limit: TextSettings.recipientLimit)
        recipients = texts?.compactMap { text in
            let recipient = TextSettings.Recipient(text, in: directory)
            if recipient == nil {
                fields.addFault(
                    "to",
                    "'\(text.prefix(80))' is neither team:NAME nor leaders:NAME of a team, nor person, nor a "
                        + "number such as +34600111222")
            }
            return recipient
        }
        if isNew ? texts?.isEmpty ?? true : texts?.isEmpty ?? false { fields.addFault("to", "names nobody") }
        // Twilio takes no text without the number that it comes from.
        if isNew, gateway == .twilio, sender == nil { fields.addFault("from", "is required by Twilio") }
    }

    private static func range(_ range: ClosedRange<Int>) -> ClosedRange<Double> {
        Double(range.lowerBound)...Double(range.upperBound)
    }

    /// Whether no member is there.
    var isEmpty: Bool {
        gateway == nil && sender == nil && recipients == nil && perMinute == nil && perDay == nil
            && lifetimeMinutes == nil
    }

    /// The settings with these members in the place of theirs.
    func applied(to former: TextSettings) -> TextSettings {
        var settings = former
        if let gateway { settings.gateway = gateway }
        if let sender { settings.sender = sender.isEmpty ? nil : sender }
        if let recipients { settings.recipients = recipients }
        if let perMinute { settings.perMinute = perMinute }
        if let perDay { settings.perDay = perDay }
        if let lifetimeMinutes { settings.lifetimeMinutes = lifetimeMinutes }
        return settings
    }

    /// The settings of a new target; nil where the gateway or the recipients are absent.
    var settings: TextSettings? {
        guard let gateway, let recipients else { return nil }
        return applied(to: TextSettings(gateway: gateway, recipients: recipients))
    }
}

extension TargetRoutes {
    /// The settings of texts of a new target; nil where they have faults.
    func texts(from fields: inout Fields, in directory: Directory) -> TextSettings? {
        TextsPatch(from: &fields, in: directory, isNew: true).settings
    }
}

extension JSONWriter {
    /// Writes how a target sends texts, and what it sent today.
    mutating func textMembers(_ texts: TextSettings, in directory: Directory, at now: Instant) {
        member("gateway", texts.gateway.rawValue)
        member("from", texts.sender)
        member("to", listing: texts.recipients) { $0.value($1.text(in: directory)) }
        member("perMinute", texts.perMinute)
        member("perDay", texts.perDay)
        member("lifetimeMinutes", texts.lifetimeMinutes)
        member("takenToday", texts.granted(on: now))
    }
}
