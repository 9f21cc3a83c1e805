import NIOCore
import NIOHTTP1
import NIOPosix

/// A web server that stands in for one that our server calls: of a webhook, of a push service.
enum StandIn {
    /// Answers a request by its path and its body; called on the connection's event loop.
    typealias Answering = @Sendable (_ path: String, _ body: ByteBuffer) -> HTTPResponseStatus

    /// Listens at a free port of this machine, until the channel is closed.
    static func listen(on group: any EventLoopGroup, _ answering: @escaping Answering) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.backlog, value: 256)
            .childChannelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(StandInHandler(answering))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

/// Answers each request of a connection, without a body.
private final class StandInHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private var path = ""
    private var body = ByteBuffer()
    private let answering: StandIn.Answering

    init(_ answering: @escaping StandIn.Answering) { self.answering = answering }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            path = head.uri
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            let status = answering(path, body)
            let length: HTTPHeaders = status == .noContent ? [:] : ["Content-Length": "0"]
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: length)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
