import MusterCore
import MusterWire

/// A region that is read and written as a feature is the same region when read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    do {
        for draft in try RegionDraft.decode(bytes) {
            let region = Region(
                number: RegionNumber(1), collection: CollectionNumber(1), id: draft.id ?? "id",
                name: draft.name ?? "name",
                shape: draft.shape, isMuster: draft.isMuster, dwellSeconds: draft.dwellSeconds,
                exitDelaySeconds: draft.exitDelaySeconds, properties: draft.properties)
            var writer = JSONWriter()
            writer.feature(region)
            let read = writer.bytes.withUnsafeBytes { try? RegionDraft.decode($0) }
            guard let again = read?.first else { fatalError("written but not read") }
            precondition(again.shape == draft.shape && again.id == region.id && again.name == region.name)
            precondition(again.isMuster == draft.isMuster && again.dwellSeconds == draft.dwellSeconds)
        }
    } catch {
        precondition(!error.faults.isEmpty && error.faults.count <= 100)
        for fault in error.faults { precondition(!"\(fault.reason)".isEmpty) }
    }
    return 0
}
