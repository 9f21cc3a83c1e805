import Foundation
import Logging
import MusterHTTP
package import MusterServer
import NIOCore
package import ServiceLifecycle

/// Receives messages from MQTT clients (3.1.1 and 5.0), and sends them the changes that they may see (docs/mqtt.md).
///
/// The endpoint is not a general broker. It accepts only the topics of protocols that Muster knows, acknowledges a
/// message once it is on disk, and sends messages from the log.
package struct MQTTEndpoint: Endpoint {
    private let parts: ServerParts
    private let sessions: MQTTSessions
    private let traffic = MQTTTraffic()

    package init(_ parts: ServerParts) {
        self.parts = parts
        sessions = MQTTSessions(parts.coordinator)
        guard isOn else { return }
        parts.metrics.addSource { [sessions, traffic] in sessions.families + traffic.families }
    }

    /// Adds nothing: the endpoint has ports of its own.
    package func register(in routes: inout RouteTable) {}

    private var isOn: Bool { parts.configuration.mqtt.port != nil || parts.configuration.mqtt.webSocketPort != nil }

    /// The services of the ports and of their clients. Services stop in reverse order, so the ports stop first.
    package var services: [any Service] {
        guard isOn else { return [] }
        let (intake, topics) = (PublishIntake(parts), TopicMessages(parts))
        let begin: @Sendable (any Channel) -> MQTTConnection = { [parts, sessions, traffic] channel in
            let connection = MQTTConnection(parts, intake, topics, sessions, traffic, on: channel)
            connection.assumeIsolated { $0.begin() }
            return connection
        }
        let add: @Sendable (any Channel, MQTTConnection) throws -> Void = { [parts] channel, connection in
            try channel.pipeline.syncOperations.addHandler(
                StreamHandler(connection, on: channel, parts.connections))
        }
        var services: [any Service] = [
            sessions,
            ProofWatch(parts, beatSeconds: MQTTLimits.proofSeconds) { [sessions] in
                for connection in sessions.connections { await connection.verifyStill() }
            },
        ]
        if let port = parts.configuration.mqtt.port {
            services.append(
                MQTTPort(parts: parts, port: port, scheme: "mqtt", option: "--mqtt-port") { try add($0, begin($0)) })
        }
        if let port = parts.configuration.mqtt.webSocketPort {
            services.append(
                MQTTPort(parts: parts, port: port, scheme: "ws", option: "--mqtt-websocket-port") { channel in
                    let connection = begin(channel)
                    try WebSocketPort.addHandlers(to: channel) { bytes in
                        connection.assumeIsolated { $0.countIncompleteFrame(bytes: bytes) }
                    } addMessaging: {
                        try $0.pipeline.syncOperations.addHandler(FrameMeter(connection))
                        try add($0, connection)
                    }
                })
        }
        return services
    }
}

/// One port on which MQTT clients connect.
private struct MQTTPort: Service {
    let parts: ServerParts
    let port: Int
    /// The URL scheme of the port without TLS.
    let scheme: String
    /// The command-line option that sets the port.
    let option: String
    let addHandlers: @Sendable (any Channel) throws -> Void
    /// Called once the port accepts connections.
    let isOpen: @Sendable () -> Void

    init(
        parts: ServerParts, port: Int, scheme: String, option: String,
        addHandlers: @escaping @Sendable (any Channel) throws -> Void
    ) {
        self.parts = parts
        self.port = port
        self.scheme = scheme
        self.option = option
        self.addHandlers = addHandlers
        isOpen = parts.ports.expectPort()
    }

    func run() async throws {
        let connection = EventLoopConnection(addHandlers)
        do {
            if let certificates = parts.certificates {
                let encrypted = EncryptedConnection(
                    base: connection, certificates: certificates,
                    handshakeSeconds: parts.connections.limits.headSeconds)
                try await listener(encrypted).run()
            } else {
                try await listener(connection).run()
            }
        } catch {
            throw ListeningError(error, host: parts.configuration.host, port: port, option: option) ?? error
        }
    }

    private func listener<Connection>(_ connection: Connection) -> HTTPListener<Connection> {
        let host = parts.configuration.host
        let scheme = parts.certificates == nil ? scheme : scheme + "s"
        return HTTPListener(
            host: host, port: port, connection: connection, connections: parts.connections, logger: parts.logger
        ) { [logger = parts.logger, isOpen] port in
            logger.notice("MQTT clients may connect", metadata: ["address": "\(scheme)://\(host):\(port)"])
            isOpen()
        }
    }
}
