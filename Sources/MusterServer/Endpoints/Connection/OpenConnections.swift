import Foundation
import NIOCore
import ServiceLifecycle
import Synchronization

/// The connections that are open: each begins small, whoever waits on one hears that it has closed, and what they held
/// is given back when many have.
package final class OpenConnections: Service {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        /// As many as were open at once since memory was given back.
        var most = 0
        /// How often memory is still to be given back: what was under way on a connection ends after it.
        var turnsLeft = 0
        var isStopping = false
        /// What to do when a connection closes.
        var watches: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// So few that what they held is not worth giving back.
    private static let few = 500
    private static let lookSeconds: Double = 2
    /// Seconds without a byte after which the system asks whether the other end is still there.
    private static let quietSeconds: ChannelOptions.Types.SocketOption.Value = 300
    #if canImport(Darwin)
        private static let probeAfter = NIOBSDSocket.Option(rawValue: TCP_KEEPALIVE)
    #else
        private static let probeAfter = NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
    #endif

    /// What each may take.
    let limits: ConnectionLimits
    /// Whose word about a client's address counts.
    let proxies: TrustedProxies
    /// What their bodies hold.
    let bodies: BodyBudget

    /// No connection yet.
    package init(limits: ConnectionLimits = ConnectionLimits(), proxies: TrustedProxies = TrustedProxies()) {
        self.limits = limits
        self.proxies = proxies
        bodies = BodyBudget(limits)
    }

    /// Has something done once a connection is closed, or its other end is: for what is under way on it, so there is
    /// one such thing at a time, to be ended by `unwatch`.
    func watch(_ channel: any Channel, _ whenClosed: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = whenClosed }
        // It may have closed before.
        if !channel.isActive { endWatch(channel) }
    }

    /// Ends the watch over a connection.
    func unwatch(_ channel: any Channel) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = nil }
    }

    /// Does what was to be done once this connection is closed.
    func endWatch(_ channel: any Channel) { endWatch(ObjectIdentifier(channel)) }

    private func endWatch(_ channel: ObjectIdentifier) {
        state.withLock { $0.watches.removeValue(forKey: channel) }?()
    }

    /// Ends every connection, whatever is under way on it.
    func closeAll() {
        for channel in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
    }

    /// Whether the server was told to stop.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Gives memory back until graceful shutdown.
    package func run() async throws {
        defer { state.withLock { $0.isStopping = true } }
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
            if state.most >= Self.few, state.open.count <= state.most / 2 {
                state.most = state.open.count
                state.turnsLeft = 3
            }
            guard state.turnsLeft > 0 else { return false }
            state.turnsLeft -= 1
            return true
        }
    }

    /// Begins a connection, from its event loop.
    func opened(_ channel: any Channel) {
        let identifier = ObjectIdentifier(channel)
        state.withLock { state in
            state.open[identifier] = channel
            state.most = max(state.most, state.open.count)
        }
        channel.closeFuture.whenComplete { [self] _ in closed(identifier) }
        // Each connection keeps the memory that it read into last, and most requests are a few hundred bytes. What
        // brings more at a time makes it grow. A channel without this option reads as it is used to.
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
        try? channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        // A phone that has lost its network says no farewell, and would be waited for for ever.
        try? channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
        try? channel.syncOptions?.setOption(.tcpOption(Self.probeAfter), value: Self.quietSeconds)
    }

    private func closed(_ channel: ObjectIdentifier) {
        state.withLock { $0.open[channel] = nil }
        endWatch(channel)
    }
}
