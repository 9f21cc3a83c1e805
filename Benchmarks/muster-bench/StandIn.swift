import NIOCore
import NIOHTTP1
import NIOPosix

/// A local web server that takes the place of a webhook's receiver or of a push service.
enum StandIn {
    /// Returns the status for a request's path and body; called on the connection's event loop.
    typealias Answering = @Sendable (_ path: String, _ body: ByteBuffer) -> HTTPResponseStatus

    /// Listens on a free port of this machine until the returned channel is closed.
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

/// Answers each request of a connection with a status and no body.
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
