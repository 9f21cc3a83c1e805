import MusterCore
import MusterWire

/// Whatever a phone posts, its positions can be told to others, and their attributes are JSON within their limit, as is
/// what it says of itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    guard let request = try? OwnTracksRequest(parsing: bytes, receivedAt: Instant(milliseconds: 0)) else { return 0 }
    var reply = OwnTracksReply()
    for case .location(let location) in request.messages {
        reply.append(location.position, trackerID: "xx", topic: location.topic ?? "")
        guard let attributes = location.position.attributes else { continue }
        precondition(attributes.utf8.count <= OwnTracksRequest.attributeLimitBytes)
        guard (try? JSONValue(parsing: Array(attributes.utf8))) != nil else { fatalError("attributes are no JSON") }
    }
    for note in request.messages.flatMap({ $0.notes(receivedAt: Instant(milliseconds: 0)) }) {
        precondition(note.body.utf8.count <= DeviceNote.bodyLimitBytes)
        precondition(note.name.key.utf8.count <= DeviceNote.Name.keyLimitBytes)
        guard (try? JSONValue(parsing: Array(note.body.utf8))) != nil else { fatalError("a note is no JSON") }
        if let card = OwnTracksCard(note) {
            reply.append(cardNamed: card.name ?? "", face: card.face, trackerID: "xx", topic: "")
        }
    }
    guard (try? JSONValue(parsing: reply.bytes)) != nil else { fatalError("the reply is no JSON") }
    return 0
}
