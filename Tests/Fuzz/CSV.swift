import MusterWire

/// Every row is read or refused with a line that the text has, and the reading ends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var reader = CSVReader(UnsafeRawBufferPointer(start: data, count: size))
    var last = 0
    while true {
        do {
            guard let row = try reader.next() else { return 0 }
            precondition(row.line > last && row.line <= size + 1 && !row.cells.isEmpty)
            last = row.line
        } catch {
            precondition(error.line > last && error.line <= size + 1 && !"\(error.reason)".isEmpty)
            last = error.line
        }
    }
}
