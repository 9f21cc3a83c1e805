package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// The channel setup of an HTTP/1 connection: NIO's parser, one request at a time, and `ConnectionHandler`.
///
/// Hummingbird's own setup holds a task and its queues for as long as a connection is open. With ten thousand waiting
/// phones that would cost twice the memory. Here a connection consists only of objects of its event loop, and a task
/// lives as long as a request.
package struct HTTPConnection: ServerChildChannel {
    /// An open connection.
    package struct Value: ServerChildChannelValue {
        package let channel: any Channel
    }

    /// Answers a request that arrived on a channel.
    package typealias Responder = @Sendable (Request, any Channel) async -> Response

    package let connections: OpenConnections
    package let respond: Responder

    package init<Answering: HTTPResponder>(
        _ responder: Answering, connections: OpenConnections, logger: Logger
    ) where Answering.Context: InitializableFromSource<ApplicationRequestContextSource> {
        self.connections = connections
        respond = { request, channel in
            let context = Answering.Context(source: .init(channel: channel, logger: logger))
            do {
                return try await responder.respond(to: request, context: context)
            } catch {
                return Response(status: .internalServerError)
            }
        }
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var encoder = HTTPResponseEncoder.Configuration()
            // `ResponseHead` sets the framing headers, because it knows whether the request was HEAD, and its HTTP
            // version.
            encoder.automaticallySetFramingHeaders = false
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldCount = Self.mostHeaderFields
            limits.maxHeaderListSize = Self.mostHeaderBytes
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: encoder, withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(ConnectionHandler(of: channel, in: connections, respond: respond))
            return Value(channel: channel)
        }
    }

    /// Returns at once, because the event loop does the connection's work.
    package func handle(value: Value, logger: Logger) async {}

    private static let mostHeaderFields = 1000
    private static let mostHeaderBytes = 80 << 10
}
