import NIOCore
import NIOPosix

/// A way to a server on this machine: a port of its own, and behind it whatever it lets pass.
protocol Passage: Sendable {
    /// What is decided of a connection when it is made.
    associatedtype Fate: Sendable

    typealias Source = NIOAsyncChannelInboundStream<ByteBuffer>
    typealias Sink = NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Where the server listens.
    var targetPort: Int { get }

    /// What becomes of the next connection.
    func nextFate() -> Fate
    /// Passes on what a client sends; the connection ends when this returns.
    func passOn(_ pieces: Source, to server: Sink, answeringTo client: Sink, _ fate: Fate) async throws
    /// Passes on what the server answers; the connection ends when this returns.
    func passBack(_ pieces: Source, to client: Sink, _ fate: Fate) async throws
}

extension Passage {
    /// Passes on while `body` runs, which is given the port.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Result) async throws -> Result {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { Self.wrapped($0) }
        let port = listener.channel.localAddress?.port ?? 0
        return try await listener.executeThenClose { clients in
            try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { connections in
                        for try await client in clients {
                            let fate = self.nextFate()
                            // A connection that breaks is what this is for.
                            connections.addTask { try? await self.pass(client, fate) }
                        }
                    }
                    return nil
                }
                group.addTask { try await body(port) }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let result { return result }
                }
                throw CancellationError()
            }
        }
    }

    private static func wrapped(_ channel: any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
        channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
    }

    private func pass(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ fate: Fate) async throws {
        try await client.executeThenClose { fromClient, toClient in
            let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: targetPort) { Self.wrapped($0) }
            try await server.executeThenClose { fromServer, toServer in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await passOn(fromClient, to: toServer, answeringTo: toClient, fate) }
                    group.addTask { try? await passBack(fromServer, to: toClient, fate) }
                    // The end of one direction is the end of both.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }
}
