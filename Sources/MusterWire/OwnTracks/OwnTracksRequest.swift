import MusterCoding
package import MusterCore
import MusterGeometry

/// The messages that an OwnTracks app posted in one request.
///
/// A faulty message does not affect the others. An iPhone forgets every message that the server answers with 4xx, so
/// the server accepts the good ones, and can log the faults.
package struct OwnTracksRequest: Hashable, Sendable {
    /// The readable messages, in order.
    package var messages: [OwnTracksMessage] = []
    /// The faults of the other messages. Their byte offsets are unknown here, and 0.
    package var faults: [JSONError] = []

    /// The largest number of messages in one request.
    package static let messageLimit = 1000
    /// The longest attributes of a position, and the longest note but for a card, in bytes of JSON.
    package static let attributeLimitBytes = 4096

    /// Reads a body: one message, or an array of messages. An empty body is allowed, and holds none; so is one of white
    /// space. A phone forgets what is refused, so the body is read leniently: a NUL may end it, as it ends a string of
    /// C (`JSONValue.init(lenientlyParsing:)`).
    ///
    /// - Parameter receivedAt: the received time of every position.
    /// - Throws: `JSONError` when the body is not even nearly JSON, is neither an object nor an array, or holds
    ///   too many messages.
    package init(parsing body: UnsafeRawBufferPointer, receivedAt: Instant) throws(JSONError) {
        guard body.contains(where: { $0 > 0x20 }) else { return }
        let value = try JSONValue(lenientlyParsing: body)
        switch value {
        case .object: read(value, pointer: "", receivedAt: receivedAt)
        case .array(let elements):
            guard elements.count <= Self.messageLimit else {
                throw JSONError(pointer: "", offset: 0, reason: .tooMany(limit: Self.messageLimit))
            }
            for (index, element) in elements.enumerated() {
                read(element, pointer: "/\(index)", receivedAt: receivedAt)
            }
        default:
            throw JSONError(pointer: "", offset: 0, reason: .wrongType(expected: .object, found: value.kind))
        }
    }

    /// Reads a body: one message, or an array of messages.
    package init(parsing body: [UInt8], receivedAt: Instant) throws(JSONError) {
        self = try body.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try OwnTracksRequest(parsing: buffer, receivedAt: receivedAt) }
        }.get()
    }

    private mutating func read(_ value: JSONValue, pointer: String, receivedAt: Instant) {
        do throws(JSONError) {
            guard let members = value.members else {
                throw JSONError(
                    pointer: pointer, offset: 0, reason: .wrongType(expected: .object, found: value.kind))
            }
            messages.append(
                try OwnTracksMessage(OwnTracksMembers(members: members, pointer: pointer), receivedAt: receivedAt))
        } catch {
            faults.append(error)
        }
    }
}

extension OwnTracksMessage {
    init(_ members: OwnTracksMembers, receivedAt: Instant) throws(JSONError) {
        let type = try members.requiredText("_type")
        let noteLimitBytes = OwnTracksRequest.attributeLimitBytes
        switch type {
        case "location": self = .location(try OwnTracksLocation(members, receivedAt: receivedAt))
        case "transition": self = .transition(try OwnTracksTransition(members))
        case "waypoint": self = .waypoint(try OwnTracksWaypoint(members))
        case "waypoints": self = .waypoints(try Self.waypoints(members))
        case "beacon": self = .beacon(try OwnTracksBeacon(members))
        case "lwt":
            self = .lastWill(
                OwnTracksLastWill(sampleTime: members.time("tst"), body: members.body(limitBytes: noteLimitBytes)))
        case "card": self = .card(OwnTracksCard(members))
        case "steps":
            self = .steps(
                OwnTracksSteps(
                    sampleTime: try members.requiredTime("tst"),
                    // Phones write −1 for an unknown number.
                    steps: members.number("steps", within: 0...1e9).map { Int64($0) }, from: members.time("from"),
                    to: members.time("to"), body: members.body(limitBytes: noteLimitBytes)))
        case "status": self = .status(members.body(limitBytes: noteLimitBytes))
        case "cmd": self = .command(action: try members.requiredText("action"))
        case "request": self = .request(kind: try members.requiredText("request"))
        case "encrypted": self = .encrypted(try OwnTracksEnvelope(members))
        default: self = .other(type: type)
        }
    }

    private static func waypoints(_ members: OwnTracksMembers) throws(JSONError) -> [OwnTracksWaypoint] {
        guard let value = members["waypoints"] else { throw members.fault("waypoints", .missing) }
        guard let elements = value.elements else {
            throw members.fault("waypoints", .wrongType(expected: .array, found: value.kind))
        }
        guard elements.count <= OwnTracksRequest.messageLimit else {
            throw members.fault("waypoints", .tooMany(limit: OwnTracksRequest.messageLimit))
        }
        var result: [OwnTracksWaypoint] = []
        for (index, element) in elements.enumerated() {
            let pointer = "\(members.pointer)/waypoints/\(index)"
            guard let own = element.members else {
                throw JSONError(
                    pointer: pointer, offset: 0, reason: .wrongType(expected: .object, found: element.kind))
            }
            result.append(try OwnTracksWaypoint(OwnTracksMembers(members: own, pointer: pointer)))
        }
        return result
    }
}

extension OwnTracksLocation {
    /// The members that a position has fields for.
    private static let known: Set<String> = ["_type", "lat", "lon", "tst", "acc", "alt", "vel", "cog", "batt"]

    init(_ members: OwnTracksMembers, receivedAt: Instant) throws(JSONError) {
        let latitude = try members.requiredNumber("lat", within: -90...90)
        let longitude = try members.requiredNumber("lon", within: -180...180)
        let heading = members.number("cog", within: 0...360)
        // An iPhone sends a vertical accuracy below 0 when its altitude means nothing.
        let isAltitudeKnown = members.number("vac").map { $0 >= 0 } ?? true
        position = Position(
            coordinate: Coordinate(validLatitude: latitude, longitude: longitude),
            sampleTime: try members.requiredTime("tst"), receivedTime: receivedAt, accuracy: members.metres("acc"),
            altitude: isAltitudeKnown ? members.number("alt", within: -1e7...1e7).map { Metres($0) } : nil,
            // Kilometres an hour; −1 when unknown.
            speed: members.number("vel", within: 0...3.6e6).map { $0 / 3.6 },
            heading: heading == 360 ? 0 : heading, battery: members.number("batt", within: 0...100),
            source: .ownTracks,
            attributes: members.rest(without: Self.known, limitBytes: OwnTracksRequest.attributeLimitBytes))
        topic = members.text("topic")
    }
}

extension OwnTracksTransition {
    init(_ members: OwnTracksMembers) throws(JSONError) {
        switch try members.requiredText("event") {
        case "enter": isEntering = true
        case "leave": isEntering = false
        default: throw members.fault("event", .invalid("must be enter or leave"))
        }
        name = members.text("desc")
        sampleTime = try members.requiredTime("tst")
        coordinate = members.coordinate
        accuracy = members.metres("acc")
        trackerID = members.text("tid")
        trigger = members.text("t")
    }
}

extension OwnTracksWaypoint {
    init(_ members: OwnTracksMembers) throws(JSONError) {
        name = try members.requiredText("desc")
        createdAt = members.time("tst")
        regionID = members.identifier("rid")
        body = members.body(limitBytes: OwnTracksRequest.attributeLimitBytes)
    }
}

extension OwnTracksCard {
    init(_ members: OwnTracksMembers) {
        body = members.body(limitBytes: DeviceNote.bodyLimitBytes, lastly: "face")
        name = members.text("name")
        face = members.text("face")
        trackerID = members.text("tid")
    }
}

extension OwnTracksBeacon {
    init(_ members: OwnTracksMembers) throws(JSONError) {
        guard let uuid = BeaconUUID(try members.requiredText("uuid")) else {
            throw members.fault("uuid", .invalid("is not a UUID"))
        }
        self.uuid = uuid
        major = UInt16(try members.requiredNumber("major", within: 0...65535))
        minor = UInt16(try members.requiredNumber("minor", within: 0...65535))
        sampleTime = try members.requiredTime("tst")
        distance = members.metres("acc")
        signalStrength = members.number("rssi", within: -200...50)
        proximity = members.number("prox", within: 0...3).flatMap { UInt8(exactly: $0) }
    }
}

extension OwnTracksEnvelope {
    init(_ members: OwnTracksMembers) throws(JSONError) {
        guard let bytes = Base64.decode(try members.requiredText("data")) else {
            throw members.fault("data", .invalid("is not base 64"))
        }
        guard bytes.count >= Self.nonceBytes + Self.authenticatorBytes else {
            throw members.fault("data", .invalid("is too short for a nonce and a box"))
        }
        nonce = Array(bytes.prefix(Self.nonceBytes))
        box = Array(bytes.dropFirst(Self.nonceBytes))
    }

    package var message: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("_type", "encrypted")
        writer.member("data", Base64.encode(nonce + box))
        writer.endObject()
        return writer.bytes
    }
}
