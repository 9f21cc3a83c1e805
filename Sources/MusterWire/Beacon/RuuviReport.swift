import MusterCoding
package import MusterCore

/// A post of a Ruuvi Gateway: the last advertisement of each tag that the gateway heard since its last post.
///
/// Source: https://docs.ruuvi.com/gw-data-formats/http-time-stamped-data-from-bluetooth-sensors
package struct RuuviReport: Hashable, Sendable {
    /// The gateway's Bluetooth address, as the gateway writes it; nil when the post does not contain it.
    package var gatewayAddress: String?
    /// When the gateway posted: by its clock, or the arrival of the post if its clock is not set; nil when nothing says
    /// so.
    package var postedAt: Instant?
    /// The sightings: one for a beacon frame in an advertisement, and one for the Bluetooth address of each tag.
    package var sightings: [Sighting] = []
    /// The number of structures of advertisements in no known format.
    package var unknownCount = 0
    /// How many of `unknownCount` are encrypted BTHome.
    package var encryptedCount = 0
    /// The number of tags or advertisements that could not be read.
    package var malformedCount = 0
    /// The number of tags whose time is that of their arrival, because the gateway's clock was not set when it heard
    /// them, or because it posts no times.
    package var untimedCount = 0

    /// The largest number of tags in one post.
    package static let tagLimit = 1_000

    /// Reads a post. A gateway posts what it hears as it hears it, and keeps nothing for later. So where its clock was
    /// never set, or is far off, or it posts no times, its sightings are of the moment of their arrival; where its
    /// clock runs, at least, they are as old as it says.
    ///
    /// - Parameter plausible: the times that the server believes.
    /// - Throws: `JSONError` for text that is not even nearly JSON, and `BodyFaults` when the post is not of the
    ///   gateway's form. A tag that cannot be read is counted in `malformedCount`, and the other tags are used.
    package init(
        parsing bytes: UnsafeRawBufferPointer, receivedAt: Instant, plausible: ClosedRange<Instant>
    ) throws {
        let body = try JSONValue(lenientlyParsing: bytes, depthLimit: 6, valueLimit: 20 * Self.tagLimit)
        guard let data = body["data"], data.members != nil else {
            throw BodyFaults(faults: [.init(pointer: "/data", words: "must be an object")])
        }
        gatewayAddress = data["gw_mac"]?.deviceText
        let clock = data["timestamp"].flatMap(Self.instant)
        let times = Times(clock: clock, receivedAt: receivedAt, plausible: plausible)
        postedAt = times.isSet ? clock : receivedAt
        guard let tags = data["tags"]?.members else {
            throw BodyFaults(faults: [.init(pointer: "/data/tags", words: "must be an object")])
        }
        guard tags.count <= Self.tagLimit else {
            throw BodyFaults(faults: [.init(pointer: "/data/tags", words: "has more than \(Self.tagLimit) tags")])
        }
        for tag in tags { read(tag, times) }
        // The engine requires sightings in the order of time.
        sightings.sort { $0.sampleTime < $1.sampleTime }
    }

    /// The times of a post.
    private struct Times {
        /// When the gateway posted, by its own clock.
        let clock: Instant?
        let receivedAt: Instant
        let plausible: ClosedRange<Instant>

        /// The longest time between two posts, in seconds. If a tag's time is older, the gateway's clock was set in
        /// between.
        private static let longestPauseSeconds = 300.0

        /// Whether the gateway's clock is set.
        var isSet: Bool { clock.map(plausible.contains) ?? false }

        /// Returns when a tag was heard, and whether the gateway itself knows that.
        func sampleTime(stated: Instant?) -> (time: Instant, isStated: Bool) {
            if let stated, plausible.contains(stated), isSet || clock == nil { return (stated, true) }
            guard let stated, let clock, !isSet, stated <= clock,
                clock <= stated.advanced(bySeconds: Self.longestPauseSeconds)
            else { return (receivedAt, false) }
            return (receivedAt.advanced(bySeconds: -(clock.seconds - stated.seconds)), false)
        }
    }

    private mutating func read(_ tag: JSONValue.Member, _ times: Times) {
        guard let address = Beacon(address: tag.key), tag.value.members != nil,
            let strength = tag.value["rssi"]?.deviceNumber, (-200...50).contains(strength)
        else { return malformedCount += 1 }
        let receivedAt = times.receivedAt
        let (sampleTime, isStated) = times.sampleTime(stated: tag.value["timestamp"].flatMap(Self.instant))
        if !isStated { untimedCount += 1 }
        func add(_ beacon: Beacon, power: Int?) {
            let distance = power.map { BeaconPolicy.distance(signal: strength, power: Double($0)) }
            sightings.append(
                Sighting(
                    of: beacon, sampleTime: sampleTime, receivedTime: receivedAt, distance: distance,
                    signalStrength: strength))
        }
        add(address, power: nil)
        guard let text = tag.value["data"]?.deviceText else { return }
        guard let payload = Hexadecimal.decode(text.utf8), let read = try? Advertisement(reading: payload) else {
            return malformedCount += 1
        }
        unknownCount += read.unknownCount
        encryptedCount += read.encryptedCount
        malformedCount += read.malformedCount
        if let frame = read.identifyingFrame, let beacon = frame.beacon { add(beacon, power: frame.powerAtOneMetre) }
    }

    /// Reads seconds since 1970. Some versions of the gateway write them as a string.
    private static func instant(_ value: JSONValue) -> Instant? {
        guard let seconds = value.deviceNumber, seconds > 0, seconds < 1e11 else { return nil }
        return Instant(milliseconds: Int64((seconds * 1000).rounded()))
    }
}
