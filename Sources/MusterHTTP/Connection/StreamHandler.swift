package import NIOCore

/// One client's connection of a protocol that is a stream of bytes. It runs on the event loop of its channel.
package protocol StreamConnection: Actor {
    /// Whether more bytes may be read now. If not, the connection fires `ResumeReading` on its channel when they may.
    func mayRead() -> Bool
    /// Takes bytes that have arrived.
    func receive(_ bytes: ByteBuffer)
    /// The channel accepts more to send, or accepts no more for now.
    func writabilityChanged()
    /// The client sends no more.
    func endInput()
    /// Ends the connection because the server stops.
    func stop()
    func close()
}

/// The connection fires this event when it may read more.
package struct ResumeReading: Sendable {
    package init() {}
}

/// Carries the bytes of a connection between its channel and its `StreamConnection`, both on one event loop. Reads no
/// more while much waits to be handled, and ends a connection whose client reads nothing.
package final class StreamHandler<Connection: StreamConnection>: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let connection: Connection
    private let slowReader: SlowReader
    private var isReadPending = false

    package init(_ connection: Connection, on channel: any Channel, _ connections: OpenConnections) {
        self.connection = connection
        slowReader = SlowReader(of: channel, connections)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        connection.assumeIsolated { $0.receive(bytes) }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        slowReader.stop()
        context.fireChannelInactive()
    }

    package func read(context: ChannelHandlerContext) {
        if connection.assumeIsolated({ $0.mayRead() }) {
            context.read()
        } else {
            isReadPending = true
        }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { slowReader.stop() } else { slowReader.watch() }
        connection.assumeIsolated { $0.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that is gone and one that closed only its sending half look alike: neither sends anything more.
        if event as? ChannelEvent == .inputClosed { connection.assumeIsolated { $0.endInput() } }
        if event is ChannelShouldQuiesceEvent { connection.assumeIsolated { $0.stop() } }
        if event is ResumeReading, isReadPending {
            isReadPending = false
            context.read()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Faults of TLS and of the socket end the connection. Strangers cause them at will, so they are not logged.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.assumeIsolated { $0.close() }
        context.close(promise: nil)
    }
}
