import Foundation
package import NIOCore
import ServiceLifecycle
import Synchronization

/// The open connections. Sets up each with small buffers, tells waiting work that its connection has closed, and
/// releases memory after many have closed.
package final class OpenConnections: Service {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        /// The largest number open at once since memory was last released.
        var most = 0
        /// The number of releases of memory that are still due, because a connection's work ends after the connection.
        var turnsLeft = 0
        var isStopping = false
        /// The action to run when a connection closes.
        var watches: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// With fewer connections than this, their memory is not worth releasing.
    private static let few = 500
    private static let lookSeconds: Double = 2
    /// Seconds without a byte after which the operating system checks whether the client is still there.
    private static let quietSeconds: ChannelOptions.Types.SocketOption.Value = 300
    #if canImport(Darwin)
        private static let probeAfter = NIOBSDSocket.Option(rawValue: TCP_KEEPALIVE)
    #else
        private static let probeAfter = NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
    #endif

    package let limits: ConnectionLimits
    /// The proxies that the server trusts to state a client's address.
    package let proxies: TrustedProxies
    /// The memory limits of request bodies.
    package let bodies: BodyBudget
    /// The memory limits of answers that are not read.
    package let answers: AnswerBudget
    /// The decisions about requests whose route is not known yet.
    package let policy: ConnectionPolicy

    package init(
        limits: ConnectionLimits = ConnectionLimits(), proxies: TrustedProxies = TrustedProxies(),
        policy: ConnectionPolicy = ConnectionPolicy()
    ) {
        self.limits = limits
        self.proxies = proxies
        self.policy = policy
        bodies = BodyBudget(limits)
        answers = AnswerBudget(limits)
    }

    /// The metrics of the connections' memory.
    package var families: [MetricFamily] {
        [
            MetricFamily(
                "muster_connection_memory_bytes", .gauge,
                "Memory that connections hold: requests not yet answered, and answers not yet read.", by: "kind",
                [("requests", Double(bodies.heldBytes)), ("answers", Double(answers.heldBytes))])
        ]
    }

    /// Sets an action to run once a connection, or the client's half of it, has closed. A connection has at most one
    /// such action, for the work under way on it; remove it with `unwatch`.
    package func watch(_ channel: any Channel, _ whenClosed: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = whenClosed }
        // The connection may have closed before.
        if !channel.isActive { endWatch(channel) }
    }

    /// Removes the action of a connection.
    package func unwatch(_ channel: any Channel) {
        state.withLock { $0.watches[ObjectIdentifier(channel)] = nil }
    }

    /// Runs the action of a connection that has closed.
    func endWatch(_ channel: any Channel) { endWatch(ObjectIdentifier(channel)) }

    private func endWatch(_ channel: ObjectIdentifier) {
        state.withLock { $0.watches.removeValue(forKey: channel) }?()
    }

    /// Closes every connection, with all work on it.
    func closeAll() {
        for channel in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
    }

    /// Whether the server has been told to stop.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Releases memory until graceful shutdown.
    package func run() async throws {
        defer { state.withLock { $0.isStopping = true } }
        try? await cancelWhenGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: .seconds(Self.lookSeconds))
                if mayGiveBack() { ProcessMemory.giveBack() }
            }
        }
    }

    /// Whether at most half of the connections are still open. After each such drop, returns true three times.
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

    /// Sets up a new connection; called on its event loop.
    package func opened(_ channel: any Channel) {
        let identifier = ObjectIdentifier(channel)
        state.withLock { state in
            state.open[identifier] = channel
            state.most = max(state.most, state.open.count)
        }
        channel.closeFuture.whenComplete { [self] _ in closed(identifier) }
        // Each connection keeps its last read buffer, and most requests have a few hundred bytes. Larger reads make the
        // buffer grow. A channel without this option keeps its default.
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
        try? channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        // A phone that lost its network closes nothing, and the server would wait for it forever.
        try? channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
        try? channel.syncOptions?.setOption(.tcpOption(Self.probeAfter), value: Self.quietSeconds)
    }

    private func closed(_ channel: ObjectIdentifier) {
        state.withLock { $0.open[channel] = nil }
        endWatch(channel)
    }
}
