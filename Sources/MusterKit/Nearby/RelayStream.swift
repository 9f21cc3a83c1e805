import MusterNearby
import NIOCore
import Synchronization

/// One end of a stream through the relay.
final class RelayStream: PeerStream {
    let number: UInt32
    let origin: String
    private let link: NIOLoopBound<RelayLink>
    private let eventLoop: any EventLoop
    private let waiting = Atomic<Int>(0)

    init(_ number: UInt32, from origin: String, over link: NIOLoopBound<RelayLink>, on eventLoop: any EventLoop) {
        self.number = number
        self.origin = origin
        self.link = link
        self.eventLoop = eventLoop
    }

    var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    func start(receive: @escaping @Sendable ([UInt8]) -> Void, ended: @escaping @Sendable () -> Void) {
        eventLoop.execute { self.link.value.start(self.number, receive, ended) }
    }

    func returnCredit(_ count: Int) {
        eventLoop.execute { self.link.value.returnCredit(count, of: self.number) }
    }

    func send(_ bytes: [UInt8]) {
        waiting.add(bytes.count, ordering: .relaxed)
        eventLoop.execute { self.link.value.send(bytes, on: self) }
    }

    func close() { eventLoop.execute { self.link.value.close(self.number) } }

    /// Records that bytes were sent or dropped, so that they no longer wait.
    func release(_ count: Int) { waiting.subtract(count, ordering: .relaxed) }
}
