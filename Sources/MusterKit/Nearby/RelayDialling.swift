import Foundation
import MusterWire
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// The address of a server that has a relay.
struct RelayAddress: Hashable, Sendable {
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// The value of the header field `Host`: the host, and the port if the address states one.
    let authority: String
    let path: String

    /// Reads an http or https address without a user, a query or a fragment; nil for anything else.
    init?(_ server: String) {
        guard server.utf8.count <= 2_048, let parts = URLComponents(string: server),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, (1...65_535).contains(parts.port ?? 80)
        else { return nil }
        isEncrypted = scheme == "https"
        port = parts.port ?? (isEncrypted ? 443 : 80)
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let name = self.host.contains(":") ? "[\(self.host)]" : self.host
        authority = name + (parts.port.map { ":\($0)" } ?? "")
        path = parts.percentEncodedPath.split(separator: "/").map { "/" + $0 }.joined() + "/api/v1/nearby/relay"
    }

    /// The name that the certificate is for; nil for a literal address, which is checked as such.
    fileprivate var certificateName: String? {
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}

extension RelayLink {
    /// The largest WebSocket frame that the server may send, bytes.
    private static let frameLimit = 128 << 10
    private static let connectSeconds: Int64 = 10

    /// Opens a connection to the relay.
    ///
    /// - Parameters:
    ///   - authorization: the value of the field `Authorization`.
    ///   - link: makes the handler; called on the event loop.
    /// - Returns: the channel, and the handler, which has sent its hello frame.
    /// - Throws: `RelayEnd`.
    static func connect(
        to address: RelayAddress, authorization: String, link: @escaping @Sendable () -> RelayLink
    ) async throws -> (any Channel, NIOLoopBound<RelayLink>) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let ready = eventLoop.makePromise(of: NIOLoopBound<RelayLink>.self)
        do {
            let tls = address.isEncrypted ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
            let channel = try await ClientBootstrap(group: eventLoop)
                .connectTimeout(.seconds(connectSeconds))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: address.host, port: address.port).get()
            // The bootstrap may try several addresses of the host; only the channel that connected gets handlers.
            try await eventLoop.submit {
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: tls, serverHostname: address.certificateName))
                }
                try addHandlers(to: channel, address, authorization, ready, link)
            }.get()
            let handler = try await withTaskCancellationHandler {
                try await ready.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            return (channel, handler)
        } catch let end as RelayEnd {
            throw end
        } catch {
            ready.fail(error)
            throw RelayEnd.unreachable(words(for: error))
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.isEmpty
                ? "there is no host of this name" : "nothing listens there, or it does not answer"
        case is ChannelError: "it does not answer"
        default: "\(error)"
        }
    }

    private static func addHandlers(
        to channel: any Channel, _ address: RelayAddress, _ authorization: String,
        _ ready: EventLoopPromise<NIOLoopBound<RelayLink>>, _ link: @escaping @Sendable () -> RelayLink
    ) throws {
        let request = RelayRequest(address, authorization, ready)
        let bound = NIOLoopBound(request, eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketClientUpgrader(maxFrameSize: frameLimit) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let handler = link()
                try channel.pipeline.syncOperations.addHandler(handler)
                bound.value.succeed(NIOLoopBound(handler, eventLoop: channel.eventLoop))
            }
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHTTPClientHandlers(
            leftOverBytesStrategy: .forwardBytes,
            withClientUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
                }
            ))
        try pipeline.addHandler(request)
    }
}

/// Requests the upgrade to the relay's WebSocket, and reads the server's reason if it refuses.
private final class RelayRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let answerSeconds: Int64 = 15
    private static let mostReasonBytes = 64 << 10

    private let address: RelayAddress
    private let authorization: String
    private var ready: EventLoopPromise<NIOLoopBound<RelayLink>>?
    private var deadline: Scheduled<Void>?
    private var status = 0
    private var body: [UInt8] = []

    init(_ address: RelayAddress, _ authorization: String, _ ready: EventLoopPromise<NIOLoopBound<RelayLink>>) {
        self.address = address
        self.authorization = authorization
        self.ready = ready
    }

    func succeed(_ link: NIOLoopBound<RelayLink>) {
        deadline?.cancel()
        ready?.succeed(link)
        ready = nil
    }

    private func fail(_ end: RelayEnd, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        guard let ready else { return }
        self.ready = nil
        ready.fail(end)
        context.close(promise: nil)
    }

    /// Sends the request at once, because the channel is connected already.
    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: .seconds(Self.answerSeconds)) {
            bound.value.0.fail(.unreachable("it does not answer"), bound.value.1)
        }
        send(context)
    }

    private func send(_ context: ChannelHandlerContext) {
        let headers: HTTPHeaders = [
            "host": address.authority, "authorization": authorization, "sec-websocket-protocol": "muster-relay.1",
            "user-agent": "muster",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: address.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = Int(head.status.code)
        case .body(let bytes): body += bytes.readableBytesView.prefix(max(0, Self.mostReasonBytes - body.count))
        case .end:
            let reason = (try? JSONValue(parsing: body))?["detail"]?.string
            fail(.refused(status: status, reason: reason), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.lost, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(.unreachable("\(error)"), context) }
}
