/// A frame in the format BTHome, version 2: measurements and presses of buttons, without an identity of its
/// own. The device is identified by its Bluetooth address.
///
/// Source: https://bthome.io/format
package struct BTHomeFrame: Hashable, Sendable {
    /// Whether the device sends when something happens, such as a press of a button, and not from time to time.
    package var isTriggered: Bool
    /// The values, in the order in which they were sent.
    package var values: [Value]
    /// Whether objects follow that are not known here. Their lengths are unknown, so the rest is not read.
    package var hasUnknownObjects: Bool

    /// A value as it was sent.
    package struct Value: Hashable, Sendable {
        /// The number of the object: 0x01 for the charge of the battery in percent, 0x02 for a temperature.
        package var object: UInt8
        /// The number in units of the object's step: hundredths of a degree for 0x02. Texts and raw data are left out.
        package var number: Int64
    }

    /// Decodes a service's data. `data` begins after the service's number.
    static func read(_ data: [UInt8]) -> BeaconFrame.Reading {
        guard let information = data.first else { return .malformed }
        guard information >> 5 == 2 else { return .unknown }
        guard information & 1 == 0 else { return .encrypted }
        var frame = BTHomeFrame(isTriggered: information & 4 != 0, values: [], hasUnknownObjects: false)
        var rest = data.dropFirst()
        while let object = rest.popFirst() {
            guard let size = size(of: object) else {
                frame.hasUnknownObjects = true
                break
            }
            switch size {
            case .signed(let count), .unsigned(let count):
                guard rest.count >= count else { return .malformed }
                let number = number(rest.prefix(count), isSigned: size == .signed(count))
                frame.values.append(Value(object: object, number: number))
                rest = rest.dropFirst(count)
            case .text:
                guard let count = rest.popFirst(), rest.count >= Int(count) else { return .malformed }
                rest = rest.dropFirst(Int(count))
            }
        }
        return .frame(.btHome(frame))
    }

    private static func number(_ bytes: ArraySlice<UInt8>, isSigned: Bool) -> Int64 {
        let number = bytes.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let bits = 8 * bytes.count
        return isSigned && number >> (bits - 1) == 1 ? number - 1 << bits : number
    }

    private enum Size: Equatable {
        case unsigned(Int)
        case signed(Int)
        /// A length comes first.
        case text
    }

    /// The length of an object's value, in bytes; nil for an object that is not known here.
    private static func size(of object: UInt8) -> Size? {
        switch object {
        case 0x00, 0x01, 0x09, 0x0F...0x11, 0x15...0x2F, 0x3A, 0x46, 0x60: .unsigned(1)
        case 0x03, 0x06, 0x07, 0x0C...0x0E, 0x12...0x14, 0x3C, 0x3D, 0x40, 0x41, 0x43, 0x44, 0x47...0x4A, 0x51, 0x52,
            0x56, 0x5E, 0x5F, 0xF0:
            .unsigned(2)
        case 0x04, 0x05, 0x0A, 0x0B, 0x42, 0x4B, 0xF2: .unsigned(3)
        case 0x3E, 0x4C...0x50, 0x55, 0xF1: .unsigned(4)
        case 0x57...0x59: .signed(1)
        case 0x02, 0x08, 0x3F, 0x45, 0x5A, 0x5D: .signed(2)
        case 0x5B, 0x5C: .signed(4)
        case 0x53, 0x54: .text
        default: nil
        }
    }
}
