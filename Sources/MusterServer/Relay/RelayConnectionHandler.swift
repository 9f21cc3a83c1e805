package import MusterHTTP
import MusterWire
package import NIOCore

/// Carries the frames of one connection between its channel and the relay. Runs on the connection's event loop.
package final class RelayConnectionHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The most bytes that are written at once, and so the most of a WebSocket frame.
    package static let pieceBytes = 64 << 10
    /// The most bytes that are read at once.
    private static let readBytes = 16 << 10
    private static let lookSeconds: Int64 = 5

    private let seat: Relay.Seat
    private let slowReader: SlowReader
    private var reader = RelayFrameReader()
    private var context: ChannelHandlerContext?
    private var looks: RepeatedTask?
    private var resumption: Scheduled<Void>?
    private var began = NIODeadline.uptimeNanoseconds(0)
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    /// Whether the user sends too much, and nothing is read; and whether reading was requested meanwhile.
    private var isPaused = false
    private var isReadPending = false
    private var isOver = false
    /// Whether everything was written that is to be sent.
    private var hasWrittenLast = false

    package init(_ seat: Relay.Seat, on channel: any Channel, _ connections: OpenConnections) {
        self.seat = seat
        slowReader = SlowReader(of: channel, connections)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        (began, lastHeard) = (context.eventLoop.now, context.eventLoop.now)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        seat.relay.connect(seat.id) { [eventLoop = context.eventLoop] in
            eventLoop.execute { bound.value.flush() }
        }
        // The server reads little at once, so that a user who sends too much is not read much further.
        let buffers = AdaptiveRecvByteBufferAllocator(
            minimum: 512, initial: 2_048, maximum: Self.readBytes)
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        let period = TimeAmount.seconds(Self.lookSeconds)
        looks = context.eventLoop.scheduleRepeatedTask(initialDelay: period, delay: period) { _ in
            bound.value.endIfSilent()
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        looks?.cancel()
        resumption?.cancel()
        slowReader.stop()
        // The relay's closure refers to this handler, which refers to the seat.
        seat.relay.disconnect(seat.id)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard !isOver else { return }
        lastHeard = context.eventLoop.now
        reader.append(bytes.readableBytesView)
        var frames: [RelayFrame] = []
        var isBroken = false
        do throws(RelayError) {
            while let frame = try reader.next() { frames.append(frame) }
        } catch {
            isBroken = true
        }
        receive(frames, bytes: bytes.readableBytes, context)
        if isBroken { end(.fault) }
    }

    private func receive(_ frames: [RelayFrame], bytes: Int, _ context: ChannelHandlerContext) {
        let wait = seat.relay.receive(frames, bytes: bytes, from: seat.id, at: .now)
        if wait > 0 { pause(seconds: wait, context) }
    }

    /// Reads no more while the user sends too much.
    package func read(context: ChannelHandlerContext) {
        if isPaused { isReadPending = true } else { context.read() }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            if !hasWrittenLast { slowReader.stop() }
            flush()
        } else {
            slowReader.watch()
        }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that is gone and one that closed only its sending half look alike: neither sends anything more.
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        if event is ChannelShouldQuiesceEvent { end(.stopping) }
        // A control frame does not count as a sign of life, but it counts against the user's rate.
        if event is WebSocketBytes.ControlFrame, !isOver { receive([], bytes: 0, context) }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func end(_ farewell: RelayFrame.Farewell) {
        isOver = true
        seat.relay.end(seat.id, farewell)
    }

    /// Sends the outbox, as far as the channel is writable.
    private func flush() {
        guard let context else { return }
        while context.channel.isWritable, let next = seat.relay.takeOutbox(of: seat.id, upTo: Self.pieceBytes) {
            guard next.isLast else {
                context.writeAndFlush(wrapOutboundOut(next.bytes), promise: nil)
                continue
            }
            (isOver, hasWrittenLast) = (true, true)
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(next.bytes)).whenComplete { _ in channel.close(promise: nil) }
            // A client that does not read the last bytes loses the connection.
            slowReader.watch()
            return
        }
    }

    private func pause(seconds: Double, _ context: ChannelHandlerContext) {
        guard !isPaused else { return }
        isPaused = true
        let time = TimeAmount.nanoseconds(Int64(min(seconds, seat.relay.limits.owedSeconds) * 1e9))
        resumption = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            isPaused = false
            // The device may have sent something while the server did not read.
            lastHeard = self.context?.eventLoop.now ?? lastHeard
            guard isReadPending else { return }
            isReadPending = false
            self.context?.read()
        }
    }

    /// Ends a connection that has sent nothing for `RelayLimits.silenceSeconds`, or no hello within `helloSeconds`.
    private func endIfSilent() {
        guard let context, !isOver, !isPaused else { return }
        let limits = seat.relay.limits
        let now = context.eventLoop.now
        if now - lastHeard > .seconds(limits.silenceSeconds) { return end(.silent) }
        if now - began > .seconds(limits.helloSeconds), !seat.relay.hasSaidHello(seat.id) { end(.silent) }
    }
}
