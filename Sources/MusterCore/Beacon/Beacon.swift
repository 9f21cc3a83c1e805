import MusterCoding

/// A Bluetooth beacon by the three numbers that it sends (Apple's iBeacon).
public struct Beacon: Hashable, Sendable {
    /// The UUID that all beacons of one owner share.
    public var uuid: BeaconUUID
    /// The number of the group that the beacon belongs to.
    public var major: UInt16
    /// The beacon's number within its group.
    public var minor: UInt16

    /// Creates a beacon from its three numbers.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

extension Beacon: Comparable {
    /// Orders beacons by UUID, then major, then minor.
    public static func < (left: Self, right: Self) -> Bool {
        if left.uuid != right.uuid { return left.uuid < right.uuid }
        return (left.major, left.minor) < (right.major, right.minor)
    }
}

/// The 16 bytes that distinguish one owner's beacons from another's.
public struct BeaconUUID: Hashable, Comparable, Sendable {
    /// The first 8 bytes, big-endian.
    public let high: UInt64
    /// The last 8 bytes, big-endian.
    public let low: UInt64

    /// Creates a UUID from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads a UUID: 32 hexadecimal digits of either case, with hyphens after the 8th, 12th, 16th and 20th, or with
    /// none. Nil for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        let hyphens = Self.hyphenPlaces
        let isHyphenated = bytes.count == 36 && hyphens.allSatisfy { bytes[$0] == UInt8(ascii: "-") }
        guard isHyphenated || bytes.count == 32 else { return nil }
        var halves = (high: UInt64(0), low: UInt64(0))
        for (place, byte) in bytes.enumerated() where !(isHyphenated && hyphens.contains(place)) {
            guard let digit = Hexadecimal.value(ofDigit: byte) else { return nil }
            halves.high = halves.high << 4 | halves.low >> 60
            halves.low = halves.low << 4 | UInt64(digit)
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// Orders UUIDs byte by byte.
    public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }

    private static let hyphenPlaces = [8, 13, 18, 23]
}

extension BeaconUUID: CustomStringConvertible {
    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`: upper case, as phones write it.
    public var description: String {
        var digits: [UInt8] = []
        digits.append(hexadecimal: high, upperCase: true)
        digits.append(hexadecimal: low, upperCase: true)
        return Hexadecimal.uuid(digits)
    }
}
