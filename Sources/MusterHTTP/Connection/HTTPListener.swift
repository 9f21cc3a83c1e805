package import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves connections on one address until graceful shutdown, and then lets the running requests finish.
package struct HTTPListener<Connection: ServerChildChannel>: Service {
    package let host: String
    /// The port; 0 for any free one.
    package let port: Int
    package let connection: Connection
    package let connections: OpenConnections
    package let logger: Logger
    /// Called with the port once the listener accepts connections.
    package let onReady: @Sendable (Int) async -> Void

    package init(
        host: String, port: Int, connection: Connection, connections: OpenConnections, logger: Logger,
        onReady: @escaping @Sendable (Int) async -> Void
    ) {
        self.host = host
        self.port = port
        self.connection = connection
        self.connections = connections
        self.logger = logger
        self.onReady = onReady
    }

    package func run() async throws {
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
        let shutdownTimeout = Task { [connections] in
            try await Task.sleep(for: .seconds(Self.shutdownTimeoutSeconds))
            connections.closeAll()
        }
        defer { shutdownTimeout.cancel() }
        try await server.shutdownGracefully()
    }

    /// Seconds that running requests have to finish: less than service managers wait before they kill a process.
    private static var shutdownTimeoutSeconds: Double { 8 }
}
