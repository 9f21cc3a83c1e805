import MusterCoding

/// A Bluetooth beacon by the three numbers that it sends (Apple's iBeacon).
public struct Beacon: Hashable, Sendable {
    /// Whose beacons they are.
    public var uuid: BeaconUUID
    /// The larger group that it belongs to.
    public var major: UInt16
    /// Which of the group it is.
    public var minor: UInt16

    /// A beacon.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

extension Beacon: Comparable {
    /// Whether the left one comes first: by UUID, then major, then minor.
    public static func < (left: Self, right: Self) -> Bool {
        if left.uuid != right.uuid { return left.uuid < right.uuid }
        return (left.major, left.minor) < (right.major, right.minor)
    }
}

/// The 16 bytes that tell one owner's beacons from another's.
public struct BeaconUUID: Hashable, Comparable, Sendable {
    /// The first 8 bytes, big-endian.
    public let high: UInt64
    /// The last 8 bytes, big-endian.
    public let low: UInt64

    /// The UUID of two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The UUID of a text: 32 hexadecimal digits of either case, with hyphens behind the 8th, 12th, 16th and 20th or
    /// with none; nil for anything else.
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

    /// Whether the left one comes first, byte by byte.
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
