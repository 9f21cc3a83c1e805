import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves connections on one address until graceful shutdown, and then until what is under way has ended.
struct HTTPListener<Connection: ServerChildChannel>: Service {
    let host: String
    /// 0 for whichever is free.
    let port: Int
    let connection: Connection
    let connections: OpenConnections
    let logger: Logger
    /// Told the port once connections are accepted.
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
        // It accepts no more; whoever is being answered still is. There is no time for them in a group that failed.
        try Task.checkCancellation()
        let patience = Task { [connections] in
            try await Task.sleep(for: .seconds(Self.shutdownSeconds))
            connections.closeAll()
        }
        defer { patience.cancel() }
        try await server.shutdownGracefully()
    }

    /// Seconds that requests and answers under way have to come to their end: less than whoever stops a server waits
    /// before it uses force.
    private static var shutdownSeconds: Double { 8 }
}
