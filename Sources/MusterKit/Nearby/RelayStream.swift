import MusterMutex
import MusterNearby
import NIOCore

/// One end of a stream through the relay.
final class RelayStream: PeerStream {
    let number: UInt32
    let origin: String
    private let link: NIOLoopBound<RelayLink>
    private let eventLoop: any EventLoop
    private let waiting = Mutex(0)

    init(_ number: UInt32, from origin: String, over link: NIOLoopBound<RelayLink>, on eventLoop: any EventLoop) {
        self.number = number
        self.origin = origin
        self.link = link
        self.eventLoop = eventLoop
    }

    var waitingBytes: Int { waiting.withLock { $0 } }

    func start(receive: @escaping @Sendable ([UInt8]) -> Void, ended: @escaping @Sendable () -> Void) {
        eventLoop.execute { self.link.value.start(self.number, receive, ended) }
    }

    func returnCredit(_ count: Int) {
        eventLoop.execute { self.link.value.returnCredit(count, of: self.number) }
    }

    func send(_ bytes: [UInt8]) {
        waiting.withLock { $0 += bytes.count }
        eventLoop.execute { self.link.value.send(bytes, on: self) }
    }

    func close() { eventLoop.execute { self.link.value.close(self.number) } }

    /// Records that bytes were sent or dropped, so that they no longer wait.
    func release(_ count: Int) { waiting.withLock { $0 -= count } }
}
