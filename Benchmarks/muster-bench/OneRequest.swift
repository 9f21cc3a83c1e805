import NIOCore
import NIOPosix

/// Sends requests that each have a connection of their own, as a client sends that makes only one.
struct OneRequest: Sendable {
    let host: String
    let port: Int
    let group: any EventLoopGroup

    /// The response to a request.
    struct Response: Sendable {
        var status: Int
        var body: [UInt8]
        /// Milliseconds from before the connection was made to the whole answer.
        var milliseconds: Double
    }

    /// Sends bytes and waits for a whole answer.
    ///
    /// - Parameters:
    ///   - drip: bytes that follow, one a second, for as long as the connection stands.
    ///   - seconds: the longest wait.
    /// - Throws: `BrokenConnection` where the server closes the connection without a whole answer, or the wait is over.
    func send(_ bytes: ByteBuffer, drip: UInt8? = nil, atMostSeconds seconds: Int64 = 30) async throws -> Response {
        let start = ContinuousClock.now
        let done = group.next().makePromise(of: Response.self)
        let bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(seconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OneAnswer(done, since: start))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(host: host, port: port).get()
        } catch {
            done.fail(error)
            throw error
        }
        channel.writeAndFlush(bytes, promise: nil)
        // Closing tells the handler, which ends the wait.
        let end = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
        let dripping = drip.map { byte in
            channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
                channel.writeAndFlush(ByteBuffer(bytes: [byte]), promise: nil)
            }
        }
        defer {
            end.cancel()
            dripping?.cancel()
            channel.close(promise: nil)
        }
        return try await done.futureResult.get()
    }
}

/// Gathers one answer.
private final class OneAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let done: EventLoopPromise<OneRequest.Response>
    private let start: ContinuousClock.Instant
    private var received = ByteBuffer()

    init(_ done: EventLoopPromise<OneRequest.Response>, since start: ContinuousClock.Instant) {
        self.done = done
        self.start = start
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard let (status, length) = HTTPAnswer.head(of: received), received.readableBytes >= length else { return }
        let text = received.readableBytesView
        let bodyStart = text.firstIndex(of: UInt8(ascii: "{")) ?? text.endIndex
        done.succeed(
            OneRequest.Response(
                status: status, body: Array(text[bodyStart...]),
                milliseconds: start.duration(to: .now) / .milliseconds(1)))
    }

    func channelInactive(context: ChannelHandlerContext) { done.fail(BrokenConnection()) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }
}
