/// One advertisement that a Bluetooth controller heard.
package struct AdvertisingReport: Hashable, Sendable {
    /// The sender's address, in the lower 48 bits.
    package var address: UInt64
    /// How the sender chose the address.
    package var addressKind: AddressKind
    /// The strength of the received signal in dBm; nil when the controller does not know it.
    package var signal: Int?
    /// The advertisement's payload, or a fragment of it.
    package var payload: [UInt8]
    /// The number of the sender's advertisement; nil in reports of the older form.
    package var set: UInt8?
    /// Whether the payload ends here.
    package var part: Part

    /// Whether a report ends its advertisement.
    package enum Part: Hashable, Sendable {
        /// The payload is complete, or its last fragment.
        case last
        /// Fragments follow.
        case more
        /// The controller lost the rest.
        case cut
    }

    /// How a device chose its address.
    package enum AddressKind: Hashable, Sendable {
        /// The maker assigned it, or the device chose it once and keeps it.
        case lasting
        /// The device changes it every few minutes, so that nobody can follow it.
        case changing
    }

    /// Reads a report of the older form (LE Advertising Report, subevent 0x02).
    static func readLegacy(_ reader: inout HCIReader) throws(HCIError) -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        for _ in 0..<Int(try reader.byte()) {
            _ = try reader.byte()
            let kind = try reader.byte()
            let address = try reader.address()
            let count = Int(try reader.byte())
            let payload = Array(try reader.bytes(count))
            reports.append(
                AdvertisingReport(
                    address: address, addressKind: AddressKind(kind, address), signal: signal(try reader.byte()),
                    payload: payload, set: nil, part: .last))
        }
        return reports
    }

    /// Reads a report of the newer form (LE Extended Advertising Report, subevent 0x0D).
    static func readExtended(_ reader: inout HCIReader) throws(HCIError) -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        for _ in 0..<Int(try reader.byte()) {
            let type = try reader.number16()
            let kind = try reader.byte()
            let address = try reader.address()
            _ = try reader.bytes(2)  // The radio's modulation on both channels.
            let set = try reader.byte()
            _ = try reader.byte()  // The strength at which the device sends.
            let strength = try reader.byte()
            _ = try reader.bytes(9)  // The interval of periodic advertisements, and the address that it is meant for.
            let count = Int(try reader.byte())
            let payload = Array(try reader.bytes(count))
            let part: Part =
                switch type >> 5 & 3 {
                case 0: .last
                case 1: .more
                default: .cut
                }
            reports.append(
                AdvertisingReport(
                    address: address, addressKind: AddressKind(kind, address), signal: signal(strength),
                    payload: payload, set: set == 0xFF ? nil : set, part: part))
        }
        return reports
    }

    private static func signal(_ byte: UInt8) -> Int? {
        let value = Int(Int8(bitPattern: byte))
        return value == 127 ? nil : value
    }
}

extension AdvertisingReport.AddressKind {
    /// - Parameters:
    ///   - type: the address type of a report: an odd number for an address that the device chose itself.
    ///   - address: its two highest bits show whether a device that chose it keeps it.
    init(_ type: UInt8, _ address: UInt64) {
        self = type & 1 == 0 || address >> 46 & 3 == 3 ? .lasting : .changing
    }
}

/// Joins the fragments of long advertisements.
package struct AdvertisementAssembler: Sendable {
    private struct Sender: Hashable {
        var address: UInt64
        var set: UInt8?
    }

    private var begun: [Sender: [UInt8]] = [:]

    /// The largest number of advertisements that wait for their next fragment. One more discards them all.
    package static let limit = 64

    package init() {}

    /// Adds a report.
    ///
    /// - Returns: the payload when the report completes it; nil when fragments are missing, when the controller lost
    ///   some, and when the payload is longer than any advertisement.
    package mutating func add(_ report: AdvertisingReport) -> [UInt8]? {
        let sender = Sender(address: report.address, set: report.set)
        let payload = (begun.removeValue(forKey: sender) ?? []) + report.payload
        switch report.part {
        case .last: return payload.count <= AdvertisementReader.limitBytes ? payload : nil
        case .cut: return nil
        case .more:
            guard payload.count <= AdvertisementReader.limitBytes else { return nil }
            if begun.count >= Self.limit { begun.removeAll() }
            begun[sender] = payload
            return nil
        }
    }
}
