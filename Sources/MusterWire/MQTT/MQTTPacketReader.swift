/// Reads packets from bytes that arrive in pieces.
package struct MQTTPacketReader {
    /// The largest accepted packet, in bytes. The caller may change it between two packets.
    package var limitBytes: Int
    /// The protocol version of the connection, from its CONNECT; nil before.
    package private(set) var version: MQTTVersion?
    private var buffer: [UInt8] = []
    private var start = 0

    /// Makes a reader.
    ///
    /// - Parameter version: the version of an open connection; nil when the first packet must be CONNECT.
    package init(limitBytes: Int, version: MQTTVersion? = nil) {
        self.limitBytes = limitBytes
        self.version = version
    }

    /// The number of bytes that arrived and are not read yet.
    package var waitingBytes: Int { buffer.count - start }

    /// Adds bytes that arrived.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Reads the next packet; nil until more bytes arrive.
    ///
    /// - Throws: `MQTTError` for bytes that are not a valid packet. The reader cannot be used after it.
    package mutating func next() throws(MQTTError) -> MQTTPacket? {
        guard let first = buffer[start...].first else { return nil }
        try checkBegin(first)
        guard let (length, bodyStart) = try bodyLength() else { return nil }
        guard bodyStart - start + length <= limitBytes else {
            throw MQTTError(.packetTooLarge, "a packet of \(length) bytes; \(limitBytes) at most")
        }
        guard bodyStart + length <= buffer.count else { return nil }
        let body = MQTTBodyReader(buffer[bodyStart..<(bodyStart + length)])
        let packet = try MQTTPacket(type: first >> 4, flags: first & 0x0F, body, version: version)
        if case .connect(let connect) = packet { version = connect.version }
        start = bodyStart + length
        shrink()
        return packet
    }

    /// Refuses the first byte of a connection at once if it does not begin a CONNECT.
    private func checkBegin(_ first: UInt8) throws(MQTTError) {
        if version == nil, first != 0x10 { throw .violation("the first packet is not CONNECT") }
    }

    /// Returns the length of the body and the offset at which it begins; nil until the whole length has arrived.
    private func bodyLength() throws(MQTTError) -> (Int, Int)? {
        let header = buffer[(start + 1)...].prefix(4)
        guard header.count == 4 || header.contains(where: { $0 & 0x80 == 0 }) else { return nil }
        var length = MQTTBodyReader(header)
        let number = Int(try length.variableNumber())
        let count = header.prefix { $0 & 0x80 != 0 }.count + 1
        return (number, start + 1 + count)
    }

    /// Removes bytes from the buffer that were read, once they are more than half of it.
    private mutating func shrink() {
        if start == buffer.count {
            // The memory of a large packet is freed, and not kept for the next packets.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 4_096)
            start = 0
        } else if start > buffer.count / 2 {
            buffer.removeFirst(start)
            start = 0
        }
    }
}
