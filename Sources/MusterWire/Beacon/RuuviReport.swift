import MusterCoding
package import MusterCore

/// A post of a Ruuvi Gateway: the last advertisement of each tag that the gateway heard since its last post.
///
/// Source: https://docs.ruuvi.com/gw-data-formats/http-time-stamped-data-from-bluetooth-sensors
package struct RuuviReport: Hashable, Sendable {
    /// The gateway's Bluetooth address, as the gateway writes it; nil when the post does not contain it.
    package var gatewayAddress: String?
    /// When the gateway posted, by its own clock; nil when the post does not contain the time.
    package var postedAt: Instant?
    /// The sightings: one for a beacon frame in an advertisement, and one for the Bluetooth address of each tag.
    package var sightings: [Sighting] = []
    /// The number of structures of advertisements in no known format.
    package var unknownCount = 0
    /// The number of tags or advertisements that could not be read.
    package var malformedCount = 0

    /// The largest number of tags in one post.
    package static let tagLimit = 1_000

    /// Reads a post.
    ///
    /// - Throws: `JSONError` for text that is not JSON, and `BodyFaults` when the post is not of the gateway's form. A
    ///   tag that cannot be read is counted in `malformedCount`, and the other tags are used.
    package init(parsing bytes: UnsafeRawBufferPointer, receivedAt: Instant) throws {
        let body = try JSONValue(parsing: bytes, depthLimit: 6, valueLimit: 20 * Self.tagLimit)
        guard let data = body["data"], data.members != nil else {
            throw BodyFaults(faults: [.init(pointer: "/data", words: "must be an object")])
        }
        gatewayAddress = data["gw_mac"]?.string
        postedAt = data["timestamp"].flatMap(Self.instant)
        guard let tags = data["tags"]?.members else {
            throw BodyFaults(faults: [.init(pointer: "/data/tags", words: "must be an object")])
        }
        guard tags.count <= Self.tagLimit else {
            throw BodyFaults(faults: [.init(pointer: "/data/tags", words: "has more than \(Self.tagLimit) tags")])
        }
        for tag in tags { read(tag, receivedAt: receivedAt) }
        // The engine requires sightings in the order of time.
        sightings.sort { $0.sampleTime < $1.sampleTime }
    }

    private mutating func read(_ tag: JSONValue.Member, receivedAt: Instant) {
        guard let address = Beacon(address: tag.key), let sampleTime = tag.value["timestamp"].flatMap(Self.instant),
            let strength = tag.value["rssi"]?.number, (-200...50).contains(strength)
        else { return malformedCount += 1 }
        func add(_ beacon: Beacon, power: Int?) {
            let distance = power.map { BeaconPolicy.distance(signal: strength, power: Double($0)) }
            sightings.append(
                Sighting(
                    of: beacon, sampleTime: sampleTime, receivedTime: receivedAt, distance: distance,
                    signalStrength: strength))
        }
        add(address, power: nil)
        guard let text = tag.value["data"]?.string else { return }
        guard let payload = Hexadecimal.decode(text.utf8), let read = try? Advertisement(reading: payload) else {
            return malformedCount += 1
        }
        unknownCount += read.unknownCount
        malformedCount += read.malformedCount
        if let frame = read.identifyingFrame, let beacon = frame.beacon { add(beacon, power: frame.powerAtOneMetre) }
    }

    /// Reads seconds since 1970. Some versions of the gateway write them as a string.
    private static func instant(_ value: JSONValue) -> Instant? {
        let seconds = value.number ?? value.string.flatMap { Double($0) }
        guard let seconds, seconds > 0, seconds < 1e11 else { return nil }
        return Instant(milliseconds: Int64((seconds * 1000).rounded()))
    }
}
