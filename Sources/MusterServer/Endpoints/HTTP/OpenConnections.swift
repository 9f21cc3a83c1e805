import NIOCore
import ServiceLifecycle
import Synchronization

/// The connections that are open: each begins small, whoever waits on one hears that it has closed, and what they held
/// is given back when many have.
package final class OpenConnections: Service {
    private struct State {
        var count = 0
        /// As many as were open at once since memory was given back.
        var most = 0
        /// How often memory is still to be given back: what was under way on a connection ends after it.
        var turnsLeft = 0
        /// What to do when a connection closes.
        var watches: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// So few that what they held is not worth giving back.
    private static let few = 500
    private static let lookSeconds: Double = 2

    /// No connection yet.
    package init() {}

    /// Makes what stands in every new connection.
    func handler() -> any ChannelHandler & RemovableChannelHandler { ConnectionHandler(self) }

    /// Has something done once a connection is closed, or its other end is: for what is under way on it, so there is
    /// one such thing at a time, to be ended by `unwatch`.
    func watch(_ channel: any Channel, _ whenClosed: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = whenClosed }
        // It may have closed before.
        if !channel.isActive { endWatch(ObjectIdentifier(channel)) }
    }

    /// Ends the watch over a connection.
    func unwatch(_ channel: any Channel) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = nil }
    }

    fileprivate func endWatch(_ channel: ObjectIdentifier) {
        state.withLock { $0.watches.removeValue(forKey: channel) }?()
    }

    /// Gives memory back until graceful shutdown.
    package func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: .seconds(Self.lookSeconds))
                if mayGiveBack() { ProcessMemory.giveBack() }
            }
        }
    }

    /// Whether no more than half of those that were open still are; some times in turn for each such time.
    private func mayGiveBack() -> Bool {
        state.withLock { state in
            if state.most >= Self.few, state.count <= state.most / 2 {
                state.most = state.count
                state.turnsLeft = 3
            }
            guard state.turnsLeft > 0 else { return false }
            state.turnsLeft -= 1
            return true
        }
    }

    fileprivate func opened() {
        state.withLock { state in
            state.count += 1
            state.most = max(state.most, state.count)
        }
    }

    fileprivate func closed(_ channel: ObjectIdentifier) {
        state.withLock { $0.count -= 1 }
        endWatch(channel)
    }
}

/// Begins a connection, and tells when whoever is at its other end will send no more.
private final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    private let connections: OpenConnections

    init(_ connections: OpenConnections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.opened()
        let channel = ObjectIdentifier(context.channel)
        context.channel.closeFuture.whenComplete { [connections] _ in connections.closed(channel) }
        // Each connection keeps the memory that it read into last, and most requests are a few hundred bytes. What
        // brings more at a time makes it grow. A channel without this option reads as it is used to.
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: buffers)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A reader that is gone and one that closed only its half look alike, and who waits for a feed has no reason to
        // close half of it.
        if event as? ChannelEvent == .inputClosed { connections.endWatch(ObjectIdentifier(context.channel)) }
        context.fireUserInboundEventTriggered(event)
    }
}
