import MusterCore
import MusterWire

/// For any bytes: a message of a gateway has no sighting without a strength or a distance that can be, and each of its
/// beacons once; what is heard is counted or a sighting. Any topic is read without a crash.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    _ = GatewayTopic(String(decoding: bytes.prefix(64), as: UTF8.self))
    let now = Instant(milliseconds: 1_764_000_000_000)
    guard let message = try? GatewayMessage(parsing: bytes, radio: "CBB8334C884F", receivedAt: now) else { return 0 }
    precondition(Set(message.sightings.map(\.beacon)).count == message.sightings.count)
    precondition(!message.sightings.isEmpty || message.unknownCount + message.malformedCount > 0)
    for sighting in message.sightings {
        precondition(sighting.signalStrength.map { (-200...50).contains($0) } ?? (sighting.distance != nil))
        precondition(sighting.sampleTime == now)
    }
    return 0
}
