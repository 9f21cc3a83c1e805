package import NIOCore
import NIOWebSocket

/// The handlers of a WebSocket that carries a stream of bytes, in binary frames (RFC 6455).
package enum WebSocketBytes {
    /// The client sent a ping or a pong: an event in the pipeline, so that a protocol can count them.
    package struct ControlFrame: Sendable {}

    /// Adds the handler that makes bytes of the frames of a client, and frames of bytes, behind NIO's handlers of
    /// frames.
    package static func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(WebSocketFrames())
    }
}

/// Carries a stream of bytes in binary frames. Where a frame begins and ends says nothing about the bytes.
private final class WebSocketFrames: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = WebSocketFrame

    /// Whether the client has closed the WebSocket. Frames behind that are ignored.
    private var isClosing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary, .continuation: context.fireChannelRead(wrapInboundOut(frame.unmaskedData))
        case .ping:
            context.fireUserInboundEventTriggered(WebSocketBytes.ControlFrame())
            // A client that does not read gets no answers, so that they do not pile up.
            guard context.channel.isWritable else { return }
            let answer = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .pong: context.fireUserInboundEventTriggered(WebSocketBytes.ControlFrame())
        case .connectionClose:
            isClosing = true
            let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
        // There are binary frames only, so a text frame ends the connection.
        default: context.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = WebSocketFrame(fin: true, opcode: .binary, data: unwrapOutboundIn(data))
        context.write(wrapOutboundOut(frame), promise: promise)
    }
}
