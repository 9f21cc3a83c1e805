package import MusterCore
package import MusterGeometry

/// One message of an OwnTracks app (https://owntracks.org/booklet/tech/json/).
package enum OwnTracksMessage: Hashable, Sendable {
    case location(OwnTracksLocation)
    case transition(OwnTracksTransition)
    case waypoint(OwnTracksWaypoint)
    /// All waypoints of the phone, sent on request or by hand.
    case waypoints([OwnTracksWaypoint])
    case beacon(OwnTracksBeacon)
    /// The last will: the phone's connection to its broker broke.
    case lastWill(OwnTracksLastWill)
    case card(OwnTracksCard)
    case steps(OwnTracksSteps)
    /// The app's status, as the text of one object.
    case status(String)
    /// A command. Phones only receive commands, so the server ignores one from a phone.
    case command(action: String)
    /// The phone requests something, such as a tour.
    case request(kind: String)
    /// An encrypted message, which the server can read only with the phone's key.
    case encrypted(OwnTracksEnvelope)
    /// A message of another type, which the server ignores.
    case other(type: String)
}

/// A location report.
package struct OwnTracksLocation: Hashable, Sendable {
    /// The fix. Its attributes hold all members that a position has no field for.
    package var position: Position
    /// The MQTT topic that the phone would publish to: `owntracks/alice/phone`.
    package var topic: String?
}

/// A report that the phone entered or left one of its own waypoints, as it believes.
package struct OwnTracksTransition: Hashable, Sendable {
    /// Whether the phone entered; false when it left.
    package var isEntering: Bool
    /// The waypoint's description.
    package var name: String?
    /// When the phone noticed the transition.
    package var sampleTime: Instant
    /// The position of the phone.
    package var coordinate: Coordinate?
    /// The accuracy of that place; nil when unknown.
    package var accuracy: Metres?
    /// The two characters that the phone wants to be shown as.
    package var trackerID: String?
    /// The trigger of the report: `c` circular region, `b` beacon, `l` location.
    package var trigger: String?
}

/// A place or a beacon that the phone watches.
package struct OwnTracksWaypoint: Hashable, Sendable {
    /// The name that people see.
    package var name: String
    /// When it was created, which older phones use as its id.
    package var createdAt: Instant?
    /// Its id; nil when the phone sends none.
    package var regionID: String?
    /// All members of the message, as the text of one object.
    package var body: String
}

/// A last will: the message that a broker sends when the phone's connection breaks.
package struct OwnTracksLastWill: Hashable, Sendable {
    /// About when the connection broke.
    package var sampleTime: Instant?
    /// All members of the message, as the text of one object.
    package var body: String
}

/// A report that the phone ranged a beacon.
package struct OwnTracksBeacon: Hashable, Sendable {
    /// The beacon's proximity UUID.
    package var uuid: BeaconUUID
    /// The number of the group that the beacon belongs to.
    package var major: UInt16
    /// The beacon's number within its group.
    package var minor: UInt16
    /// When the phone ranged it.
    package var sampleTime: Instant
    /// The phone's estimate of the distance.
    package var distance: Metres?
    /// The received signal strength in dBm.
    package var signalStrength: Double?
    /// The class of the distance: 0 unknown, 1 immediate, 2 near, 3 far.
    package var proximity: UInt8?
}

/// A card: how a person wants to be shown to friends.
package struct OwnTracksCard: Hashable, Sendable {
    /// The name that friends see.
    package var name: String?
    /// A picture, PNG or JPEG, in base 64.
    package var face: String?
    /// The two characters that stand for the person.
    package var trackerID: String?
    /// All members of the message, as the text of one object, without a picture that is too large.
    package var body: String
}

/// A count of steps.
package struct OwnTracksSteps: Hashable, Sendable {
    /// When the phone counted.
    package var sampleTime: Instant
    /// The number of steps; nil when the phone does not know it.
    package var steps: Int64?
    /// The beginning of the time counted.
    package var from: Instant?
    /// The end of the time counted.
    package var to: Instant?
    /// All members of the message, as the text of one object.
    package var body: String
}

/// A message encrypted with libsodium's secretbox (XSalsa20-Poly1305). The key is the shared secret, padded with zeros
/// to 32 bytes.
package struct OwnTracksEnvelope: Hashable, Sendable {
    /// The length of the nonce.
    package static let nonceBytes = 24
    /// The length of the authenticator at the beginning of the box.
    package static let authenticatorBytes = 16

    /// A random number that is used only once.
    package var nonce: [UInt8]
    /// The authenticator and the message, encrypted.
    package var box: [UInt8]

    package init(nonce: [UInt8], box: [UInt8]) {
        self.nonce = nonce
        self.box = box
    }
}

/// The MQTT topic of a message: `owntracks/alice/phone`, followed by a further part for some types.
package struct OwnTracksTopic: Hashable, Sendable {
    /// The user's name.
    package var user: String
    /// The device's name.
    package var device: String
    /// The further part, such as `event`, `waypoint` or `cmd`; nil for locations.
    package var suffix: String?

    /// Reads a topic; nil for one that is not of OwnTracks. It ignores a leading slash, which some clients send.
    package init?(_ topic: String) {
        let parts = topic.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0] == "owntracks", !parts[1].isEmpty, !parts[2].isEmpty else {
            return nil
        }
        user = String(parts[1])
        device = String(parts[2])
        suffix = parts.count == 4 ? String(parts[3]) : nil
    }
}
