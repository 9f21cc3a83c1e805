import MusterWire

/// An event in a line that a person reads, for Slack; and what of it may stand in a log.
enum PlainWords {
    static let limitCharacters = 3000
    private static let memberLimit = 20

    /// The body of a Slack message about a delivery's body: the text that a rule's template made, or the event told in
    /// words, never with a position.
    static func slackMessage(_ body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", String(escaped(text(of: body)).prefix(limitCharacters)))
        writer.endObject()
        return writer.bytes
    }

    /// How late an event was heard of; nothing for what a rule's own input says that is no time.
    private static func delay(_ seconds: Double?) -> String {
        let minutes = seconds.flatMap { Int(exactly: ($0 / 60).rounded(.down)) }
        return minutes.map { ", heard of \($0) min later" } ?? ""
    }

    /// A delivery's body as a line of text.
    static func text(of body: [UInt8]) -> String {
        guard let json = try? JSONValue(parsing: body) else { return String(decoding: body, as: UTF8.self) }
        if let text = json.string { return text }
        if let text = json["text"]?.string { return text }
        guard let type = json["detail-type"]?.string, let detail = json["detail"] else {
            return String(decoding: body, as: UTF8.self)
        }
        let lateness = delay(json["delay-seconds"]?.number)
        let time = json["time"]?.string.map { " at \($0)\(lateness)" } ?? ""
        if let kind = detail["EventType"]?.string, let device = detail["DeviceId"]?.string,
            let region = detail["GeofenceId"]?.string
        {
            return "\(kind): \(device), \(region)\(time)"
        }
        let members = (detail.members ?? []).prefix(memberLimit).compactMap { member -> String? in
            guard let value = member.value.string ?? member.value.boolean.map({ "\($0)" }) else { return nil }
            return "\(member.key) \(value)"
        }
        return ([type + time] + [members.joined(separator: ", ")]).filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// What a log may say of an event: what kind it is and whose, not where.
    static func logged(_ body: [UInt8]) -> [String: String] {
        guard let json = try? JSONValue(parsing: body) else { return [:] }
        let detail = json["detail"]
        let members: [(String, String?)] = [
            ("source", json["source"]?.string), ("type", json["detail-type"]?.string), ("time", json["time"]?.string),
            ("event-type", detail?["EventType"]?.string), ("device", detail?["DeviceId"]?.string),
            ("region", detail?["GeofenceId"]?.string), ("user", detail?["User"]?.string),
            ("state", detail?["State"]?.string),
        ]
        return members.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The three characters that Slack gives a meaning.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }
}
