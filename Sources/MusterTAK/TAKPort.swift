import Logging
import MusterHTTP
import MusterServer
import NIOCore
import NIOSSL
import ServiceLifecycle

/// The port on which TAK clients connect, with TLS and certificates on both sides.
struct TAKPort: Service {
    private let parts: ServerParts
    private let clients: TAKClients
    private let picture: TAKPicture
    private let broadcast: TAKBroadcast
    private let port: Int
    /// Called once the port accepts connections.
    private let isOpen: @Sendable () -> Void

    init(parts: ServerParts, clients: TAKClients, picture: TAKPicture, broadcast: TAKBroadcast, port: Int) {
        self.parts = parts
        self.clients = clients
        self.picture = picture
        self.broadcast = broadcast
        self.port = port
        isOpen = parts.ports.expectPort()
    }

    func run() async throws {
        guard let context = try await contextInTime() else { return }
        let intake = TAKIntake(parts)
        let connection = EventLoopConnection { [parts, clients, picture, broadcast] channel in
            let address = channel.remoteAddress?.ipAddress ?? ""
            // Before TLS: a stranger's handshake costs as much as a client's.
            guard clients.strangers.admit(from: address) else { return channel.close(promise: nil) }
            let connection = TAKConnection(parts, intake, picture, clients, broadcast, on: channel, from: address)
            connection.assumeIsolated { $0.begin() }
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: context, configuration: Self.encryption), EncryptionPieces(),
                HandshakeDeadline(seconds: TAKLimits.handshakeSeconds),
                TAKHandshake(connection), StreamHandler(connection, on: channel, parts.connections))
        }
        let host = parts.configuration.host
        do {
            try await HTTPListener(
                host: host, port: port, connection: connection, connections: parts.connections, logger: parts.logger
            ) { [logger = parts.logger, isOpen] port in
                logger.notice("TAK clients may connect", metadata: ["address": "ssl://\(host):\(port)"])
                isOpen()
            }.run()
        } catch {
            throw ListeningError(error, host: host, port: port, option: "--tak-port") ?? error
        }
    }

    /// A connection mostly waits, and is sent a marker of some 700 bytes at a time. Without this each would keep the
    /// memory that the largest of its pictures took, 16 kB at least.
    private static let encryption: NIOSSLHandler.Configuration = {
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = 1_024
        return configuration
    }()

    /// The settings of TLS. Where they cannot be made, because the disk is full at the first start, the server runs
    /// without this port, and tries again.
    ///
    /// - Returns: nil when the server stops before.
    private func contextInTime() async throws -> NIOSSLContext? {
        while !Task.isShuttingDownGracefully {
            do {
                return try await Self.context(parts)
            } catch {
                parts.metrics.count(event: "tak_not_started")
                parts.logger.error(
                    "TAK clients cannot connect: the certificate of their port cannot be made",
                    metadata: ["error": "\(error)", "nextTrySeconds": "\(TAKLimits.startSeconds)"])
                isOpen()
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(TAKLimits.startSeconds)) }
                try Task.checkCancellation()
            }
        }
        return nil
    }

    /// The settings of TLS: a certificate that is made at each start, and only clients with one of the same authority.
    private static func context(_ parts: ServerParts) async throws -> NIOSSLContext {
        let authority = try await CertificateAuthority.open(by: parts.identity)
        let own = try authority.makePortIdentity(for: parts.configuration.takHosts, at: parts.configuration.now())
        let root = try NIOSSLCertificate(bytes: authority.der, format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: own.certificate, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: own.privateKey, format: .der)))
        configuration.minimumTLSVersion = .tlsv12
        // A client has no name of a host. It must show a certificate of the authority, which has not ended.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([root])
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }
}
