import MusterCore
import MusterWire

/// Whatever a tracker app posts, its positions can be told to others, their attributes are JSON, and what says why a
/// part cannot be read is short.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let now = Instant(milliseconds: 0)
    let form = FormFields(String(decoding: bytes, as: UTF8.self))
    let reports = [
        OsmAndReport.report(form, receivedAt: now), try? OsmAndReport.report(parsing: bytes, receivedAt: now),
        try? OverlandReport.report(parsing: bytes, receivedAt: now), ULoggerReport.report(form, receivedAt: now),
        ULoggerReport.report(fields(ofMultipart: bytes), receivedAt: now),
    ]
    for report in reports.compactMap(\.self) {
        precondition(report.positions.count <= TrackerReport.positionLimit)
        precondition((report.fault == nil) == (report.faultCount == 0))
        precondition((report.fault?.utf8.count ?? 0) < 128)
        var reply = OwnTracksReply()
        for position in report.positions {
            reply.append(position, trackerID: "xx", topic: "")
            guard let attributes = position.attributes else { continue }
            precondition(attributes.utf8.count <= OwnTracksRequest.attributeLimitBytes)
            guard (try? JSONValue(parsing: Array(attributes.utf8))) != nil else { fatalError("attributes are no JSON") }
        }
        guard (try? JSONValue(parsing: reply.bytes)) != nil else { fatalError("the positions are no JSON") }
    }
    if let value = try? JSONValue(lenientlyParsing: bytes) { _ = value.trackerID }
    return 0
}

/// The fields of a multipart form, which come in pieces.
private func fields(ofMultipart bytes: UnsafeRawBufferPointer) -> FormFields {
    guard var form = MultipartFields(contentType: "multipart/form-data; boundary=b") else { fatalError("no form") }
    do {
        for start in stride(from: 0, to: bytes.count, by: 7) {
            try form.add(bytes[start..<min(start + 7, bytes.count)])
        }
    } catch {}
    return form.fields
}
