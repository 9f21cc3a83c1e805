package import MusterCore
import MusterWire

/// Until when a message that a client published may be sent to subscribers: MQTT's Message Expiry Interval (MQTT 5.0,
/// section 3.3.2.3.3).
///
/// The time is stored as a member of what the message reported, so that it holds across restarts and for subscribers
/// that were away. It ends nothing but the sending: the report itself is stored and counts as any other.
package enum MessageExpiry {
    /// The name of the member in a position's attributes, a note's body and a signal's values.
    package static let member = "messageExpiresAt"

    /// Returns an observation that also says until when its message may be sent; unchanged where there is no room, and
    /// for an observation that no message is made of.
    package static func mark(_ observation: Observation, until end: Instant) -> Observation {
        switch observation {
        case .position(var position, let device):
            position.attributes = text(position.attributes ?? "{}", with: end)
            return .position(position, of: device)
        case .note(var note, let device) where note.name.kind == .card:
            let body = text(note.body, with: end)
            if body.utf8.count <= DeviceNote.bodyLimitBytes { note.body = body }
            return .note(note, of: device)
        case .signal(var signal, let device):
            if signal.values.count < Signal.valueLimit, !signal.values.contains(where: { $0.key == member }) {
                signal.values.append(Signal.Value(member, end.rfc3339))
            }
            return .signal(signal, of: device)
        default: return observation
        }
    }

    /// Adds the member to the text of a JSON object. Its end is the last brace.
    private static func text(_ object: String, with end: Instant) -> String {
        guard let brace = object.lastIndex(of: "}"), let value = try? JSONValue(parsing: Array(object.utf8)),
            let members = value.members, !members.contains(where: { $0.key == member })
        else { return object }
        return object[..<brace] + (members.isEmpty ? "" : ",") + "\"\(member)\":\"\(end.rfc3339)\"}"
    }

    /// Until when the message of a position or note may be sent; nil for no limit.
    package static func end(in object: String?) -> Instant? {
        guard let object, object.contains(member) else { return nil }
        return (try? JSONValue(parsing: Array(object.utf8)))?[member]?.string.flatMap { try? Instant(rfc3339: $0) }
    }

    /// Until when the message of a signal may be sent; nil for no limit.
    package static func end(of signal: Signal) -> Instant? {
        signal.values.first { $0.key == member }.flatMap { try? Instant(rfc3339: $0.text) }
    }

    /// The whole seconds for which a message may still be sent. Subscribers get this interval: the client's, less the
    /// time that the message waited.
    ///
    /// - Returns: nil once the message has expired.
    package static func secondsLeft(until end: Instant, at now: Instant) -> UInt32? {
        let seconds = end.seconds(since: now)
        return seconds > 0 ? UInt32(clamping: Int64(min(seconds, 4e9).rounded(.up))) : nil
    }
}
