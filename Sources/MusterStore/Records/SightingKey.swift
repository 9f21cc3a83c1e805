package import MusterCore

/// The identity of a sighting within its device: sample time and beacon. The sightings of a device are in the order of
/// their keys, so a key is also a cursor.
package struct SightingKey: Hashable, Comparable, Sendable {
    package var sampleTime: Instant
    package var beacon: Beacon

    package init(sampleTime: Instant, beacon: Beacon) {
        self.sampleTime = sampleTime
        self.beacon = beacon
    }

    package init(_ sighting: Sighting) {
        self.init(sampleTime: sighting.sampleTime, beacon: sighting.beacon)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.sampleTime != right.sampleTime ? left.sampleTime < right.sampleTime : left.beacon < right.beacon
    }
}

extension BeaconUUID {
    /// The length of a UUID in bytes.
    static let byteCount = 16

    /// The bytes of the UUID, in the order in which a beacon sends them.
    var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) } }
    }

    /// Makes a UUID of 16 bytes; nil for any other number of bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func half(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes.prefix(8)), low: half(bytes.dropFirst(8)))
    }
}
