package import NIOCore

/// Passes outgoing bytes to the TLS handler in pieces.
///
/// The TLS handler encrypts all bytes that wait at a flush into one buffer, and keeps a buffer of that size while the
/// connection is open. Without the pieces, each idle connection would hold the size of the largest answer it carried.
package final class EncryptionPieces: ChannelOutboundHandler {
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The most bytes that are encrypted at once.
    private static let pieceBytes = 64 << 10

    private var waitingBytes = 0

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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

    package func flush(context: ChannelHandlerContext) {
        waitingBytes = 0
        context.flush()
    }
}
