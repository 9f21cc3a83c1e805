import MusterCore
import MusterWire

/// Whatever a TAK client sends, it is cut into events within their limit, and what is read of them can be told to
/// others.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    var frames = CoTFrames()
    frames.append(bytes)
    do {
        while let frame = try frames.next() {
            switch frame {
            case .xml(let xml): check(try? xml.withUnsafeBytes { try CoTEvent(xml: $0) })
            case .message(let payload): check(try? TAKMessage.event(in: payload))
            case .tooLarge: break
            }
        }
    } catch {
        precondition(error == .tooLarge)
    }
    check(try? bytes.withUnsafeBytes { try CoTEvent(xml: $0) })
    check(try? TAKMessage.event(in: bytes))
    return 0
}

private func check(_ event: CoTEvent?) {
    guard let event else { return }
    precondition(!event.uid.isEmpty && !event.type.isEmpty)
    precondition(!(event.isCall && event.endsCall))
    guard let position = event.position(receivedAt: Instant(milliseconds: 0)) else { return }
    guard let attributes = position.attributes, (try? JSONValue(parsing: Array(attributes.utf8))) != nil else {
        fatalError("attributes are no JSON")
    }
    var reply = OwnTracksReply()
    reply.append(position, trackerID: "xx", topic: "")
    guard (try? JSONValue(parsing: reply.bytes)) != nil else { fatalError("the position is no JSON") }
}
