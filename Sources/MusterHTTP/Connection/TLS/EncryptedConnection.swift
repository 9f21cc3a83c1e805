package import HummingbirdCore
package import Logging
package import NIOCore
import NIOSSL

/// TLS connections, each with the certificate in use when it is opened.
package struct EncryptedConnection<Base: ServerChildChannel>: ServerChildChannel {
    package let base: Base
    package let certificates: CertificateFiles

    private let handshakeSeconds: Double

    /// - Parameter handshakeSeconds: how long a client's handshake may take.
    package init(base: Base, certificates: CertificateFiles, handshakeSeconds: Double) {
        self.base = base
        self.certificates = certificates
        self.handshakeSeconds = handshakeSeconds
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: certificates.context), EncryptionPieces(),
                HandshakeDeadline(seconds: handshakeSeconds))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    package func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
