import NIOCore
import NIOSSL
import NIOTLS

/// Tells the connection which certificate its client has shown, once TLS has verified it.
final class TAKHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: TAKConnection

    init(_ connection: TAKConnection) { self.connection = connection }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            let certificate = handler?.peerCertificate.flatMap { try? $0.toDERBytes() }
            connection.assumeIsolated { $0.signIn(with: certificate) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}
