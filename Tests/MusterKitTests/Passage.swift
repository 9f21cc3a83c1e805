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
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
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

    /// An asynchronous channel whose owner does not run it ends the process: it is made in the moment in which it is
    /// run, and nothing was read before.
    private static func opened(_ channel: any Channel) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await channel.eventLoop.submit {
            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
            let opened = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            try channel.syncOptions?.setOption(.autoRead, value: true)
            return opened
        }.get()
    }

    private func pass(_ client: any Channel, _ fate: Fate) async throws {
        try await Self.opened(client).executeThenClose { fromClient, toClient in
            let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: targetPort).get()
            try await Self.opened(server).executeThenClose { fromServer, toServer in
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
