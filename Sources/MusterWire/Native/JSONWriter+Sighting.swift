package import MusterCore
import MusterGeometry

extension Sighting.Proximity {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .immediate: "immediate"
        case .near: "near"
        case .far: "far"
        }
    }
}

extension DeviceNote.Kind {
    /// How the wire calls it: OwnTracks's words, where it has one.
    package var wireName: StaticString {
        switch self {
        case .waypoint: "waypoint"
        case .card: "card"
        case .steps: "steps"
        case .status: "status"
        case .lastWill: "lwt"
        case .clock: "clock"
        }
    }
}

extension JSONWriter {
    /// Writes a sighting object; what is unknown is left out.
    package mutating func value(_ sighting: Sighting) {
        beginObject()
        member("uuid", sighting.beacon.uuid.description)
        member("major", sighting.beacon.major)
        member("minor", sighting.beacon.minor)
        member("sampleTime", sighting.sampleTime)
        member("receivedTime", sighting.receivedTime)
        if let distance = sighting.distance { member("distance", distance.value) }
        if let signalStrength = sighting.signalStrength { member("signalStrength", signalStrength) }
        member("proximity", sighting.proximity.wireName.description)
        endObject()
    }

    /// Writes a note object; what is unknown is left out.
    package mutating func value(_ note: DeviceNote) {
        beginObject()
        member("kind", note.name.kind.wireName.description)
        if !note.name.key.isEmpty { member("key", note.name.key) }
        if let sampleTime = note.sampleTime { member("sampleTime", sampleTime) }
        member("receivedTime", note.receivedTime)
        key("body")
        raw(note.body)
        endObject()
    }
}
