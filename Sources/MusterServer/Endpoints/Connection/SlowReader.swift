import NIOCore

/// Ends a connection whose reader takes nothing of what was sent to it: it may come back where it was.
///
/// On the event loop of its connection.
final class SlowReader {
    /// Seconds in which a reader takes something. The system takes the first of it on its behalf, and a phone with a
    /// poor network needs its time for that.
    static let stallSeconds = 45
    /// Seconds in which it does once the server was told to stop.
    static let shutdownSeconds = 2

    private let channel: any Channel
    private let connections: OpenConnections
    private var next: Scheduled<Void>?
    private var waitingBytes = 0
    private var stalledSeconds = 0

    init(of channel: any Channel, _ connections: OpenConnections) {
        self.channel = channel
        self.connections = connections
    }

    /// Begins when the channel takes no more for now.
    func watch() {
        guard next == nil else { return }
        waitingBytes = bytesInChannel
        stalledSeconds = 0
        lookSoon()
    }

    /// Ends when it does again, or has nothing more to send.
    func stop() {
        next?.cancel()
        next = nil
    }

    private func lookSoon() {
        next = channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [self] in look() }
    }

    private func look() {
        let bytes = bytesInChannel
        stalledSeconds = bytes < waitingBytes ? 0 : stalledSeconds + 1
        waitingBytes = bytes
        if stalledSeconds >= (connections.isStopping ? Self.shutdownSeconds : Self.stallSeconds) {
            channel.close(promise: nil)
        } else {
            lookSoon()
        }
    }

    private var bytesInChannel: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
