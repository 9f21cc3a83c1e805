package import MusterCore
package import MusterGeometry

/// What an OwnTracks app says, in one message (https://owntracks.org/booklet/tech/json/).
package enum OwnTracksMessage: Hashable, Sendable {
    case location(OwnTracksLocation)
    case transition(OwnTracksTransition)
    case waypoint(OwnTracksWaypoint)
    /// All waypoints of the phone, when it was asked for them or a person sent them.
    case waypoints([OwnTracksWaypoint])
    case beacon(OwnTracksBeacon)
    /// The last will: the connection broke.
    case lastWill(OwnTracksLastWill)
    case card(OwnTracksCard)
    case steps(OwnTracksSteps)
    /// What the app says about itself, as the text of one object.
    case status(String)
    /// A command; phones receive them, so one that a phone sends is ignored.
    case command(action: String)
    /// The phone asks for something, a tour say.
    case request(kind: String)
    /// A message that only who has the key can read.
    case encrypted(OwnTracksEnvelope)
    /// A type that means nothing here; ignored.
    case other(type: String)
}

/// Where the phone is.
package struct OwnTracksLocation: Hashable, Sendable {
    /// The fix. Its attributes hold all that the message says beyond what a position knows.
    package var position: Position
    /// Two characters that the phone wants to be shown as.
    package var trackerID: String?
    /// Where the phone would publish: `owntracks/alice/phone`.
    package var topic: String?
    /// Why it was sent: `p` ping, `c` circular region, `C` follow region, `b` beacon, `r` response, `u` by hand,
    /// `t` timer, `v` visit.
    package var trigger: String?
}

/// The phone believes that it entered or left one of its own waypoints.
package struct OwnTracksTransition: Hashable, Sendable {
    /// Whether it entered; else it left.
    package var isEntering: Bool
    /// The waypoint's description.
    package var name: String?
    /// The waypoint's id, where the phone gives one.
    package var regionID: String?
    /// When the waypoint was made, which older phones use as its id.
    package var waypointTime: Instant?
    /// When it noticed.
    package var sampleTime: Instant
    /// Where it was.
    package var coordinate: Coordinate?
    /// How sure it is of that; nil when unknown.
    package var accuracy: Metres?
    /// Two characters that the phone wants to be shown as.
    package var trackerID: String?
    /// `c` circular region, `b` beacon, `l` location.
    package var trigger: String?
}

/// A place or a beacon that the phone watches.
package struct OwnTracksWaypoint: Hashable, Sendable {
    /// What a person calls it.
    package var name: String
    /// When it was made, which is also its id to older phones.
    package var createdAt: Instant?
    /// Its id, where the phone gives one.
    package var regionID: String?
    /// The middle of a place; nothing of worth where it is a beacon.
    package var coordinate: Coordinate?
    /// nil when the phone does not watch it.
    package var radius: Metres?
    /// The beacon's UUID, when it is one.
    package var uuid: String?
    /// nil is any.
    package var major: UInt16?
    /// nil is any.
    package var minor: UInt16?
    /// All that it says, as the text of one object.
    package var body: String
}

/// What was left with a broker for the case that the phone's connection breaks.
package struct OwnTracksLastWill: Hashable, Sendable {
    /// About when it broke.
    package var sampleTime: Instant?
    /// All that it says, as the text of one object.
    package var body: String
}

/// The phone ranged a beacon.
package struct OwnTracksBeacon: Hashable, Sendable {
    /// The beacon's proximity UUID.
    package var uuid: BeaconUUID
    /// The larger group that it belongs to.
    package var major: UInt16
    /// Which of the group it is.
    package var minor: UInt16
    /// When it was ranged.
    package var sampleTime: Instant
    /// The phone's estimate.
    package var distance: Metres?
    /// Received signal strength in dBm.
    package var signalStrength: Double?
    /// 0 unknown, 1 immediate, 2 near, 3 far.
    package var proximity: UInt8?
    /// Two characters that the phone wants to be shown as.
    package var trackerID: String?
}

/// How a person is shown to friends.
package struct OwnTracksCard: Hashable, Sendable {
    /// What friends call the person.
    package var name: String?
    /// A picture, PNG or JPEG, in base 64.
    package var face: String?
    /// Two characters that stand for the person.
    package var trackerID: String?
    /// All that it says, as the text of one object; without a picture that is too large.
    package var body: String
}

/// How far the phone walked.
package struct OwnTracksSteps: Hashable, Sendable {
    /// When the phone counted.
    package var sampleTime: Instant
    /// How many; nil when the phone does not know.
    package var steps: Int64?
    /// The beginning of the time counted.
    package var from: Instant?
    /// The end of the time counted.
    package var to: Instant?
    /// All that it says, as the text of one object.
    package var body: String
}

/// A message under libsodium's secretbox (XSalsa20-Poly1305); the key is the shared secret, padded with zeros to
/// 32 bytes.
package struct OwnTracksEnvelope: Hashable, Sendable {
    /// How long the nonce is.
    package static let nonceBytes = 24
    /// How long the authenticator at the box's beginning is.
    package static let authenticatorBytes = 16

    /// Random, given once.
    package var nonce: [UInt8]
    /// The authenticator and the message, encrypted.
    package var box: [UInt8]

    /// An envelope of a nonce and a box.
    package init(nonce: [UInt8], box: [UInt8]) {
        self.nonce = nonce
        self.box = box
    }
}

/// Where a message is published: `owntracks/alice/phone`, with a part behind it for some types.
package struct OwnTracksTopic: Hashable, Sendable {
    /// Whose it is.
    package var user: String
    /// What published it.
    package var device: String
    /// `event`, `waypoint`, `cmd` and so on; nil for locations.
    package var suffix: String?

    /// Reads a topic; nil when it is none of OwnTracks. A leading slash, which some clients send, is passed over.
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
