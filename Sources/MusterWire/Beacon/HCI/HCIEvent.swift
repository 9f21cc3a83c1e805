/// An event of a Bluetooth controller, as far as a scanner needs it.
package enum HCIEvent: Hashable, Sendable {
    /// The controller finished a command.
    case completed(opcode: UInt16, status: UInt8, values: [UInt8])
    /// The controller heard advertisements.
    case heard([AdvertisingReport])
    /// Any other event.
    case other(code: UInt8)
}

extension HCIEvent {
    /// Decodes an event packet's content: a code, a length and the parameters.
    ///
    /// - Throws: `HCIError.truncated` when a part is shorter than its length field.
    package init(_ content: ArraySlice<UInt8>) throws(HCIError) {
        var reader = HCIReader(content)
        let code = try reader.byte()
        let length = Int(try reader.byte())
        var parameters = HCIReader(try reader.bytes(length))
        switch code {
        case Self.commandComplete:
            _ = try parameters.byte()
            let opcode = try parameters.number16()
            // The opcode 0 stands for no command: the controller only reports that it accepts commands again.
            guard opcode != 0 else {
                self = .other(code: code)
                return
            }
            self = .completed(opcode: opcode, status: try parameters.byte(), values: Array(parameters.rest))
        case Self.commandStatus:
            let status = try parameters.byte()
            _ = try parameters.byte()
            let opcode = try parameters.number16()
            // A status of 0 means that the command has begun.
            self =
                status == 0 || opcode == 0
                ? .other(code: code) : .completed(opcode: opcode, status: status, values: [])
        case Self.lowEnergy:
            switch try parameters.byte() {
            case Self.advertisingReport: self = .heard(try AdvertisingReport.readLegacy(&parameters))
            case Self.extendedAdvertisingReport: self = .heard(try AdvertisingReport.readExtended(&parameters))
            default: self = .other(code: code)
            }
        default: self = .other(code: code)
        }
    }

    private static let commandComplete: UInt8 = 0x0E
    private static let commandStatus: UInt8 = 0x0F
    private static let lowEnergy: UInt8 = 0x3E
    private static let advertisingReport: UInt8 = 0x02
    private static let extendedAdvertisingReport: UInt8 = 0x0D
}

/// Reads little-endian numbers from the bytes of a packet.
struct HCIReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() throws(HCIError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated }
        return byte
    }

    mutating func number16() throws(HCIError) -> UInt16 {
        let low = try byte()
        return UInt16(try byte()) << 8 | UInt16(low)
    }

    /// Reads a Bluetooth address: six bytes, the last digits first.
    mutating func address() throws(HCIError) -> UInt64 {
        try bytes(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func bytes(_ count: Int) throws(HCIError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
