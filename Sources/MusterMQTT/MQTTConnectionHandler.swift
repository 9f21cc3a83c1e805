import MusterHTTP
import MusterWire
import NIOCore

/// Carries the bytes of a connection between its channel and the `MQTTConnection`, both on one event loop.
final class MQTTConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: MQTTConnection
    private let slowReader: SlowReader
    private var isReadPending = false

    init(_ connection: MQTTConnection, on channel: any Channel, _ connections: OpenConnections) {
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

    /// Reads no more while many packets wait to be handled.
    func read(context: ChannelHandlerContext) {
        if connection.assumeIsolated({ $0.mayRead() }) {
            context.read()
        } else {
            isReadPending = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { slowReader.stop() } else { slowReader.watch() }
        connection.assumeIsolated { $0.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that is gone and one that closed only its sending half look alike: neither sends anything more.
        if event as? ChannelEvent == .inputClosed { connection.assumeIsolated { $0.endInput() } }
        if event is ChannelShouldQuiesceEvent { connection.assumeIsolated { $0.stop() } }
        if let frame = event as? WebSocketBytes.IncompleteFrame {
            connection.assumeIsolated { $0.countIncompleteFrame(bytes: frame.bytes) }
        }
        if event is ResumeReading, isReadPending {
            isReadPending = false
            context.read()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.assumeIsolated { $0.close() }
        context.close(promise: nil)
    }

    /// Tells the handler that packets were handled and that it may read again.
    struct ResumeReading: Sendable {}
}
