package import MusterCore
import MusterWire

/// The settings of a target that sends texts: by which gateway, to whom, how fast and how many.
package struct TextSettings: Hashable, Sendable {
    /// The form in which a gateway takes a text.
    package enum Gateway: String, CaseIterable, Sendable {
        /// Twilio's Messages resource (https://www.twilio.com/docs/messaging/api/message-resource).
        case twilio
        /// Kannel's `sendsms` (https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, chapter 6).
        case kannel
        /// A form with `to`, `text` and `id`, for a program of the operator's own.
        case form
    }

    /// Those who get the texts.
    package enum Recipient: Hashable, Sendable {
        /// Everyone of a team who has a number.
        case team(TeamNumber)
        /// The leaders of a team.
        case leaders(of: TeamNumber)
        /// The person that the event is about.
        case person
        /// A number, in international form.
        case number(String)
    }

    package var gateway: Gateway
    /// The number or name that the texts come from; nil for the gateway's own.
    package var sender: String?
    package var recipients: [Recipient]
    /// The number of texts that leave in a minute.
    package var perMinute = 60
    /// The number of the network's messages (`TextParts`) that may leave in a day (UTC).
    package var perDay = 500
    /// Minutes after which a text is not sent any more: a late call misleads.
    package var lifetimeMinutes = 60
    /// What was granted of a day's budget.
    package var grant = Grant()

    /// A part of a day's budget that was taken.
    package struct Grant: Hashable, Sendable {
        /// The day, counted from 1970-01-01 (UTC).
        package var day: Int64 = 0
        package var parts = 0
    }

    package static let perMinuteRange = 1...6_000
    package static let perDayRange = 1...1_000_000
    package static let lifetimeRange = 1...1_440
    package static let recipientLimit = 100
    package static let senderLimitBytes = 64

    package init(gateway: Gateway, recipients: [Recipient]) {
        self.gateway = gateway
        self.recipients = recipients
    }

    /// The day of a moment, as `Grant` counts.
    static func day(of moment: Instant) -> Int64 { Int64((Double(moment.milliseconds) / 86_400_000).rounded(.down)) }

    /// The parts of a day's budget that were granted.
    package func granted(on moment: Instant) -> Int { grant.day == Self.day(of: moment) ? grant.parts : 0 }

    /// Takes parts of a day's budget. A moment of the day before the stored one takes of the stored day: it was read
    /// before midnight.
    ///
    /// - Returns: as many as were wanted, or the rest of the budget.
    mutating func take(_ wanted: Int, at moment: Instant) -> Int {
        let day = Self.day(of: moment)
        if grant.day != day, grant.day != day + 1 { grant = Grant(day: day) }
        let taken = max(0, min(wanted, perDay - grant.parts))
        grant.parts += taken
        return taken
    }
}

extension TextSettings.Recipient {
    /// Reads `team:NAME`, `leaders:NAME`, `person` or an international number.
    ///
    /// - Returns: nil when the text is none of these; a team that does not exist is none.
    package init?(_ text: String, in directory: Directory) {
        self.init(text) { directory.teams[String($0)]?.number }
    }

    /// The text that names the recipient; a team that was removed is a question mark.
    package func text(in directory: Directory) -> String { text { directory.teams[$0]?.name ?? "?" } }

    /// Reads what `text` wrote with the numbers of teams.
    fileprivate init?(stored text: String) { self.init(text) { Int32($0).map { TeamNumber($0) } } }

    fileprivate var stored: String { text { "\($0.rawValue)" } }

    private init?(_ text: String, team: (Substring) -> TeamNumber?) {
        let parts = text.split(separator: ":", maxSplits: 1)
        switch parts.count == 2 ? (parts[0], team(parts[1])) : ("", nil) {
        case ("team", let team?): self = .team(team)
        case ("leaders", let team?): self = .leaders(of: team)
        default:
            if text == "person" {
                self = .person
            } else if text.hasPrefix("+"), let number = PhoneNumber(text)?.dialled {
                self = .number(number)
            } else {
                return nil
            }
        }
    }

    private func text(_ name: (TeamNumber) -> String) -> String {
        switch self {
        case .team(let team): "team:" + name(team)
        case .leaders(let team): "leaders:" + name(team)
        case .person: "person"
        case .number(let number): number
        }
    }
}

// MARK: Storing

extension TextSettings {
    /// Writes the settings as a JSON object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("gateway", gateway.rawValue)
        writer.member("sender", sender)
        writer.member("to", listing: recipients) { $0.value($1.stored) }
        writer.member("perMinute", perMinute)
        writer.member("perDay", perDay)
        writer.member("lifetimeMinutes", lifetimeMinutes)
        writer.member("day", grant.day)
        writer.member("parts", grant.parts)
        writer.endObject()
    }

    /// Reads settings that were stored; nil for anything else.
    init?(stored value: JSONValue) {
        guard let gateway = value["gateway"]?.string.flatMap(Gateway.init), let elements = value["to"]?.elements else {
            return nil
        }
        self.gateway = gateway
        sender = value["sender"]?.string
        recipients = elements.compactMap { $0.string.flatMap { Recipient(stored: $0) } }
        perMinute = value["perMinute"]?.integer.map { Int($0) } ?? perMinute
        perDay = value["perDay"]?.integer.map { Int($0) } ?? perDay
        lifetimeMinutes = value["lifetimeMinutes"]?.integer.map { Int($0) } ?? lifetimeMinutes
        grant = Grant(day: value["day"]?.integer ?? 0, parts: value["parts"]?.integer.map { Int($0) } ?? 0)
    }
}
