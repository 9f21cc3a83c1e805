import MusterWire
import NIOCore
import Synchronization

/// An event for clients, encoded at most once in each form, however many clients get it.
final class TAKRendering: Sendable {
    private struct Encoded {
        var xml: ByteBuffer?
        var message: ByteBuffer?
    }

    private let event: CoTMessage
    private let encoded = Mutex(Encoded())

    init(_ event: CoTMessage) { self.event = event }

    /// The bytes of the event.
    ///
    /// - Parameter asMessage: whether as a message of TAK's protocol 1, and not as XML.
    func bytes(asMessage: Bool) -> ByteBuffer {
        encoded.withLock { encoded in
            if let known = asMessage ? encoded.message : encoded.xml { return known }
            let made = ByteBuffer(bytes: asMessage ? event.message : event.xml)
            if asMessage { encoded.message = made } else { encoded.xml = made }
            return made
        }
    }
}
