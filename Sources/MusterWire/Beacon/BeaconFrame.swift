package import MusterCore

/// A frame that a beacon sends, in a known format.
package enum BeaconFrame: Hashable, Sendable {
    /// Apple's iBeacon, with the strength in dBm that a receiver measures at 1 m.
    case iBeacon(Beacon, power: Int8)
    /// AltBeacon (https://altbeacon.org): like iBeacon, but of any manufacturer, with one byte reserved for the
    /// manufacturer.
    case altBeacon(Beacon, power: Int8, manufacturer: UInt16, reserved: UInt8)
    /// Eddystone-UID: a namespace of 10 bytes, an instance of 6 bytes, and the strength in dBm at 0 m.
    case eddystoneUID(namespace: [UInt8], instance: [UInt8], powerAtSource: Int8)
    /// Eddystone-URL: a URL, and the strength in dBm at 0 m.
    case eddystoneURL(String, powerAtSource: Int8)
    /// Eddystone-TLM: the state of the beacon.
    case eddystoneTLM(EddystoneTelemetry)
    /// BTHome: measurements of a device that its address identifies.
    case btHome(BTHomeFrame)
}

/// The state of a beacon, as it reports it in an Eddystone-TLM frame.
package struct EddystoneTelemetry: Hashable, Sendable {
    /// The battery's voltage in millivolts; nil for a beacon without one.
    package var batteryMillivolts: UInt16?
    /// The temperature in 256ths of a degree Celsius; nil when it is not measured.
    package var temperature256ths: Int16?
    /// The number of frames that the beacon sent since it was started.
    package var advertisements: UInt32
    /// The time since the beacon was started, in tenths of a second.
    package var uptimeTenths: UInt32
}

extension BeaconFrame {
    /// The beacon that the frame identifies; nil for a frame without an identity.
    ///
    /// The 16 bytes of an Eddystone-UID count as a UUID, with a major and a minor number of 0.
    package var beacon: Beacon? {
        switch self {
        case .iBeacon(let beacon, _), .altBeacon(let beacon, _, _, _): beacon
        case .eddystoneUID(let namespace, let instance, _):
            Beacon(uuid: BeaconUUID(sixteen: (namespace + instance)[...]), major: 0, minor: 0)
        case .eddystoneURL, .eddystoneTLM, .btHome: nil
        }
    }

    /// The strength in dBm that a receiver measures at 1 m from the beacon; nil when the frame does not contain it.
    ///
    /// Eddystone gives the strength at 0 m, which is 41 dB more.
    package var powerAtOneMetre: Int? {
        switch self {
        case .iBeacon(_, let power), .altBeacon(_, let power, _, _): Int(power)
        case .eddystoneUID(_, _, let power), .eddystoneURL(_, let power): Int(power) - 41
        case .eddystoneTLM, .btHome: nil
        }
    }

    /// The result of decoding a structure's data.
    enum Reading: Hashable {
        case frame(BeaconFrame)
        /// The data are in no format that is known here.
        case unknown
        /// A BTHome frame that is encrypted with a key that only its owner has.
        case encrypted
        /// The data start like a known format but do not conform to it.
        case malformed
    }

    /// Decodes a manufacturer's data. `data` begins after the manufacturer's number.
    static func read(_ data: [UInt8], ofManufacturer manufacturer: UInt16) -> Reading {
        if data.starts(with: [0xBE, 0xAC]) { return altBeacon(data, manufacturer) }
        // Apple sends many other kinds of data. The first byte after its number is the type, and 0x02 is iBeacon.
        guard manufacturer == apple, data.first == 0x02 else { return .unknown }
        guard data.count == 23, data[1] == 0x15 else { return .malformed }
        let power = Int8(bitPattern: data[22])
        return .frame(.iBeacon(beacon(data[2..<22]), power: power))
    }

    /// Decodes a service's data. `data` begins after the service's number.
    static func read(_ data: [UInt8], ofService service: UInt16) -> Reading {
        if service == btHome { return BTHomeFrame.read(data) }
        guard service == eddystone else { return .unknown }
        guard let type = data.first else { return .malformed }
        switch type {
        case 0x00: return eddystoneUID(data)
        case 0x10: return eddystoneURL(data)
        case 0x20: return eddystoneTLM(data)
        default: return .unknown
        }
    }

    private static func altBeacon(_ data: [UInt8], _ manufacturer: UInt16) -> Reading {
        guard data.count == 24 else { return .malformed }
        return .frame(
            .altBeacon(
                beacon(data[2..<22]), power: Int8(bitPattern: data[22]), manufacturer: manufacturer,
                reserved: data[23]))
    }

    private static func eddystoneUID(_ data: [UInt8]) -> Reading {
        // The frame ends with two reserved bytes, which many beacons leave out.
        guard data.count == 18 || data.count == 20 else { return .malformed }
        return .frame(
            .eddystoneUID(
                namespace: Array(data[2..<12]), instance: Array(data[12..<18]),
                powerAtSource: Int8(bitPattern: data[1])))
    }

    private static func eddystoneURL(_ data: [UInt8]) -> Reading {
        guard (3...20).contains(data.count), schemes.indices.contains(Int(data[2])) else { return .malformed }
        var address = schemes[Int(data[2])]
        for byte in data[3...] {
            switch byte {
            case 0..<UInt8(endings.count): address += endings[Int(byte)]
            case 0x21...0x7E: address.unicodeScalars.append(Unicode.Scalar(byte))
            default: return .malformed
            }
        }
        return .frame(.eddystoneURL(address, powerAtSource: Int8(bitPattern: data[1])))
    }

    private static func eddystoneTLM(_ data: [UInt8]) -> Reading {
        // Version 1 is encrypted with a key that the server does not have, so it counts as an unknown format.
        guard data.count >= 2, data[1] == 0 else { return data.count < 2 ? .malformed : .unknown }
        guard data.count == 14 else { return .malformed }
        let (voltage, temperature) = (number(data[2..<4]), number(data[4..<6]))
        return .frame(
            .eddystoneTLM(
                EddystoneTelemetry(
                    batteryMillivolts: voltage == 0 ? nil : UInt16(voltage),
                    temperature256ths: temperature == 0x8000 ? nil : Int16(bitPattern: UInt16(temperature)),
                    advertisements: number(data[6..<10]), uptimeTenths: number(data[10..<14]))))
    }

    /// Decodes 20 bytes: a UUID, a major and a minor number.
    private static func beacon(_ bytes: ArraySlice<UInt8>) -> Beacon {
        let numbers = bytes.dropFirst(16)
        return Beacon(
            uuid: BeaconUUID(sixteen: bytes.prefix(16)), major: UInt16(number(numbers.prefix(2))),
            minor: UInt16(number(numbers.suffix(2))))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private static let apple: UInt16 = 0x004C
    private static let eddystone: UInt16 = 0xFEAA
    private static let btHome: UInt16 = 0xFCD2
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info",
        ".biz", ".gov",
    ]
}

extension BeaconUUID {
    /// Makes a UUID from its 16 bytes.
    init(sixteen bytes: ArraySlice<UInt8>) {
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes.prefix(8)), low: half(bytes.suffix(8)))
    }
}
