import MusterCore
import MusterWire

/// What is read of a body of ranges is within the limits of ranges, and a tag that is read is the same when written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    guard let reported = try? RangeDecoder.decode(bytes) else { return 0 }
    precondition(reported.items.count <= RangeDecoder.limit)
    for range in reported.items {
        precondition(PeerRange.metresLimits.contains(range.metres))
        precondition(range.deviationMetres > 0 && range.deviationMetres <= PeerRange.deviationLimit)
        precondition(RangeTag("\(range.tag)") == range.tag && RangeTag(bytes: range.tag.bytes) == range.tag)
    }
    return 0
}
