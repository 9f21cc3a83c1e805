import MusterHTTP
import NIOCore
import NIOSSL
import NIOTLS

/// Carries the bytes of a connection between its channel and the `TAKConnection`, both on one event loop.
final class TAKConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: TAKConnection
    private let slowReader: SlowReader
    private var isReadPending = false

    init(_ connection: TAKConnection, on channel: any Channel, _ connections: OpenConnections) {
        self.connection = connection
        slowReader = SlowReader(of: channel, connections)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        connection.assumeIsolated { $0.receive(bytes) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        slowReader.stop()
        context.fireChannelInactive()
    }

    /// Reads no more while events wait to be handled.
    func read(context: ChannelHandlerContext) {
        if connection.assumeIsolated({ $0.mayRead }) {
            context.read()
        } else {
            isReadPending = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { slowReader.stop() } else { slowReader.watch() }
        connection.assumeIsolated { $0.wake() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ResumeReading:
            guard isReadPending else { return }
            isReadPending = false
            context.read()
        case TLSUserEvent.handshakeCompleted:
            let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            let certificate = handler?.peerCertificate.flatMap { try? $0.toDERBytes() }
            connection.assumeIsolated { $0.signIn(with: certificate) }
            context.fireUserInboundEventTriggered(event)
        case ChannelEvent.inputClosed:
            connection.assumeIsolated { $0.endInput() }
        case is ChannelShouldQuiesceEvent:
            connection.assumeIsolated { $0.close() }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Faults of TLS and of the socket end the connection. Strangers cause them at will, so they are not logged.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.assumeIsolated { $0.close() }
    }

    /// The connection fires this event when it may read more.
    struct ResumeReading: Sendable {}
}
