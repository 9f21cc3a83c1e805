import MusterCore
import MusterWire

/// For any bytes: a stream of packets is read the same in whatever pieces it arrives, a capture too, and what is joined
/// from fragments is no longer than an advertisement can be.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let whole = packets(bytes, pieces: max(1, size))
    precondition(packets(bytes, pieces: 3) == whole, "the pieces make other packets")
    var assembler = AdvertisementAssembler()
    var watch = ScanWatch(resets: size % 2 == 0, at: 0)
    var time = 0.0
    for packet in whole where packet.kind == .event {
        guard let event = try? HCIEvent(packet.content) else { continue }
        time += 1
        _ = try? watch.follow(event, at: time)
        _ = watch.advance(to: time)
        guard case .heard(let reports) = event else { continue }
        for report in reports {
            precondition(report.address >> 48 == 0)
            let payload = assembler.add(report)
            precondition((payload?.count ?? 0) <= AdvertisementReader.limitBytes)
            if let payload { _ = try? Advertisement(reading: payload) }
        }
    }
    precondition(records(bytes, pieces: 7) == records(bytes, pieces: max(1, size)), "the pieces make other records")
    return 0
}

private func packets(_ bytes: [UInt8], pieces: Int) -> [HCIPacket] {
    var reader = HCIPacketReader()
    var found: [HCIPacket] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
        reader.append(bytes[start..<min(start + pieces, bytes.count)])
        do {
            while let packet = try reader.next() { found.append(packet) }
        } catch {
            return found
        }
    }
    return found
}

private func records(_ bytes: [UInt8], pieces: Int) -> [BtsnoopReader.Record] {
    var reader = BtsnoopReader()
    var found: [BtsnoopReader.Record] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
        reader.append(bytes[start..<min(start + pieces, bytes.count)])
        do {
            while let record = try reader.next() { found.append(record) }
        } catch {
            return found
        }
    }
    return found
}
