import MusterWire

/// The reader returns the same packets for the same bytes, in whatever pieces they arrive. A packet that is encoded and
/// decoded again is equal to the original.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
    for version in [nil, MQTTVersion.v3, .v5] {
        let whole = packets(bytes, pieces: max(1, size), version)
        guard packets(bytes, pieces: 3, version) == whole else {
            fatalError("bytes that arrive in pieces of three are read as other packets than the same bytes at once")
        }
        for packet in whole {
            var own = version
            if case .connect(let connect) = packet { own = connect.version }
            guard let own else { continue }
            guard packets(packet.bytes(own), pieces: max(1, size), isConnect(packet) ? nil : own) == [packet] else {
                fatalError("a packet that is encoded and decoded again differs from the original")
            }
        }
    }
    return 0
}

private func isConnect(_ packet: MQTTPacket) -> Bool { if case .connect = packet { true } else { false } }

/// Returns the packets that the reader finds before the first fault, when `pieces` bytes arrive at a time.
private func packets(_ bytes: [UInt8], pieces: Int, _ version: MQTTVersion?) -> [MQTTPacket] {
    var reader = MQTTPacketReader(limitBytes: 4_096, version: version)
    var found: [MQTTPacket] = []
    var rest = bytes[...]
    repeat {
        let piece = rest.prefix(pieces)
        rest = rest.dropFirst(piece.count)
        reader.append(piece)
        do throws(MQTTError) {
            while let packet = try reader.next() { found.append(packet) }
        } catch {
            return found
        }
    } while !rest.isEmpty
    return found
}
