import MusterWire

/// For any bytes: what is read leniently is JSON within its limits, which is read back as the same value; valid JSON
/// gives the value that the strict reader gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let strict = try? JSONValue(parsing: bytes, depthLimit: 8, valueLimit: 1_000)
    guard let value = try? JSONValue(lenientlyParsing: bytes, depthLimit: 8, valueLimit: 1_000) else {
        precondition(strict == nil)
        return 0
    }
    if let strict { precondition(strict == value) }
    let again = try? JSONValue(parsing: value.bytes, depthLimit: 8, valueLimit: 1_000)
    precondition(again == value)
    return 0
}
