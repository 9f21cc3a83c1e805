import MusterCore
import MusterWire

/// Positions that are read can be exported in every form, and read again from lines as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let now = Instant(milliseconds: 0)
    for form in [PositionDecoder.Form.json, .lines] {
        do {
            let reported = try PositionDecoder.decode(bytes, as: form, receivedAt: now)
            for form in PositionExport.Form.allCases { export(reported, as: form, at: now) }
        } catch {
            precondition(!error.faults.isEmpty && error.faults.count <= 100)
            for fault in error.faults { precondition(fault.offset >= 0 && fault.offset <= size) }
        }
    }
    return 0
}

private func export(_ reported: ReportedPositions, as form: PositionExport.Form, at now: Instant) {
    var export = PositionExport(as: form)
    export.begin()
    for item in reported.items {
        export.append(item.position, device: item.deviceIndex.map { reported.deviceNames[$0] } ?? "none")
    }
    export.end()
    let bytes = export.takeBytes()
    switch form {
    case .ndjson:
        let again = bytes.withUnsafeBytes { try? PositionDecoder.decode($0, as: .lines, receivedAt: now) }
        guard again?.items.map(\.position) == reported.items.map(\.position) else { fatalError("not the same") }
    case .json, .geojson:
        guard (try? JSONValue(parsing: bytes, depthLimit: 64)) != nil else { fatalError("no JSON") }
    case .gpx:
        guard (try? GPXDocument(parsing: bytes)) != nil else { fatalError("no GPX") }
    case .csv: break
    }
}
