package import MusterCore
import MusterGeometry

/// A packet of a Meshtastic mesh, as a radio publishes it as JSON.
///
/// Source: `MeshPacketSerializer.cpp` and `PositionModule.cpp` of https://github.com/meshtastic/firmware
package enum MeshtasticMessage: Hashable, Sendable {
    /// A radio reported its position.
    case position(Position, of: Beacon)
    /// A radio reported its battery.
    case status(DeviceNote, of: Beacon)
    /// A radio reported that it does not know its position: it sends 0° north, 0° east.
    case unlocated
    /// A radio reported a position without a time. The position may be older than its last start.
    case untimed
    /// A packet for whose channel the publishing radio has no key.
    case encrypted
    /// A text, a name, a measurement, or a packet of a kind that this version does not know.
    case other
    /// An object that no radio writes.
    case malformed

    /// Reads a message. The firmware writes names as they are in a radio's memory, and measurements that it has not:
    /// such members are not needed, and do not matter (`JSONValue.init(lenientlyParsing:)`).
    ///
    /// - Throws: `JSONError` for text that is not even nearly JSON.
    package init(parsing bytes: [UInt8], receivedAt: Instant) throws(JSONError) {
        let body = try JSONValue(lenientlyParsing: bytes, depthLimit: 8, valueLimit: 1_000)
        guard let beacon = body["from"].flatMap(Self.radio) else {
            self = .malformed
            return
        }
        let payload = body["payload"]
        switch body["type"]?.string ?? "" {
        case "position": self = Self.position(in: payload, of: beacon, receivedAt: receivedAt)
        case "telemetry": self = Self.status(in: payload, of: beacon, receivedAt: receivedAt)
        case "": self = payload == nil ? .encrypted : .malformed
        default: self = .other
        }
    }

    /// The radio with a node number. The number has 32 bits, and versions of the firmware print it with or without a
    /// sign; other programs write it as text, or as the id that apps show (`!849ace3c`).
    private static func radio(_ value: JSONValue) -> Beacon? {
        if let number = value.deviceInteger {
            return (UInt32(exactly: number) ?? Int32(exactly: number).map { UInt32(bitPattern: $0) })
                .flatMap { Beacon(meshtasticRadio: $0) }
        }
        return value.deviceText.flatMap { Beacon(meshtasticID: $0) }
    }

    private static func position(in payload: JSONValue?, of radio: Beacon, receivedAt: Instant) -> Self {
        guard let payload, payload.members != nil else { return .malformed }
        guard let latitude = payload["latitude_i"], let longitude = payload["longitude_i"] else { return .unlocated }
        guard let place = MeshtasticPlace(latitude: latitude.deviceInteger, longitude: longitude.deviceInteger) else {
            return .malformed
        }
        guard !place.isUnknown else { return .unlocated }
        // `time` is when the radio sent the place, `timestamp` is when its receiver found it. The older one counts: a
        // radio continues to send its last known position. 0 is no time, and neither is that of a clock which was never
        // set, and counts from 1970 or from the radio's start.
        let times = ["time", "timestamp"].compactMap { payload[$0]?.deviceInteger }.filter { setTimes.contains($0) }
        guard let seconds = times.min() else { return .untimed }
        let bits = payload["precision_bits"]?.integer
        let dilution = (payload["HDOP"] ?? payload["PDOP"])?.number
        let position = Position(
            coordinate: place.coordinate, sampleTime: Instant(milliseconds: seconds * 1000), receivedTime: receivedAt,
            accuracy: place.accuracy(precisionBits: bits, dilutionHundredths: dilution),
            altitude: payload["altitude"]?.number.flatMap { (-20_000...100_000).contains($0) ? Metres($0) : nil },
            source: .meshtastic, attributes: text(of: kept, in: payload))
        return .position(position, of: radio)
    }

    private static func status(in payload: JSONValue?, of radio: Beacon, receivedAt: Instant) -> Self {
        guard let payload, payload.members != nil else { return .malformed }
        // Telemetry of other kinds measures the air or a supply.
        guard payload["battery_level"] != nil || payload["uptime_seconds"] != nil,
            let body = text(of: metrics, in: payload)
        else { return .other }
        return .status(DeviceNote(DeviceNote.Name(.status), receivedTime: receivedAt, body: body), of: radio)
    }

    /// The seconds since 1970 that a clock shows once it was set: from 2001 on, before there was any such radio.
    private static let setTimes: ClosedRange<Int64> = 1_000_000_000...Int64(UInt32.max)

    /// The members of a position that are kept as its attributes. The speed and the track are among them, because the
    /// firmware and its documentation do not agree on their units.
    private static let kept: [String] = [
        "ground_speed", "ground_track", "sats_in_view", "PDOP", "HDOP", "VDOP", "precision_bits",
    ]

    /// The members of a radio's telemetry about itself. A battery level above 100 means that the radio is on the mains.
    private static let metrics: [String] = [
        "battery_level", "voltage", "channel_utilization", "air_util_tx", "uptime_seconds",
    ]

    /// Returns the numbers among these members as the text of an object; nil when there are none.
    private static func text(of names: [String], in payload: JSONValue) -> String? {
        let members = names.compactMap { name -> JSONValue.Member? in
            guard let value = payload[name], value.number != nil else { return nil }
            return JSONValue.Member(name, value)
        }
        return members.isEmpty ? nil : String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }
}
