import Synchronization

/// The ports that a server opens at its start. The server says that it is ready once all of them accept connections.
package final class OpeningPorts: Sendable {
    private let openings = Mutex<[AsyncStream<Never>]>([])

    package init() {}

    /// Counts a port, and returns the function to call once it accepts connections.
    package func expectPort() -> @Sendable () -> Void {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        openings.withLock { $0.append(stream) }
        return { continuation.finish() }
    }

    /// Waits until every counted port accepts connections.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, because one of them could not be opened.
    package func wait() async throws {
        for opening in openings.withLock({ $0 }) { for await _ in opening {} }
        try Task.checkCancellation()
    }
}
