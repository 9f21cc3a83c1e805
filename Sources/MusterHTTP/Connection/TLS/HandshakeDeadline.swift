package import NIOCore
import NIOTLS

/// Closes a connection whose TLS handshake is not complete in time, and is removed once it is. Without a deadline such
/// a connection would hold the state of its handshake until it counts as idle, which takes minutes: no request begins
/// before the handshake has ended, so no limit of requests applies to it.
package final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer

    private let seconds: Double
    private var deadline: Scheduled<Void>?

    /// - Parameter seconds: how long the handshake may take, from the moment when the connection is accepted.
    package init(seconds: Double) { self.seconds = seconds }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
            channel.close(promise: nil)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { stop() }

    package func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        stop()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func stop() {
        deadline?.cancel()
        deadline = nil
    }
}
