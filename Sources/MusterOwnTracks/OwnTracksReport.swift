import Foundation
import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
package import MusterWire

/// The user and device that an app names in addition to its credential: in headers; in the query, as for the Recorder;
/// or in the path after `/owntracks` or `/pub`.
package struct OwnTracksSender: Equatable, Sendable {
    var user: String?
    var device: String?
    /// The names in the path have the lowest priority, because a person typed them into the app.
    var userInPath: String?
    var deviceInPath: String?

    /// Makes the sender that the topic of an MQTT message names.
    package init(_ topic: OwnTracksTopic) {
        user = topic.user
        device = topic.device
    }

    /// The sender as a topic of the apps' MQTT mode, for people.
    package var topic: String {
        "owntracks/\(user ?? userInPath ?? "-")/\(device ?? deviceInPath ?? "-")"
    }

    init(_ request: Request) {
        let query = Query(request)
        user = request.headers[.limitUser] ?? query.text("u")
        device = request.headers[.limitDevice] ?? query.text("d")
        takePath(request.uri.path)
    }

    /// Parses `/owntracks/alice/phone`, also where a proxy added another `/pub` or `/owntracks` before it.
    private mutating func takePath(_ path: String) {
        let names = path.split(separator: "/").drop { $0 == "owntracks" || $0 == "pub" }
            .map { PercentEncoding.decode($0) ?? String($0) }
        guard names.count == 2 else { return }
        userInPath = names[0]
        deviceInPath = names[1]
    }
}

/// One request of an app, sorted into observations.
struct OwnTracksReport {
    private let sender: OwnTracksSender
    private let receivedAt: Instant
    /// The positions of the device, in order.
    private(set) var positions: [Position] = []
    /// The beacons that the device saw.
    private(set) var sightings: [Sighting] = []
    /// The beacon regions that the phone's operating system reports as entered or left.
    private(set) var transitions: [OwnTracksTransition] = []
    /// The device's notes about itself.
    private(set) var notes: [DeviceNote] = []
    /// Why a message could not be read or decrypted, the first of them; nil when all could.
    private(set) var fault: String?
    /// The names of events to count.
    private(set) var events: [StaticString] = []
    private var topic: OwnTracksTopic?
    private var envelopes: [OwnTracksEnvelope] = []

    init(_ request: OwnTracksRequest, sender: OwnTracksSender, receivedAt: Instant) {
        self.sender = sender
        self.receivedAt = receivedAt
        addMessages(request)
    }

    /// Whether some messages must be decrypted first.
    var isSealed: Bool { !envelopes.isEmpty }

    /// The named user: from the header, the topic or the path.
    var userName: String? { sender.user ?? topic?.user ?? sender.userInPath }

    /// The named device: from the header, the topic or the path, as a valid entity name. Characters that a name may not
    /// contain become hyphens.
    var deviceName: String {
        let name =
            [sender.device, topic?.device, sender.deviceInPath].lazy.compactMap { $0 }
            .first { !$0.isEmpty } ?? "phone"
        let kept = name.unicodeScalars.prefix(EntityName.limit).map { scalar in
            EntityName.isValid("a\(scalar)") ? Character(scalar) : "-"
        }
        let result = String(kept)
        return EntityName.isValid(result) ? result : "phone"
    }

    /// The number of observations.
    var count: Int { positions.count + sightings.count + transitions.count + notes.count }

    /// The observations with a plausible sample time: neither before `earliest` nor after `latest`. Notes may be of any
    /// age, because a waypoint has the time at which it was made. A position whose device's clock is ahead is stored,
    /// because it shows the clock's offset.
    ///
    /// - Parameter region: returns the beacon region that a transition is about; nil when there is none.
    func observations(
        of device: DeviceNumber, by reporter: UserNumber?, from earliest: Instant, to latest: Instant,
        region: (OwnTracksTransition) -> RegionNumber?
    ) -> [Observation] {
        func isTimely(_ time: Instant) -> Bool { earliest <= time && time <= latest }
        let timelyNotes = notes.filter { note in note.sampleTime.map { $0 <= latest } ?? true }
        let timelyPositions = positions.filter { earliest <= $0.sampleTime }.map { position in
            var position = position
            position.reporter = reporter
            return position
        }
        let told = transitions.filter { isTimely($0.sampleTime) }.map { transition -> Observation in
            var listening = Listening(sampleTime: transition.sampleTime, receivedTime: receivedAt)
            if let region = region(transition) {
                listening.outcome = transition.isEntering ? .entered(region) : .left(region)
            }
            return .listening(listening, of: device)
        }
        return timelyPositions.map { .position($0, of: device) }
            + sightings.filter { isTimely($0.sampleTime) }.map { .sighting($0, of: device) } + told
            + timelyNotes.map { .note($0, of: device) }
    }

    /// Decrypts the encrypted messages. Envelopes that this key does not open, or that hold no message, are counted and
    /// skipped: the app encrypted them with an earlier key, and would send them forever.
    mutating func open(with box: SecretBox) {
        let sealed = envelopes
        envelopes = []
        for envelope in sealed {
            guard let message = box.open(envelope),
                let request = try? OwnTracksRequest(parsing: message, receivedAt: receivedAt)
            else {
                events.append("owntracks_unopened")
                fault = fault ?? "The device's key does not open it."
                continue
            }
            addMessages(request)
        }
        // An envelope within an envelope is ignored.
        envelopes = []
    }

    private mutating func addMessages(_ request: OwnTracksRequest) {
        for _ in request.faults { events.append("owntracks_malformed") }
        if let first = request.faults.first { fault = fault ?? "\(first.pointer): \(first.reason)." }
        for message in request.messages { addMessage(message) }
    }

    /// Adds a message's notes, up to the limit of one request.
    private mutating func addNote(_ message: OwnTracksMessage, counted event: StaticString) {
        events.append(event)
        let said = message.notes(receivedAt: receivedAt)
        let taken = said.prefix(OwnTracksRequest.messageLimit - notes.count)
        notes += taken
        if taken.count < said.count { events.append("owntracks_too_many") }
    }

    /// Sorts every kind of message that an app sends. An app's transition of a place is used only for its position,
    /// because the server alone decides crossings of places.
    private mutating func addMessage(_ message: OwnTracksMessage) {
        switch message {
        case .location(let location):
            positions.append(location.position)
            if let text = location.topic, topic == nil { topic = OwnTracksTopic(text) }
        case .transition(let transition):
            // An app's own crossing of a place is not a crossing in Muster, but the position sent with it counts.
            // Crossings of beacon regions do count: the phone's operating system detects them even while the app
            // sleeps.
            events.append("owntracks_transition")
            if transition.trigger == "b" { transitions.append(transition) }
            if let position = transition.position(receivedAt: receivedAt) { positions.append(position) }
        case .encrypted(let envelope): envelopes.append(envelope)
        case .beacon(let beacon):
            events.append("owntracks_beacon")
            sightings.append(beacon.sighting(receivedAt: receivedAt))
        case .waypoint, .waypoints: addNote(message, counted: "owntracks_waypoint")
        case .lastWill: addNote(message, counted: "owntracks_lwt")
        case .card: addNote(message, counted: "owntracks_card")
        case .steps: addNote(message, counted: "owntracks_steps")
        case .status: addNote(message, counted: "owntracks_status")
        case .command, .request, .other: events.append("owntracks_other")
        }
    }
}

extension OwnTracksTransition {
    /// The phone's position at that crossing; nil when the message has none.
    fileprivate func position(receivedAt: Instant) -> Position? {
        guard let coordinate else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", isEntering ? "enter" : "leave")
        writer.member("desc", name)
        writer.member("tid", trackerID)
        writer.endObject()
        return Position(
            coordinate: coordinate, sampleTime: sampleTime, receivedTime: receivedAt, accuracy: accuracy,
            source: .ownTracks, attributes: String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension HTTPField.Name {
    /// The user, in the header that OwnTracks apps send.
    static let limitUser = HTTPField.Name("X-Limit-U")!
    /// The device, in the header that OwnTracks apps send.
    static let limitDevice = HTTPField.Name("X-Limit-D")!
}
