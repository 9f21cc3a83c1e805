import MusterHTTP
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The handlers of a port for MQTT over WebSocket (MQTT 5.0, section 6): HTTP until the upgrade, then binary frames.
enum WebSocketPort {
    /// The name of the WebSocket subprotocol.
    private static let name = "mqtt"
    private static let paths: Set<String> = ["/", "/mqtt"]

    /// Adds the handlers of a new connection.
    ///
    /// - Parameters:
    ///   - countHead: called with the number of bytes that have arrived of the request for a WebSocket; with 0 once the
    ///     request is complete.
    ///   - addMessaging: adds the handlers of MQTT after those of WebSocket.
    static func addHandlers(
        to channel: any Channel, countHead: @escaping @Sendable (Int) -> Void,
        addMessaging: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: MQTTLimits.packetBytes + MQTTLimits.frameHeaderBytes,
            shouldUpgrade: { channel, head in
                let offered = head.headers[canonicalForm: "sec-websocket-protocol"]
                let path = head.uri.prefix { $0 != "?" }
                guard offered.contains(where: { $0 == name }), paths.contains(String(path)) else {
                    return channel.eventLoop.makeSucceededFuture(nil)
                }
                return channel.eventLoop.makeSucceededFuture(["sec-websocket-protocol": name])
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    // `UpgradeRefusal` answers requests without an upgrade. After the upgrade it is no longer needed.
                    if let refusal = try? channel.pipeline.syncOperations.handler(type: UpgradeRefusal.self) {
                        channel.pipeline.syncOperations.removeHandler(refusal, promise: nil)
                    }
                    if let meter = try? channel.pipeline.syncOperations.handler(type: UpgradeMeter.self) {
                        channel.pipeline.syncOperations.removeHandler(meter, promise: nil)
                    }
                    countHead(0)
                    try WebSocketBytes.addHandlers(to: channel)
                    try addMessaging(channel)
                }
            })
        try channel.pipeline.syncOperations.addHandler(UpgradeMeter(countHead))
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }), withErrorHandling: true)
        try channel.pipeline.syncOperations.addHandler(UpgradeRefusal())
    }
}

/// Counts and limits the bytes of an upgrade request, which the HTTP decoder holds until the request is complete.
private final class UpgradeMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let countHead: @Sendable (Int) -> Void
    private var bytes = 0

    init(_ countHead: @escaping @Sendable (Int) -> Void) { self.countHead = countHead }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        guard bytes <= MQTTLimits.upgradeBytes else { return context.close(promise: nil) }
        countHead(bytes)
        context.fireChannelRead(data)
    }
}

/// Tells the connection how much has arrived of a frame that is not complete.
final class FrameMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: MQTTConnection

    init(_ connection: MQTTConnection) { self.connection = connection }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let frame = event as? WebSocketBytes.IncompleteFrame {
            connection.assumeIsolated { $0.countIncompleteFrame(bytes: frame.bytes) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Refuses a request that does not ask for a WebSocket with the subprotocol `mqtt`, and closes the connection.
private final class UpgradeRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether a request was refused. Requests behind it get no answer.
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !isRefused else { return }
        isRefused = true
        let words = "This port takes WebSocket at /mqtt with the subprotocol mqtt.\n"
        let headers: HTTPHeaders = [
            "upgrade": "websocket", "connection": "close", "content-type": "text/plain; charset=utf-8",
            "content-length": "\(words.utf8.count)",
        ]
        let response = HTTPResponseHead(version: head.version, status: .upgradeRequired, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: words)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
