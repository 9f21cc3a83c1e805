package import NIOCore

/// Passes outgoing bytes to the TLS handler in pieces, each only while the channel accepts more.
///
/// The TLS handler encrypts all bytes that wait at a flush into one buffer, and keeps a buffer of that size while the
/// connection is open. What it has encrypted is of one connection alone, while the bytes before may be shared with
/// other connections, such as a file's. So a connection whose client reads nothing holds no more than two pieces of
/// encrypted bytes, and the rest waits here as it was written.
///
/// While bytes wait here, the channel is not writable.
package final class EncryptionPieces: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The most bytes that are encrypted at once.
    static let pieceBytes = 64 << 10

    /// The bytes that the TLS handler has and has not encrypted.
    private var unflushedBytes = 0
    private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()
    /// The number of bytes that wait here.
    private(set) var waitingBytes = 0
    /// A close of the output that comes behind what waits here.
    private var closesOutput: EventLoopPromise<Void>??
    private var isPassing = false
    /// The writability that the handlers behind this one know.
    private var toldWritable = true

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if waiting.isEmpty, unflushedBytes + bytes.readableBytes <= Self.pieceBytes {
            unflushedBytes += bytes.readableBytes
            return context.write(wrapOutboundOut(bytes), promise: promise)
        }
        waiting.append((bytes, promise))
        waitingBytes += bytes.readableBytes
        pass(context)
    }

    package func flush(context: ChannelHandlerContext) {
        unflushedBytes = 0
        context.flush()
        pass(context)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        // Whoever writes now would get in between two pieces.
        guard !isPassing else { return }
        pass(context)
        tellWritability(context)
    }

    /// Passes the waiting bytes on to the TLS handler, until the channel accepts no more.
    private func pass(_ context: ChannelHandlerContext) {
        guard !isPassing, !waiting.isEmpty else { return }
        isPassing = true
        while context.channel.isWritable, !waiting.isEmpty {
            let (bytes, promise) = nextPiece()
            context.write(wrapOutboundOut(bytes), promise: promise)
            unflushedBytes = 0
            context.flush()
        }
        isPassing = false
        if waiting.isEmpty, let promise = closesOutput {
            closesOutput = nil
            context.close(mode: .output, promise: promise)
        }
        tellWritability(context)
    }

    /// Takes the next piece, with the promise of the write that ends with it.
    private func nextPiece() -> (ByteBuffer, EventLoopPromise<Void>?) {
        let room = max(1, Self.pieceBytes - unflushedBytes)
        guard waiting[waiting.startIndex].bytes.readableBytes > room,
            let piece = waiting[waiting.startIndex].bytes.readSlice(length: room)
        else {
            let last = waiting.removeFirst()
            waitingBytes -= last.bytes.readableBytes
            return (last.bytes, last.promise)
        }
        waitingBytes -= room
        return (piece, nil)
    }

    private func tellWritability(_ context: ChannelHandlerContext) {
        guard context.channel.isWritable != toldWritable else { return }
        toldWritable.toggle()
        context.fireChannelWritabilityChanged()
    }

    // MARK: Ends

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output, !waiting.isEmpty {
            closesOutput = .some(promise)
            return
        }
        if mode == .all { failWaiting() }
        context.close(mode: mode, promise: promise)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        failWaiting()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { failWaiting() }

    private func failWaiting() {
        let (failed, close) = (waiting, closesOutput)
        (waiting, waitingBytes, closesOutput) = ([], 0, nil)
        for each in failed { each.promise?.fail(ChannelError.ioOnClosedChannel) }
        close??.fail(ChannelError.ioOnClosedChannel)
    }
}

extension Channel {
    /// The number of bytes written to a connection that the operating system has not accepted yet: those of the
    /// channel, and those that wait to be encrypted. Call it on the channel's event loop.
    package var unsentBytes: Int {
        let buffered = (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        // Nothing waits to be encrypted while the channel accepts more.
        guard !isWritable, let pieces = try? pipeline.syncOperations.handler(type: EncryptionPieces.self) else {
            return buffered
        }
        return buffered + pieces.waitingBytes
    }
}
