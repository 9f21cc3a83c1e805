/// A packet between a Bluetooth controller and its host.
///
/// Source: Bluetooth Core Specification 5.4, Volume 4, Part A (the H4 transport) and Part E (the packets).
package struct HCIPacket: Hashable, Sendable {
    /// The packet's type.
    package var kind: Kind
    /// The bytes after the type, with the packet's own header.
    package var content: ArraySlice<UInt8>

    /// The types of packets, by the byte that H4 puts in front of them.
    package enum Kind: UInt8, Hashable, Sendable {
        case command = 1
        case acknowledgedData = 2
        case synchronousData = 3
        case event = 4
        case isochronousData = 5

        /// The number of bytes of the packet's header, which ends with the length of what follows.
        var headerCount: Int {
            switch self {
            case .event: 2
            case .command, .synchronousData: 3
            case .acknowledgedData, .isochronousData: 4
            }
        }

        /// Returns the number of bytes that follow a complete header.
        func bodyCount(after header: ArraySlice<UInt8>) -> Int {
            let last = Int(header[header.endIndex - 1])
            switch self {
            case .command, .synchronousData, .event: return last
            case .acknowledgedData: return last << 8 | Int(header[header.endIndex - 2])
            case .isochronousData: return (last & 0x3F) << 8 | Int(header[header.endIndex - 2])
            }
        }
    }

    package init(_ kind: Kind, _ content: ArraySlice<UInt8>) {
        self.kind = kind
        self.content = content
    }

    /// Reads one whole packet as it stands in a capture: the type, then the packet.
    ///
    /// - Throws: `HCIError` when the type is unknown, or the packet ends before its own length.
    package init(whole bytes: ArraySlice<UInt8>) throws(HCIError) {
        guard let first = bytes.first else { throw .truncated }
        guard let kind = Kind(rawValue: first) else { throw .unknownType(first) }
        self.init(kind, bytes.dropFirst())
    }
}

/// The reason why bytes are no packet of a Bluetooth controller.
package enum HCIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No packet begins with this byte, so the place of the next packet is unknown.
    case unknownType(UInt8)
    /// The packet ends before its own length.
    case truncated

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .unknownType(let byte): "no packet of a Bluetooth controller begins with the byte \(byte)"
        case .truncated: "a packet of the Bluetooth controller is shorter than it says"
        }
    }
}

/// Reads packets from H4 bytes that arrive in pieces.
package struct HCIPacketReader: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    /// Adds bytes that arrived.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The number of bytes that arrived and are not read yet: less than a packet of 64 KiB once `next` returned nil.
    package var waitingBytes: Int { buffer.count - start }

    /// Reads the next packet; nil until more bytes arrive.
    ///
    /// - Throws: `HCIError.unknownType`. The reader cannot be used after it.
    package mutating func next() throws(HCIError) -> HCIPacket? {
        guard start < buffer.count else { return nil }
        guard let kind = HCIPacket.Kind(rawValue: buffer[start]) else { throw .unknownType(buffer[start]) }
        let bodyStart = start + 1 + kind.headerCount
        guard bodyStart <= buffer.count else { return nil }
        let end = bodyStart + kind.bodyCount(after: buffer[(start + 1)..<bodyStart])
        guard end <= buffer.count else { return nil }
        let packet = HCIPacket(kind, Array(buffer[(start + 1)..<end])[...])
        start = end
        if start > buffer.count / 2 {
            buffer.removeFirst(start)
            start = 0
        }
        return packet
    }
}
