import MusterCore
import MusterWire

/// A document gives an alert or a feed within the limits, whose shapes are valid or refused in words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    do throws(CAPError) {
        switch try WarningDocument(parsing: bytes) {
        case .alert(let alert): check(alert)
        case .feed(let feed):
            precondition(feed.entries.count <= WarningFeed.entryLimit)
            precondition(feed.entries.allSatisfy { !$0.link.isEmpty })
        }
    } catch {
        precondition(!error.description.isEmpty)
    }
    return 0
}

private func check(_ alert: CAPAlert) {
    precondition(!alert.key.identifier.isEmpty && !alert.key.sender.isEmpty)
    precondition(alert.references.count <= CAPAlert.referenceLimit && alert.infos.count <= CAPAlert.infoLimit)
    var shapes = 0
    for info in alert.infos {
        for text in [info.headline, info.event, info.senderName] {
            precondition(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        }
        for outline in info.areas.flatMap(\.shapes) {
            shapes += 1
            do throws(ShapeError) { _ = try outline.shape() } catch { precondition(!error.detail.isEmpty) }
        }
    }
    precondition(shapes <= CAPAlert.shapeLimit)
}
