import MusterWire

/// A file is read or refused with a line that it has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    do {
        _ = try GPXDocument(parsing: UnsafeRawBufferPointer(start: data, count: size))
    } catch {
        precondition(error.line >= 1 && error.line <= size + 1)
        precondition(!error.description.isEmpty)
    }
    return 0
}
