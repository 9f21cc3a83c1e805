import MusterWire

/// A file gives regions and faults with lines that it has, and no fault is lost.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let document = KMLDocument(parsing: UnsafeRawBufferPointer(start: data, count: size))
    precondition(document.faultCount >= document.faults.count)
    precondition(document.faultCount == 0 || !document.faults.isEmpty)
    for fault in document.faults {
        precondition(fault.line >= 1 && fault.line <= size + 1)
        precondition(!fault.detail.isEmpty)
    }
    precondition(document.drafts.allSatisfy { $0.shape != nil })
    precondition(Set(document.drafts.compactMap(\.id)).count == document.drafts.compactMap(\.id).count)
    return 0
}
