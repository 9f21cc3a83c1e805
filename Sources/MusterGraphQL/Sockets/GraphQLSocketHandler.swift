import MusterHTTP
import NIOCore

/// Carries messages between a channel and its `GraphQLSocket`, both on one event loop.
final class GraphQLSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketMessages.Input
    typealias OutboundIn = WebSocketMessages.Output
    typealias OutboundOut = WebSocketMessages.Output

    private let socket: GraphQLSocket
    private let slowReader: SlowReader
    private var isReadPending = false

    init(_ socket: GraphQLSocket, on channel: any Channel, _ connections: OpenConnections) {
        self.socket = socket
        slowReader = SlowReader(of: channel, connections)
    }

    func handlerAdded(context: ChannelHandlerContext) { socket.assumeIsolated { $0.open() } }

    func handlerRemoved(context: ChannelHandlerContext) {
        slowReader.stop()
        socket.assumeIsolated { $0.closed() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let input = unwrapInboundIn(data)
        socket.assumeIsolated { $0.receive(input) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        slowReader.stop()
        socket.assumeIsolated { $0.closed() }
        context.fireChannelInactive()
    }

    /// Reads no more while messages wait to be handled.
    func read(context: ChannelHandlerContext) {
        if socket.assumeIsolated({ $0.mayRead }) { context.read() } else { isReadPending = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { slowReader.stop() } else { slowReader.watch() }
        socket.assumeIsolated { $0.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that is gone and one that closed only its sending half look alike: neither sends anything more.
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        if event is ChannelShouldQuiesceEvent { socket.assumeIsolated { $0.close(.goingAway) } }
        if let incomplete = event as? WebSocketMessages.Incomplete {
            socket.assumeIsolated { $0.countIncomplete(bytes: incomplete.bytes) }
        }
        if event is ResumeReading, isReadPending {
            isReadPending = false
            context.read()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Tells the handler that messages were handled and that it may read again.
    struct ResumeReading: Sendable {}
}
