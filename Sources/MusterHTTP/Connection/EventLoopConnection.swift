import HummingbirdCore
package import Logging
package import NIOCore

/// The channel setup of a protocol other than HTTP, all of whose work is done on the connection's event loop.
package struct EventLoopConnection: ServerChildChannel {
    /// An open connection.
    package struct Value: ServerChildChannelValue {
        package let channel: any Channel
    }

    private let addHandlers: @Sendable (any Channel) throws -> Void

    /// - Parameter addHandlers: adds the protocol's handlers; called on the channel's event loop.
    package init(_ addHandlers: @escaping @Sendable (any Channel) throws -> Void) { self.addHandlers = addHandlers }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try addHandlers(channel)
            return Value(channel: channel)
        }
    }

    /// Returns at once, because the event loop does the connection's work.
    package func handle(value: Value, logger: Logger) async {}
}
