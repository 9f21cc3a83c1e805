import ArgumentParser

/// To whom a target of the kind sms sends texts, by which gateway, how fast and how many (docs/sms.md).
struct TextOptions: ParsableArguments, Encodable {
    @Option(help: "Of a target of the kind sms: how its gateway takes a text: twilio, kannel or form.")
    var gateway: String?
    @Option(help: "The number or name that texts come from; of Twilio also the id of a messaging service.")
    var from: String?
    @Option(help: "Who gets texts: team:NAME, leaders:NAME, person (whom the event is about) or a number; repeatable.")
    var to: [String] = []
    @Option(help: "The texts that leave in a minute.") var perMinute: Int?
    @Option(help: "The messages of the network that may leave in a day.") var perDay: Int?
    @Option(help: "The minutes after which a text is not sent any more.") var lifetimeMinutes: Int?

    /// Whether no option was given.
    var isEmpty: Bool {
        gateway == nil && from == nil && to.isEmpty && perMinute == nil && perDay == nil && lifetimeMinutes == nil
    }

    private enum CodingKeys: CodingKey { case gateway, from, to, perMinute, perDay, lifetimeMinutes }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(gateway, forKey: .gateway)
        try container.encodeIfPresent(from, forKey: .from)
        if !to.isEmpty { try container.encode(to, forKey: .to) }
        try container.encodeIfPresent(perMinute, forKey: .perMinute)
        try container.encodeIfPresent(perDay, forKey: .perDay)
        try container.encodeIfPresent(lifetimeMinutes, forKey: .lifetimeMinutes)
    }
}
