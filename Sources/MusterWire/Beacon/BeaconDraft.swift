package import MusterCore

/// The property `beacon` of a region: the radio that decides which devices are inside.
package struct BeaconDraft: Hashable, Sendable {
    /// The beacons that devices hear, or the scanner that hears tags.
    package var source: Source
    /// The largest distance at which a device counts as inside.
    package var reach: BeaconArea.Reach
    /// Whether the region is a room; nil for the default, which is a room for a scanner only.
    package var isRoom: Bool?

    /// The radio of a region. The name of a scanner is not looked up yet.
    package enum Source: Hashable, Sendable {
        case beacons(BeaconUUID, major: UInt16?, minor: UInt16?)
        /// The name of a scanner's device, such as `gates/hall`.
        case scanner(String)
    }

    /// Makes the area with the scanner's number; nil when `scanner` does not find the name.
    package func area(scanner: (String) -> DeviceNumber?) -> BeaconArea? {
        switch source {
        case .beacons(let uuid, let major, let minor):
            return BeaconArea(.beacons(uuid, major: major, minor: minor), reach: reach, isRoom: isRoom)
        case .scanner(let name): return scanner(name).map { BeaconArea(.scanner($0), reach: reach, isRoom: isRoom) }
        }
    }
}

extension BeaconArea.Reach {
    /// The name of the reach in the API.
    package var wireName: StaticString {
        switch self {
        case .immediate: "immediate"
        case .near: "near"
        case .far: "far"
        }
    }
}

extension RegionReader {
    /// Reads the property `beacon` and records every fault. With a fault, the returned draft is not used.
    mutating func readBeacon(_ value: JSONValue, at path: String) -> BeaconDraft? {
        guard let members = value.members else {
            record(.wrongType(expected: .object, found: value.kind), at: path)
            return nil
        }
        for member in members where !["uuid", "major", "minor", "scanner", "proximity", "room"].contains(member.key) {
            record(.invalid("does not belong in a beacon"), at: JSONPointer.appending(member.key, to: path))
        }
        let reach = readReach(value["proximity"], at: "\(path)/proximity")
        if let room = value["room"], room.boolean == nil {
            record(.wrongType(expected: .boolean, found: room.kind), at: "\(path)/room")
        }
        if let scanner = value["scanner"] {
            guard let name = scanner.string, value["uuid"] == nil, value["major"] == nil, value["minor"] == nil else {
                record(.invalid("must be the name of a device, and stands alone"), at: "\(path)/scanner")
                return nil
            }
            return BeaconDraft(source: .scanner(name), reach: reach, isRoom: value["room"]?.boolean)
        }
        guard let uuid = value["uuid"]?.string.flatMap({ BeaconUUID($0) }) else {
            record(.invalid("must be a UUID of 32 hexadecimal digits"), at: "\(path)/uuid")
            return nil
        }
        let major = readNumber(value["major"], at: "\(path)/major")
        let minor = readNumber(value["minor"], at: "\(path)/minor")
        if minor != nil, major == nil { record(.invalid("is needed beside minor"), at: "\(path)/major") }
        return BeaconDraft(
            source: .beacons(uuid, major: major, minor: minor), reach: reach, isRoom: value["room"]?.boolean)
    }

    private mutating func readReach(_ value: JSONValue?, at path: String) -> BeaconArea.Reach {
        guard let value else { return .far }
        if let reach = BeaconArea.Reach.allCases.first(where: { $0.wireName.description == value.string }) {
            return reach
        }
        record(.invalid("must be one of immediate, near, far"), at: path)
        return .far
    }

    private mutating func readNumber(_ value: JSONValue?, at path: String) -> UInt16? {
        guard let value, value != .null else { return nil }
        if let number = value.integer.flatMap({ UInt16(exactly: $0) }) { return number }
        record(.outOfRange(lowest: 0, highest: 65_535), at: path)
        return nil
    }

    /// Checks that a region's properties and its geometry fit together.
    mutating func check(_ properties: PropertiesDraft, _ geometry: GeometryDraft?, isPlaceless: Bool) {
        guard properties.hasBeacon else {
            if isPlaceless { record(.invalid("a region needs a geometry"), at: "/geometry") }
            return
        }
        if isPlaceless, properties.isMuster {
            record(
                .invalid("a beacon region without a place makes nobody safe: give it a Point and a radius"),
                at: "/properties/muster")
        }
        switch geometry {
        case .polygon, .multiPolygon:
            record(.invalid("a beacon region is a Point with a radius, or null"), at: "/geometry")
        case .point, nil: return
        }
    }
}

extension JSONWriter {
    /// Writes the property `beacon`.
    package mutating func value(_ area: BeaconArea, scanner: String?) {
        beginObject()
        switch area.source {
        case .beacons(let uuid, let major, let minor):
            member("uuid", uuid.description)
            if let major { member("major", major) }
            if let minor { member("minor", minor) }
        case .scanner: member("scanner", scanner ?? "")
        }
        member("proximity", area.reach.wireName.description)
        member("room", area.isRoom)
        endObject()
    }
}
