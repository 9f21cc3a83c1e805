import NIOCore

/// Has what is sent encrypted in pieces.
///
/// The TLS handler encrypts all that waits at a flush into one buffer, and keeps a buffer of that size for as long as
/// the connection is open: whoever fetched large answers over many connections held their size many times over.
final class EncryptionPieces: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes that are encrypted at once.
    private static let pieceBytes = 64 << 10

    private var waitingBytes = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var rest = unwrapOutboundIn(data)
        while waitingBytes + rest.readableBytes > Self.pieceBytes,
            let piece = rest.readSlice(length: Self.pieceBytes - waitingBytes)
        {
            context.write(wrapOutboundOut(piece), promise: nil)
            flush(context: context)
        }
        waitingBytes += rest.readableBytes
        context.write(wrapOutboundOut(rest), promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        waitingBytes = 0
        context.flush()
    }
}
