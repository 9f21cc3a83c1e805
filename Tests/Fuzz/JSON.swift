import MusterWire

/// A value that is read is passed over too, and survives being written and read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    do {
        let value = try JSONValue(parsing: bytes)
        var reader = JSONReader(bytes)
        guard (try? reader.skip()) != nil, (try? reader.finish()) != nil else { fatalError("read but not passed over") }
        guard (try? JSONValue(parsing: value.bytes)) == value else { fatalError("not the same when read again") }
    } catch {
        precondition(error.offset >= 0 && error.offset <= size)
        // Byte by byte: to `hasPrefix` a slash with a combining mark behind it is no slash.
        precondition(error.pointer.isEmpty || error.pointer.utf8.first == UInt8(ascii: "/"))
        precondition(!error.description.isEmpty)
    }
    return 0
}
