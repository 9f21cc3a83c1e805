import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// How a connection of HTTP/1 is set up: NIO's parser, one request at a time, and `ConnectionHandler`.
///
/// Hummingbird's own holds a task, and the queues between it and the event loop, for as long as a connection is open;
/// ten thousand phones that wait would cost twice the memory. Here a connection is objects of its event loop alone, and
/// a task lives as long as a request.
struct HTTPConnection: ServerChildChannel {
    /// An open connection.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    /// Answers a request that came over a channel.
    typealias Answer = @Sendable (Request, any Channel) async -> Response

    let connections: OpenConnections
    let answer: Answer

    init<Answering: HTTPResponder>(
        _ responder: Answering, connections: OpenConnections, logger: Logger
    ) where Answering.Context: InitializableFromSource<ApplicationRequestContextSource> {
        self.connections = connections
        answer = { request, channel in
            let context = Answering.Context(source: .init(channel: channel, logger: logger))
            do {
                return try await responder.respond(to: request, context: context)
            } catch {
                return Response(status: .internalServerError)
            }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var encoder = HTTPResponseEncoder.Configuration()
            // `ResponseHead` knows better: whether it was HEAD that asked, and by which version.
            encoder.automaticallySetFramingHeaders = false
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldCount = Self.mostHeaderFields
            limits.maxHeaderListSize = Self.mostHeaderBytes
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: encoder, withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(ConnectionHandler(of: channel, in: connections, answer: answer))
            return Value(channel: channel)
        }
    }

    /// Returns at once: what a connection does is done by its event loop.
    func handle(value: Value, logger: Logger) async {}

    private static let mostHeaderFields = 1000
    private static let mostHeaderBytes = 80 << 10
}
