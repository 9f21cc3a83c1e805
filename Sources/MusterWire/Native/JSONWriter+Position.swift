package import MusterCore
import MusterGeometry

/// Positions in the JSON of the native API, and as GeoJSON.
extension Position.Source {
    /// The source's name in the API.
    package var wireName: StaticString {
        switch self {
        case .native: "native"
        case .ownTracks: "owntracks"
        case .amazonLocation: "amazon"
        case .couchDB: "couchdb"
        case .meshblu: "meshblu"
        case .simulator: "simulator"
        case .beacon: "beacon"
        case .meshtastic: "meshtastic"
        case .osmAnd: "osmand"
        case .overland: "overland"
        case .tak: "tak"
        case .uLogger: "ulogger"
        }
    }
}

extension JSONWriter {
    /// Writes a native position object without the members that are unknown.
    ///
    /// - Parameters:
    ///   - device: the device, such as `alice/phone`; nil when the context names it.
    ///   - reporter: the name of the user who reported it for another user.
    ///   - isLate: whether it came after newer ones.
    package mutating func value(
        _ position: Position, device: String? = nil, reporter: String? = nil, isLate: Bool = false
    ) {
        beginObject()
        if let device { member("device", device) }
        member("latitude", position.coordinate.latitude)
        member("longitude", position.coordinate.longitude)
        members(of: position)
        if let reporter { member("reportedBy", reporter) }
        if isLate { member("late", true) }
        endObject()
    }

    /// Writes a GeoJSON Feature: a Point, with the other members of a position as properties under their native names.
    package mutating func feature(_ position: Position, device: String? = nil, reporter: String? = nil) {
        beginObject()
        member("type", "Feature")
        key("geometry")
        beginObject()
        member("type", "Point")
        key("coordinates")
        beginArray()
        value(position.coordinate.longitude)
        value(position.coordinate.latitude)
        if let altitude = position.altitude { value(altitude.value) }
        endArray()
        endObject()
        key("properties")
        beginObject()
        if let device { member("device", device) }
        members(of: position)
        if let reporter { member("reportedBy", reporter) }
        endObject()
        endObject()
    }

    /// Writes the members of a position except its coordinate.
    private mutating func members(of position: Position) {
        member("sampleTime", position.sampleTime)
        member("receivedTime", position.receivedTime)
        if let accuracy = position.accuracy { member("accuracy", accuracy.value) }
        if let altitude = position.altitude { member("altitude", altitude.value) }
        if let speed = position.speed { member("speed", speed) }
        if let heading = position.heading { member("heading", heading) }
        if let battery = position.battery { member("battery", battery) }
        key("source")
        value(position.source.wireName.description)
        if let attributes = position.attributes {
            key("attributes")
            raw(attributes)
        }
    }

    /// Writes a key and its value.
    package mutating func member(_ name: StaticString, _ string: String) {
        key(name)
        value(string)
    }

    /// Writes a key and its value; a number that is not finite as null.
    package mutating func member(_ name: StaticString, _ number: Double) {
        key(name)
        value(number)
    }

    /// Writes a key and its value.
    package mutating func member(_ name: StaticString, _ integer: some BinaryInteger) {
        key(name)
        value(integer)
    }

    /// Writes a key and its value.
    package mutating func member(_ name: StaticString, _ boolean: Bool) {
        key(name)
        value(boolean)
    }

    /// Writes a key and a time, as RFC 3339.
    package mutating func member(_ name: StaticString, _ instant: Instant) {
        key(name)
        value(instant)
    }
}
