import Foundation
import HTTPTypes
import Hummingbird
import MusterCore
import MusterWire

/// Who an app says it is, beside its credential: by headers; as the Recorder has it, in the query; or by what stands in
/// the address behind `/owntracks` or `/pub`.
struct OwnTracksSender: Equatable {
    var user: String?
    var device: String?
    /// What the address names counts least: a person typed it into the app.
    var userInPath: String?
    var deviceInPath: String?

    init(user: String?, device: String?) {
        self.user = user
        self.device = device
    }

    init(_ request: Request) {
        let query = Query(request)
        user = request.headers[.limitUser] ?? query.text("u")
        device = request.headers[.limitDevice] ?? query.text("d")
        takePath(request.uri.path)
    }

    /// Reads `/owntracks/alice/phone`, also where a proxy put `/pub` or `/owntracks` before it once more.
    private mutating func takePath(_ path: String) {
        let names = path.split(separator: "/").drop { $0 == "owntracks" || $0 == "pub" }
            .map { $0.removingPercentEncoding ?? String($0) }
        guard names.count == 2 else { return }
        userInPath = names[0]
        deviceInPath = names[1]
    }
}

/// One request of an app, sorted into what Muster observes.
struct OwnTracksReport {
    private let sender: OwnTracksSender
    private let receivedAt: Instant
    /// Where the device was, in order.
    private(set) var positions: [Position] = []
    /// Which beacons it saw.
    private(set) var sightings: [Sighting] = []
    /// What it says of itself.
    private(set) var notes: [DeviceNote] = []
    /// What is worth counting, by name.
    private(set) var events: [StaticString] = []
    private var topic: OwnTracksTopic?
    private var envelopes: [OwnTracksEnvelope] = []

    init(_ request: OwnTracksRequest, sender: OwnTracksSender, receivedAt: Instant) {
        self.sender = sender
        self.receivedAt = receivedAt
        take(request)
    }

    /// Whether something in it must be opened first.
    var isSealed: Bool { !envelopes.isEmpty }

    /// The user that is named: by header, topic or address.
    var userName: String? { sender.user ?? topic?.user ?? sender.userInPath }

    /// The device that is named, by header, topic or address, as a name of ours: what a name may not hold becomes a
    /// hyphen.
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

    /// How much was observed.
    var count: Int { positions.count + sightings.count + notes.count }

    /// Everything whose sample time can be: neither older than what is kept nor in the future. A note may be of any
    /// age: a waypoint has the time at which it was made. A position by a clock that is ahead is kept, and tells of the
    /// clock.
    func observations(
        of device: DeviceNumber, by reporter: UserNumber?, from earliest: Instant, to latest: Instant
    ) -> [Observation] {
        func isTimely(_ time: Instant) -> Bool { earliest <= time && time <= latest }
        let timelyNotes = notes.filter { note in note.sampleTime.map { $0 <= latest } ?? true }
        let timelyPositions = positions.filter { earliest <= $0.sampleTime }.map { position in
            var position = position
            position.reporter = reporter
            return position
        }
        return timelyPositions.map { .position($0, of: device) }
            + sightings.filter { isTimely($0.sampleTime) }.map { .sighting($0, of: device) }
            + timelyNotes.map { .note($0, of: device) }
    }

    /// Opens what is sealed. What this key does not open, or holds no message, is counted and passed over: it was
    /// sealed with an earlier key, and the app would send it for ever.
    mutating func open(with box: SecretBox) {
        let sealed = envelopes
        envelopes = []
        for envelope in sealed {
            guard let message = box.open(envelope),
                let request = try? OwnTracksRequest(parsing: message, receivedAt: receivedAt)
            else {
                events.append("owntracks_unopened")
                continue
            }
            take(request)
        }
        // An envelope within an envelope is nobody's.
        envelopes = []
    }

    private mutating func take(_ request: OwnTracksRequest) {
        for _ in request.faults { events.append("owntracks_malformed") }
        for message in request.messages { take(message) }
    }

    /// Notes as many of them as one request may bring.
    private mutating func note(_ message: OwnTracksMessage, counted event: StaticString) {
        events.append(event)
        let said = message.notes(receivedAt: receivedAt)
        let taken = said.prefix(OwnTracksRequest.messageLimit - notes.count)
        notes += taken
        if taken.count < said.count { events.append("owntracks_too_many") }
    }

    /// Every message that an app knows. Only where it is matters here: what it crosses is decided by the server alone.
    private mutating func take(_ message: OwnTracksMessage) {
        switch message {
        case .location(let location):
            positions.append(location.position)
            if let text = location.topic, topic == nil { topic = OwnTracksTopic(text) }
        case .transition(let transition):
            // The app's belief about its own waypoints is no crossing of ours; the fix that it rests on is a fix.
            events.append("owntracks_transition")
            if let position = transition.position(receivedAt: receivedAt) { positions.append(position) }
        case .encrypted(let envelope): envelopes.append(envelope)
        case .beacon(let beacon):
            events.append("owntracks_beacon")
            sightings.append(beacon.sighting(receivedAt: receivedAt))
        case .waypoint, .waypoints: note(message, counted: "owntracks_waypoint")
        case .lastWill: note(message, counted: "owntracks_lwt")
        case .card: note(message, counted: "owntracks_card")
        case .steps: note(message, counted: "owntracks_steps")
        case .status: note(message, counted: "owntracks_status")
        case .command, .request, .other: events.append("owntracks_other")
        }
    }
}

extension OwnTracksTransition {
    /// Where the phone was when it believed this; nil when it does not say.
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
    /// The user, as OwnTracks apps say it.
    static let limitUser = HTTPField.Name("X-Limit-U")!
    /// The device, as OwnTracks apps say it.
    static let limitDevice = HTTPField.Name("X-Limit-D")!
}
