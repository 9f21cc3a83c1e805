package import MusterCore
import MusterGeometry

/// The JSON by which a scanner reports what it heard.
extension JSONWriter {
    /// Writes a sighting as a device reports it, which `SightingDecoder` reads.
    package mutating func report(_ sighting: Sighting) {
        beginObject()
        member("uuid", sighting.beacon.uuid.description)
        member("major", sighting.beacon.major)
        member("minor", sighting.beacon.minor)
        member("sampleTime", sighting.sampleTime)
        if let distance = sighting.distance { member("distance", distance.value) }
        if let signalStrength = sighting.signalStrength { member("signalStrength", signalStrength) }
        if sighting.proximity != .unknown { member("proximity", sighting.proximity.wireName.description) }
        endObject()
    }
}
