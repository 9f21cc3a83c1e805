import NIOCore
import NIOPosix
import Synchronization

/// A way to a server that looks at what is asked: it passes on, answers itself, or lets the asker wait for ever.
final class PickyNetwork: Sendable {
    /// What becomes of a request.
    enum Fate: Sendable {
        case passes
        /// Nothing of it goes on, and nothing comes back.
        case hangs
        /// It is answered with a status and a body, and the connection ends.
        case isAnswered(status: Int, body: String)
    }

    private let targetPort: Int
    private let fate = Mutex<@Sendable (String) -> Fate>({ _ in .passes })
    private let hanging = Mutex(0)

    init(to targetPort: Int) { self.targetPort = targetPort }

    /// A way to a server at an address.
    convenience init(to server: RunningServer) {
        self.init(to: server.address.split(separator: ":").last.flatMap { Int($0) } ?? 0)
    }

    /// How many requests hang, or have hung.
    var hung: Int { hanging.withLock { $0 } }

    /// Decides of requests from now on, by how they begin.
    func decide(_ decide: @escaping @Sendable (String) -> Fate) { fate.withLock { $0 = decide } }

    /// Passes on while `body` runs, which is given the address.
    func run<Result: Sendable>(_ body: @escaping @Sendable (String) async throws -> Result) async throws -> Result {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { Self.wrapped($0) }
        let port = listener.channel.localAddress?.port ?? 0
        return try await listener.executeThenClose { clients in
            try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { passages in
                        for try await client in clients { passages.addTask { try? await self.pass(client) } }
                    }
                    return nil
                }
                group.addTask { try await body("http://127.0.0.1:\(port)") }
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

    private func pass(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await client.executeThenClose { fromClient, toClient in
            let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: self.targetPort) { Self.wrapped($0) }
            try await server.executeThenClose { fromServer, toServer in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await self.pump(fromClient, toServer, answers: toClient) }
                    group.addTask {
                        do { for try await piece in fromServer { try await toClient.write(piece) } } catch {}
                    }
                    // The end of one direction is the end of both.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private func pump(
        _ source: NIOAsyncChannelInboundStream<ByteBuffer>, _ sink: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        answers: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        for try await piece in source {
            switch fate.withLock({ $0 })(String(buffer: piece)) {
            case .passes: try await sink.write(piece)
            case .hangs: hanging.withLock { $0 += 1 }
            case .isAnswered(let status, let body):
                let head = "HTTP/1.1 \(status) It is\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                return try await answers.write(ByteBuffer(string: head + body))
            }
        }
    }
}
