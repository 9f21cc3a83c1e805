import MusterCoding
package import MusterCore

/// Beacons as text, and by Bluetooth address.
extension Beacon {
    /// Makes a beacon from the Bluetooth address of a device that sends no beacon frames. The address forms the last
    /// bytes of the UUID, whose other bytes are 0, and the major and minor number are 0.
    ///
    /// - Parameter address: 12 hexadecimal digits, with colons or hyphens between pairs, or with none. The result is
    ///   nil for any other text, and for the address 0.
    package init?(address text: some StringProtocol) {
        let bytes = Array(text.utf8)
        let isSeparated = bytes.count == 17
        guard isSeparated || bytes.count == 12 else { return nil }
        var number: UInt64 = 0
        for (place, byte) in bytes.enumerated() {
            if isSeparated, place % 3 == 2 {
                guard byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hexadecimal.value(ofDigit: byte) else { return nil }
            number = number << 4 | UInt64(digit)
        }
        guard number > 0 else { return nil }
        self.init(address: number)
    }

    /// Makes a beacon from the number of a Bluetooth address, in the lower 48 bits.
    package init(address: UInt64) {
        self.init(uuid: BeaconUUID(high: 0, low: address & 0xFFFF_FFFF_FFFF), major: 0, minor: 0)
    }
}

extension Beacon {
    /// Reads a beacon from its text form: `UUID:major:minor`, or a Bluetooth address.
    package init?(_ text: String) {
        if let beacon = Beacon(address: text) {
            self = beacon
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let uuid = BeaconUUID(parts[0]), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2])
        else { return nil }
        self.init(uuid: uuid, major: major, minor: minor)
    }

    /// The text form of the beacon, which `init(_:)` reads.
    package var text: String {
        guard uuid.high == 0, uuid.low >> 48 == 0, uuid.low > 0, major == 0, minor == 0 else {
            return "\(uuid):\(major):\(minor)"
        }
        var digits: [UInt8] = []
        for byte in 0..<6 {
            let value = UInt8(truncatingIfNeeded: uuid.low >> (40 - 8 * UInt64(byte)))
            if byte > 0 { digits.append(UInt8(ascii: ":")) }
            digits.append(Hexadecimal.digit(value >> 4, upperCase: true))
            digits.append(Hexadecimal.digit(value & 15, upperCase: true))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
