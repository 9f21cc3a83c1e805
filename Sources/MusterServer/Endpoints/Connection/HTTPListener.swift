import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves connections on one address until graceful shutdown, and then finishes what is under way.
struct HTTPListener<Connection: ServerChildChannel>: Service {
    let host: String
    /// The port; 0 for any free one.
    let port: Int
    let connection: Connection
    let connections: OpenConnections
    let logger: Logger
    /// Called with the port once the listener accepts connections.
    let onReady: @Sendable (Int) async -> Void

    func run() async throws {
        let server = HummingbirdCore.Server(
            childChannelSetup: connection,
            configuration: ServerConfiguration(
                address: .hostname(host, port: port), serverName: "muster",
                availableConnectionsDelegate: .maximum(OpenFiles.makeRoom(), logger: logger)),
            onServerRunning: { await onReady($0.localAddress?.port ?? port) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        try await server.run()
        // The listener accepts no more connections, but requests may still be running. In a failed group there is no
        // time for them.
        try Task.checkCancellation()
        let patience = Task { [connections] in
            try await Task.sleep(for: .seconds(Self.shutdownSeconds))
            connections.closeAll()
        }
        defer { patience.cancel() }
        try await server.shutdownGracefully()
    }

    /// Seconds that running requests have to finish: less than service managers wait before they kill a process.
    private static var shutdownSeconds: Double { 8 }
}
