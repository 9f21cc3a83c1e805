import MusterWire

/// For any bytes: what the lenient reader makes of them is written as JSON that is read to the same bytes again, by the
/// strict reader and by the lenient one. Text that the strict reader reads gives the same value. No string holds a NUL
/// where the text is no JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let strict = try? JSONValue(parsing: bytes)
    do {
        let value = try JSONValue(lenientlyParsing: bytes)
        if let strict { precondition(strict.bytes == value.bytes, "valid JSON was read differently") }
        let again = try? JSONValue(parsing: value.bytes)
        guard again?.bytes == value.bytes else { fatalError("not the same when read again") }
        let lenient = try? JSONValue(lenientlyParsing: value.bytes)
        guard lenient?.bytes == value.bytes else { fatalError("not the same when read leniently again") }
        if strict == nil { precondition(!value.bytes.contains(0), "a NUL was kept") }
    } catch {
        precondition(strict == nil, "the lenient reader refused valid JSON")
        precondition(error.offset >= 0 && error.offset <= size)
        precondition(!error.description.isEmpty)
    }
    return 0
}
