import MusterCore
import MusterWire

/// For any bytes, the decoder counts each structure at most once. A frame that identifies a beacon has a power and a
/// UUID that can be printed and read again, and an Eddystone URL has printable characters only.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let payload = Array(UnsafeBufferPointer(start: data, count: size))
    guard let advertisement = try? Advertisement(reading: payload) else { return 0 }
    let counted = advertisement.frames.count + advertisement.unknownCount + advertisement.malformedCount
    precondition(counted <= size / 2)
    for frame in advertisement.frames {
        if let beacon = frame.beacon {
            precondition(BeaconUUID(beacon.uuid.description) == beacon.uuid)
            precondition(frame.powerAtOneMetre != nil)
        }
        if case .eddystoneURL(let address, _) = frame {
            precondition(address.hasPrefix("http") && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }
    return 0
}
