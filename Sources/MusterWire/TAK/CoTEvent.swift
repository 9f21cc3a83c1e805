package import MusterCore
package import MusterGeometry

/// An event of Cursor on Target as a TAK client sent it: what something is, where, and from when to when it holds.
///
/// Source: MITRE, "Cursor on Target Message Router User's Guide" (MP 090284), and what ATAK, iTAK and WinTAK send.
package struct CoTEvent: Hashable, Sendable {
    /// Names the thing that the event is about. The sender chose it, so it proves nothing.
    package var uid: String
    /// What the thing is: words of a hierarchy, joined by hyphens.
    package var type: String
    /// How the sender came to know the place; empty where it does not say.
    package var how: String
    /// When the sender made the event.
    package var time: Instant
    /// The time until which the event holds, as its sender says.
    package var stale: Instant
    /// The place; nil where the sender does not know it.
    package var point: Point?
    package var detail = Detail()

    /// A place with its errors.
    package struct Point: Hashable, Sendable {
        package var coordinate: Coordinate
        /// Metres above the ellipsoid; nil when unknown.
        package var height: Double?
        /// The circular error in metres; nil when unknown.
        package var error: Double?
    }

    /// What Muster reads of an event's details.
    package struct Detail: Hashable, Sendable {
        /// The name that the sender shows to others; nil where it has none.
        package var callsign: String?
        /// Whether the event says which software sent it (`takv`), or of which team its person is (`__group`): an
        /// event about the sender itself.
        package var isOfSender = false
        /// The charge of the battery in per cent.
        package var battery: Double?
        /// In metres a second.
        package var speed: Double?
        /// In degrees from north.
        package var course: Double?
        /// Whether the event ends an emergency.
        package var endsEmergency = false
        /// The kind of emergency, in the client's words.
        package var emergency: String?
        /// The version of TAK's protocol that the client asks for.
        package var requestedVersion: Int?
    }

    /// The largest number of bytes of an event.
    package static let limitBytes = 64 << 10
    static let uidLimitBytes = 200
    static let textLimitBytes = 200

    /// The beginning of the types of alerts, and of their ends.
    static let alerts = "b-a-o-"
    /// The time of an alert that states none that can be read.
    static let unknownTime = Instant(milliseconds: 0)

    /// What stands for an unknown height or error.
    static let unknown = 9_999_999.0
}

extension CoTEvent {
    /// Whether the event calls for help. TAK's clients have a few kinds of alert; each is one of a person.
    package var isCall: Bool {
        type.hasPrefix(Self.alerts) && type != Self.endOfCall && !detail.endsEmergency
    }

    /// Whether the event ends a call for help.
    package var endsCall: Bool { type == Self.endOfCall || (type.hasPrefix(Self.alerts) && detail.endsEmergency) }

    /// Whether the event is about a thing on the map, such as a person.
    package var isAtom: Bool { type.hasPrefix("a-") }

    /// Whether the event says where its sender is, and not where something is that the sender drew: the sender's
    /// software names itself, or a machine made the event.
    package var isReport: Bool { isAtom && (detail.isOfSender || how.hasPrefix("m-")) }

    /// Whether the event is about a person or a vehicle of the sender's side on the ground, by its type.
    package var isOnGround: Bool { type == "a-f-G" || type.hasPrefix("a-f-G-") }

    /// Whether a person set the place on the map, so no machine found it.
    package var isPlacedByHand: Bool { how.hasPrefix("h-") }

    /// The type of the event that asks the server to answer.
    package static let ping = "t-x-c-t"
    /// The type of the event that asks for a version of TAK's protocol.
    package static let versionRequest = "t-x-takp-q"
    private static let endOfCall = "b-a-o-can"

    /// The position that the event reports; nil where its place is unknown.
    package func position(receivedAt now: Instant) -> Position? {
        guard let point else { return nil }
        let attributes = JSONWriter.object { writer in
            writer.member("uid", uid)
            writer.member("type", type)
            if !how.isEmpty { writer.member("how", how) }
            if let callsign = detail.callsign { writer.member("callsign", callsign) }
        }
        return Position(
            tracked: point.coordinate, at: time, receivedAt: now, accuracy: point.error, altitude: point.height,
            speed: detail.speed, heading: detail.course, battery: detail.battery, source: .tak,
            attributes: String(decoding: attributes, as: UTF8.self))
    }
}

/// Why an event cannot be read.
package enum CoTError: Error, Hashable, Sendable, CustomStringConvertible {
    case xml(XMLError)
    /// An element or an attribute that every event has is missing.
    case missing(StaticString)
    /// A member cannot be read.
    case invalid(StaticString)
    /// The event has more bytes than `CoTEvent.limitBytes`.
    case tooLarge
    /// The bytes are no message of TAK's protocol 1.
    case notAMessage

    package var description: String {
        switch self {
        case .xml(let error): "line \(error.line): \(error.reason)"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name): "\(name) cannot be read"
        case .tooLarge: "more than \(CoTEvent.limitBytes) bytes"
        case .notAMessage: "no message of TAK's protocol 1"
        }
    }

    package static func == (left: CoTError, right: CoTError) -> Bool { "\(left)" == "\(right)" }

    package func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
}
