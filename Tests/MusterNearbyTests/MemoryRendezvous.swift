import MusterNearby
import Synchronization

/// A rendezvous in memory: devices that meet at one `Hub` find each other, and it carries their streams.
final class MemoryRendezvous: Rendezvous {
    /// Where devices meet.
    final class Hub: Sendable {
        struct Guest {
            let own: Announcement
            let tell: @Sendable (DiscoveryNews) -> Void
            let accept: @Sendable (any PeerStream) -> Void
        }

        let guests = Mutex<[String: Guest]>([:])
        let streams = Mutex<[MemoryStream]>([])

        /// Cuts all streams, as both ends hear.
        func cut() { for stream in streams.withLock({ $0 }) { stream.end() } }
    }

    private let hub: Hub
    private let id: String

    init(_ id: String, at hub: Hub) {
        self.id = id
        self.hub = hub
    }

    func run(
        announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void,
        accept: @escaping @Sendable (any PeerStream) -> Void
    ) async throws {
        let others = hub.guests.withLock { guests in
            defer { guests[id] = Hub.Guest(own: own, tell: tell, accept: accept) }
            return guests
        }
        for (other, guest) in others {
            tell(.found(FoundPeer(id: other, name: guest.own.name, addresses: [], key: guest.own.key)))
            guest.tell(.found(FoundPeer(id: id, name: own.name, addresses: [], key: own.key)))
        }
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        let left = hub.guests.withLock { guests in
            guests[id] = nil
            return guests
        }
        for guest in left.values { guest.tell(.lost(id: id)) }
    }

    func open(_ id: String) async throws -> any PeerStream {
        guard let guest = hub.guests.withLock({ $0[id] }) else { throw Absent() }
        let (here, there) = MemoryStream.pair()
        hub.streams.withLock { $0 += [here, there] }
        guest.accept(there)
        return here
    }

    struct Absent: Error, CustomStringConvertible {
        var description: String { "it is not there" }
    }
}

/// One end of a stream in memory.
final class MemoryStream: PeerStream {
    private struct State {
        var other: MemoryStream?
        var receive: (@Sendable ([UInt8]) -> Void)?
        var ended: (@Sendable () -> Void)?
        var early: [[UInt8]] = []
        var isOver = false
    }

    let origin = "memory"
    let waitingBytes = 0
    private let state = Mutex(State())
    /// Every byte that was sent.
    let sent = Mutex<[UInt8]>([])

    static func pair() -> (MemoryStream, MemoryStream) {
        let (first, second) = (MemoryStream(), MemoryStream())
        first.state.withLock { $0.other = second }
        second.state.withLock { $0.other = first }
        return (first, second)
    }

    func start(receive: @escaping @Sendable ([UInt8]) -> Void, ended: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            (state.receive, state.ended) = (receive, ended)
            for bytes in state.early { receive(bytes) }
            state.early = []
            return state.isOver
        }
        if isOver { ended() }
    }

    func returnCredit(_ count: Int) {}

    func send(_ bytes: [UInt8]) {
        sent.withLock { $0 += bytes }
        state.withLock { $0.other }?.deliver(bytes)
    }

    private func deliver(_ bytes: [UInt8]) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let receive = state.receive { receive(bytes) } else { state.early.append(bytes) }
        }
    }

    func close() {
        let other = state.withLock { state in
            defer { (state.isOver, state.other, state.ended) = (true, nil, nil) }
            return state.other
        }
        other?.end()
    }

    func end() {
        let ended = state.withLock { state in
            defer { (state.isOver, state.other, state.ended) = (true, nil, nil) }
            return state.ended
        }
        ended?()
    }
}
