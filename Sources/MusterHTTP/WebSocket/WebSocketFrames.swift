package import NIOCore
import NIOWebSocket

/// The handlers of a WebSocket that carries a stream of bytes, in binary frames (RFC 6455).
package enum WebSocketBytes {
    /// The client sent a ping or a pong: an event in the pipeline, so that a protocol can count them.
    package struct ControlFrame: Sendable {}

    /// The number of bytes that NIO's decoder holds of a frame that has not arrived whole. The pipeline gets this event
    /// after each read that changes the number, so that a protocol can limit and count the bytes.
    package struct IncompleteFrame: Sendable {
        package let bytes: Int
    }

    /// Adds two handlers. The one behind NIO's handlers of frames turns a client's frames into bytes, and bytes into
    /// frames. The one before them reports incomplete frames.
    ///
    /// - Throws: `ChannelPipelineError` where the pipeline has no decoder of frames.
    package static func addHandlers(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(WebSocketFrames(try addMeter(to: channel)))
    }

    /// Adds the handler that reports incomplete frames, before NIO's decoder of frames.
    ///
    /// - Returns: the count, from which the handler behind the decoder subtracts whole frames.
    /// - Throws: `ChannelPipelineError` where the pipeline has no decoder of frames.
    static func addMeter(to channel: any Channel) throws -> FrameByteCount {
        let pipeline = channel.pipeline.syncOperations
        let count = FrameByteCount()
        let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        try pipeline.addHandler(FrameMeter(count), position: .before(decoder))
        return count
    }
}

/// The bytes that arrived and are not yet part of a whole frame. Two handlers of one channel share it.
final class FrameByteCount {
    var waiting = 0

    /// Subtracts a whole frame: its payload and its header (RFC 6455, section 5.2).
    func subtract(_ frame: WebSocketFrame) {
        let length = frame.length
        let extendedLength = length < 126 ? 0 : length < 65_536 ? 2 : 8
        waiting = max(0, waiting - 2 - extendedLength - (frame.maskKey == nil ? 0 : 4) - length)
    }
}

/// Sits before NIO's decoder of frames and reports how many bytes the decoder holds.
private final class FrameMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let count: FrameByteCount
    private var reported = 0

    init(_ count: FrameByteCount) { self.count = count }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count.waiting += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        guard count.waiting != reported else { return }
        reported = count.waiting
        context.fireUserInboundEventTriggered(WebSocketBytes.IncompleteFrame(bytes: reported))
    }
}

/// Carries a stream of bytes in binary frames. The boundaries of the frames have no meaning.
private final class WebSocketFrames: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = WebSocketFrame

    /// Whether the client has closed the WebSocket. Frames behind that are ignored.
    private var isClosing = false
    private let count: FrameByteCount

    init(_ count: FrameByteCount) { self.count = count }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        count.subtract(frame)
        guard !isClosing else { return }
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
