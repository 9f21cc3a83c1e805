package import MusterCore

/// What makes two sightings of one device the same: the sample time and the beacon. Also their order in its history,
/// and so a place in it.
package struct SightingKey: Hashable, Comparable, Sendable {
    package var sampleTime: Instant
    package var beacon: Beacon

    package init(sampleTime: Instant, beacon: Beacon) {
        self.sampleTime = sampleTime
        self.beacon = beacon
    }

    /// The key of a sighting.
    package init(_ sighting: Sighting) {
        self.init(sampleTime: sighting.sampleTime, beacon: sighting.beacon)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.sampleTime != right.sampleTime ? left.sampleTime < right.sampleTime : left.beacon < right.beacon
    }
}

extension BeaconUUID {
    /// How many bytes one has.
    static let byteCount = 16

    /// Its bytes, in the order in which a beacon sends them.
    var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) } }
    }

    /// The UUID of 16 bytes; nil for any other number of them.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func half(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes.prefix(8)), low: half(bytes.dropFirst(8)))
    }
}

extension DeviceNote.Name {
    /// Whether this one stands before the other in a list: by kind, then by the bytes of the key. Two texts that look
    /// alike and are written differently are two keys.
    package func precedes(_ other: Self) -> Bool {
        if kind != other.kind { return kind.rawValue < other.kind.rawValue }
        return key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
}
