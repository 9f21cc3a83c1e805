import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP

/// Bytes for a client over TLS are encrypted piece by piece, as the client reads them.
@Suite struct EncryptionPiecesTests {
    /// Stands for the TLS handler and a connection that accepts so many flushes, and then nothing.
    private final class Network: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var flushesLeft: Int
        private(set) var pieces: [Int] = []
        private(set) var bytes: [UInt8] = []
        private(set) var isOutputClosed = false

        init(flushes: Int) { flushesLeft = flushes }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let written = unwrapOutboundIn(data)
            pieces.append(written.readableBytes)
            bytes += written.readableBytesView
            promise?.succeed()
        }

        func flush(context: ChannelHandlerContext) {
            flushesLeft -= 1
            if flushesLeft <= 0 { setWritable(false, context.channel) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode == .output { isOutputClosed = true } else { context.close(mode: mode, promise: promise) }
        }

        func accept(_ flushes: Int, on channel: EmbeddedChannel) {
            flushesLeft = flushes
            setWritable(true, channel)
        }

        private func setWritable(_ isWritable: Bool, _ channel: any Channel) {
            (channel as? EmbeddedChannel)?.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    /// What the handlers behind hear.
    private final class Writability: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var heard: [Bool] = []

        func channelWritabilityChanged(context: ChannelHandlerContext) { heard.append(context.channel.isWritable) }
    }

    private static let piece = EncryptionPieces.pieceBytes
    private let network: Network
    private let writability = Writability()
    private let channel: EmbeddedChannel

    init() throws {
        network = Network(flushes: 2)
        channel = EmbeddedChannel(handlers: [network, EncryptionPieces(), writability])
        try channel.connect(to: .init(unixDomainSocketPath: "/client")).wait()
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) } }

    private func send(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Whether a future is fulfilled by now; nil when it has failed.
    private func isDone(_ future: EventLoopFuture<Void>) -> Bool? {
        var isDone: Bool? = false
        future.assumeIsolated().whenComplete { result in
            if case .success = result { isDone = true } else { isDone = nil }
        }
        return isDone
    }

    @Test func `what a client does not read is not encrypted`() {
        let sent = send(bytes(10 * Self.piece + 5))
        #expect(network.pieces == [Self.piece, Self.piece])
        #expect(channel.unsentBytes == 8 * Self.piece + 5)
        #expect(isDone(sent) == false)
    }

    @Test func `a client gets every byte in order, as it reads`() {
        let (first, second) = (bytes(5 * Self.piece + 1), bytes(3 * Self.piece))
        let sent = [send(first), send(second), send([])]
        #expect(sent.map(isDone) == [false, false, false])
        for _ in 0..<4 { network.accept(1, on: channel) }
        #expect(sent.map(isDone) == [true, false, false])
        network.accept(100, on: channel)
        #expect(sent.map(isDone) == [true, true, true])
        #expect(network.bytes == first + second)
        #expect(channel.unsentBytes == 0)
    }

    @Test func `those who write hear that they may go on when nothing waits any more`() {
        _ = send(bytes(4 * Self.piece))
        #expect(writability.heard == [false])
        network.accept(1, on: channel)
        #expect(writability.heard == [false])
        network.accept(100, on: channel)
        #expect(writability.heard == [false, true])
    }

    @Test func `an output that is closed ends behind what waits`() {
        _ = send(bytes(4 * Self.piece))
        channel.close(mode: .output, promise: nil)
        network.accept(1, on: channel)
        #expect(!network.isOutputClosed)
        network.accept(100, on: channel)
        #expect(network.isOutputClosed)
        #expect(network.bytes.count == 4 * Self.piece)
    }

    @Test func `a closed connection forgets what waits`() {
        let sent = send(bytes(4 * Self.piece))
        channel.close(promise: nil)
        #expect(isDone(sent) == nil)
        #expect(channel.unsentBytes == 0)
        #expect(network.bytes.count == 2 * Self.piece)
    }
}
