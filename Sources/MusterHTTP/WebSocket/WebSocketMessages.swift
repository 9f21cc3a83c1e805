package import NIOCore
import NIOWebSocket

/// The handlers of a WebSocket that carries messages of text (RFC 6455).
package enum WebSocketMessages {
    /// What a client sent.
    package enum Input: Sendable {
        /// A whole message. Its bytes are not checked to be UTF-8.
        case text(ByteBuffer)
        /// A message of bytes, which is dropped.
        case binary
    }

    /// What the server sends.
    package enum Output: Sendable {
        case text(ByteBuffer)
        /// Ends the WebSocket with a code and a reason of at most 123 bytes.
        case close(code: UInt16, reason: String)
    }

    /// The number of bytes that are held of a message that has not arrived whole. The pipeline gets this event whenever
    /// the number changes.
    package struct Incomplete: Sendable {
        package let bytes: Int
    }

    /// Seconds within which a client must answer the end of the WebSocket.
    fileprivate static let farewellSeconds: Int64 = 2

    /// Adds the handlers behind NIO's handlers of frames.
    ///
    /// - Parameter limitBytes: the largest message of a client.
    /// - Throws: `ChannelPipelineError` where the pipeline has no decoder of frames.
    static func addHandlers(to channel: any Channel, limitBytes: Int) throws {
        let count = try WebSocketBytes.addMeter(to: channel)
        try channel.pipeline.syncOperations.addHandler(WebSocketMessageHandler(count, limitBytes: limitBytes))
    }
}

/// Turns a client's frames into messages, and messages into frames.
private final class WebSocketMessageHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketMessages.Input
    typealias OutboundIn = WebSocketMessages.Output
    typealias OutboundOut = WebSocketFrame

    private let count: FrameByteCount
    private let limitBytes: Int
    /// The message that has not arrived whole; nil between messages.
    private var parts: (opcode: WebSocketOpcode, bytes: ByteBuffer)?
    /// Whether either side has ended the WebSocket. Frames behind that are ignored, and nothing more is sent.
    private var isClosing = false
    private var farewell: Scheduled<Void>?

    init(_ count: FrameByteCount, limitBytes: Int) {
        self.count = count
        self.limitBytes = limitBytes
    }

    func handlerRemoved(context: ChannelHandlerContext) { farewell?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        count.subtract(frame)
        if frame.opcode == .connectionClose { return answerClose(frame, context) }
        guard !isClosing else { return }
        // A client masks each frame (section 5.1).
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return close(1_002, "", context)
        }
        switch frame.opcode {
        case .text, .binary:
            guard parts == nil else { return close(1_002, "", context) }
            parts = (frame.opcode, ByteBuffer())
            append(frame, context)
        case .continuation:
            guard parts != nil else { return close(1_002, "", context) }
            append(frame, context)
        case .ping:
            // A client that does not read gets no answers, so that they do not pile up.
            guard context.channel.isWritable else { return }
            let answer = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .pong: break
        default: close(1_002, "", context)
        }
    }

    private func append(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        guard let (opcode, former) = parts else { return }
        var bytes = former
        parts = nil
        guard bytes.readableBytes + frame.length <= limitBytes else {
            return close(1_009, "A message has at most \(limitBytes) bytes.", context)
        }
        if bytes.readableBytes == 0 {
            bytes = frame.unmaskedData
        } else {
            bytes.writeImmutableBuffer(frame.unmaskedData)
        }
        guard frame.fin else {
            parts = (opcode, bytes)
            return report(context)
        }
        // Nothing else reports that the parts before this one are held no longer.
        if former.readableBytes > 0 { report(context) }
        context.fireChannelRead(wrapInboundOut(opcode == .text ? .text(bytes) : .binary))
    }

    private func report(_ context: ChannelHandlerContext) {
        let bytes = count.waiting + (parts?.bytes.readableBytes ?? 0)
        context.fireUserInboundEventTriggered(WebSocketMessages.Incomplete(bytes: bytes))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is WebSocketBytes.IncompleteFrame { return report(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .text(let bytes):
            context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: bytes)), promise: promise)
        case .close(let code, let reason):
            close(code, reason, context)
            promise?.succeed()
        }
    }

    /// Sends the end of the WebSocket, and waits a little for the client's.
    private func close(_ code: UInt16, _ reason: String, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        parts = nil
        var data = ByteBuffer()
        data.writeInteger(code)
        data.writeString(String(reason.utf8.prefix(123)) ?? "")
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        let channel = context.channel
        farewell = context.eventLoop.scheduleTask(in: .seconds(WebSocketMessages.farewellSeconds)) {
            channel.close(promise: nil)
        }
    }

    private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        guard !isClosing else { return context.close(promise: nil) }
        isClosing = true
        let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
    }
}
