import MusterCore
import MusterGeometry
import MusterWire

/// For any bytes: a message of a radio has a place on the globe, a time and an accuracy of some metres at least, or is
/// counted; the text of its radio is read back as the same radio. Any topic is read without a crash.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    _ = MeshtasticTopic(String(decoding: bytes.prefix(64), as: UTF8.self))
    let now = Instant(milliseconds: 1_764_000_000_000)
    guard let message = try? MeshtasticMessage(parsing: bytes, receivedAt: now) else { return 0 }
    switch message {
    case .position(let position, of: let radio):
        precondition(Beacon(radio.text) == radio)
        precondition((-90...90).contains(position.coordinate.latitude))
        precondition((-180...180).contains(position.coordinate.longitude))
        precondition(position.coordinate.latitude != 0 || position.coordinate.longitude != 0)
        precondition(position.accuracy.map { $0.value >= 5 && $0.value < 2.1e7 } ?? false)
        precondition(position.sampleTime.milliseconds > 0)
        precondition(position.attributes.map { (try? JSONValue(parsing: Array($0.utf8))) != nil } ?? true)
    case .status(let note, of: let radio):
        precondition(Beacon(radio.text) == radio)
        precondition((try? JSONValue(parsing: Array(note.body.utf8)))?.members?.isEmpty == false)
    case .unlocated, .untimed, .encrypted, .other, .malformed: break
    }
    return 0
}
