import MusterWire

/// Renders an event as one line of text for Slack, and selects the parts of an event that a log may contain.
enum PlainWords {
    static let limitCharacters = 3000
    private static let memberLimit = 20

    /// The body of a Slack message for a delivery: the text made by a rule's template, or a description of the event,
    /// never with a position.
    static func slackMessage(_ body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", String(escaped(text(of: body)).prefix(limitCharacters)))
        writer.endObject()
        return writer.bytes
    }

    /// The delay with which the server learned of the event. Empty for a value from a rule's own input that is not a
    /// valid number.
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

    /// The parts of an event that a log may contain: its kind and its device, user and region, but no position.
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

    /// Escapes the three characters with a meaning in Slack.
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
