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
    /// The bytes "Meshtast" and "ic", with which the UUID of a radio begins.
    private static let meshtastic = (high: UInt64(0x4D65_7368_7461_7374), low: UInt64(0x6963_0000_0000_0000))

    /// Makes a beacon from the number of a Meshtastic radio. The number forms the last bytes of the UUID, and the major
    /// and minor number are 0. The result is nil for 0 and for the number that stands for all radios.
    package init?(meshtasticRadio number: UInt32) {
        guard number > 0, number < .max else { return nil }
        let uuid = BeaconUUID(high: Self.meshtastic.high, low: Self.meshtastic.low | UInt64(number))
        self.init(uuid: uuid, major: 0, minor: 0)
    }

    /// The number of the Meshtastic radio; nil for any other beacon.
    private var meshtasticRadio: UInt32? {
        guard uuid.high == Self.meshtastic.high, major == 0, minor == 0 else { return nil }
        let number = UInt32(exactly: uuid.low ^ Self.meshtastic.low)
        return number.flatMap { $0 > 0 && $0 < .max ? $0 : nil }
    }

    /// Makes a beacon from a radio's id as Meshtastic's apps show it: `!` and 8 hexadecimal digits.
    init?(meshtasticID text: String) {
        guard text.utf8.count == 9, text.utf8.first == UInt8(ascii: "!"),
            let bytes = Hexadecimal.decode(text.utf8.dropFirst())
        else { return nil }
        self.init(meshtasticRadio: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }
}

extension Beacon {
    /// Reads a beacon from its text form: `UUID:major:minor`, a Bluetooth address, or the id of a Meshtastic radio.
    package init?(_ text: String) {
        if let beacon = Beacon(address: text) ?? Beacon(meshtasticID: text) {
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
        if let number = meshtasticRadio {
            return "!" + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }.hexadecimal
        }
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
