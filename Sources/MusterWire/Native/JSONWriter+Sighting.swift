package import MusterCore
import MusterGeometry

/// Sightings and notes in the JSON of the native API.
extension Sighting.Proximity {
    /// The class's name in the API.
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
    /// The kind's name in the API, which is OwnTracks's when it has one.
    package var wireName: StaticString {
        switch self {
        case .waypoint: "waypoint"
        case .card: "card"
        case .steps: "steps"
        case .status: "status"
        case .lastWill: "lwt"
        case .clock: "clock"
        case .properties: "properties"
        }
    }
}

extension JSONWriter {
    /// Writes a sighting object without the members that are unknown.
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

    /// Writes a note object without the members that are unknown.
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
