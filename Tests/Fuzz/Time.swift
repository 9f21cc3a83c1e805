import MusterCore
import MusterWire

/// A time that is read is the same when written and read again; any number of milliseconds can be written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    if let instant = try? Instant(rfc3339: bytes) {
        guard (try? Instant(rfc3339: instant.rfc3339)) == instant else { fatalError("not the same") }
    }
    if size >= 8 {
        let any = Instant(milliseconds: bytes.loadUnaligned(as: Int64.self))
        guard let held = try? Instant(rfc3339: any.rfc3339) else { fatalError("written but not read") }
        let isWritable = any >= .earliestInternetTime && any <= .latestInternetTime
        precondition(!isWritable || held == any)
    }
    return 0
}
