package import NIOCore

/// Closes a connection whose client stops reading the response. The client may reconnect and continue where it was.
///
/// Runs on the connection's event loop.
package final class SlowReader {
    /// Seconds within which a client must read something. The operating system's buffers take the first part, and a
    /// phone with a poor network needs time for that.
    static let stallTimeoutSeconds = 45
    /// Seconds within which a client must read something once the server has been told to stop.
    static let shutdownTimeoutSeconds = 2

    private let channel: any Channel
    private let connections: OpenConnections
    private var next: Scheduled<Void>?
    private var waitingBytes = 0
    private var stalledSeconds = 0

    /// Makes a watch of a channel that is not running yet.
    package init(of channel: any Channel, _ connections: OpenConnections) {
        self.channel = channel
        self.connections = connections
    }

    /// Starts when the channel accepts no more for now.
    package func watch() {
        guard next == nil else { return }
        waitingBytes = channel.unsentBytes
        stalledSeconds = 0
        scheduleCheck()
    }

    /// Stops when the channel accepts more again, or has nothing more to send.
    package func stop() {
        next?.cancel()
        next = nil
    }

    private func scheduleCheck() {
        next = channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [self] in checkProgress() }
    }

    private func checkProgress() {
        let bytes = channel.unsentBytes
        stalledSeconds = bytes < waitingBytes ? 0 : stalledSeconds + 1
        waitingBytes = bytes
        if stalledSeconds >= (connections.isStopping ? Self.shutdownTimeoutSeconds : Self.stallTimeoutSeconds) {
            channel.close(promise: nil)
        } else {
            scheduleCheck()
        }
    }
}
