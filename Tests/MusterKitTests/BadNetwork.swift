import NIOCore
import NIOPosix
import Synchronization

/// A way to a server that is as bad as its seed: it cuts connections after any byte, in either direction, and holds
/// what it passes on, so that what was sent later on another connection arrives earlier.
///
/// What becomes of a connection follows from the seed and from how many there were before it. Nothing is held by a
/// clock: a piece waits for a number of turns of all others.
final class BadNetwork: Sendable {
    /// What becomes of a connection.
    private struct Fate {
        /// Whether it was made before the network was bad: it ends with that.
        let isOfGoodTimes: Bool
        /// After how many bytes it is cut; nil: never.
        var bytes: Int?
        /// How many turns a piece waits at most.
        var turns: Int
        var dice: Dice
    }

    /// How many bytes a connection may still pass, in both directions together.
    private final class Room: Sendable {
        private let left: Mutex<Int?>

        init(_ bytes: Int?) { left = Mutex(bytes) }

        /// - Returns: how many of so many bytes pass.
        func take(_ wanted: Int) -> Int {
            left.withLock { left in
                guard let room = left else { return wanted }
                left = max(0, room - wanted)
                return min(room, wanted)
            }
        }
    }

    private let seed: UInt64
    private let targetPort: Int
    private let state = Mutex((connections: UInt64(0), cuts: 0, isBad: false))

    /// The share of connections that is cut.
    private static let cutShare = 0.6
    /// The most bytes that pass before a cut. Most requests are smaller, so that many are cut in their middle.
    private static let mostBytes = 30_000
    private static let mostTurns = 300

    init(to targetPort: Int, seed: UInt64) {
        self.targetPort = targetPort
        self.seed = seed
    }

    /// How many connections were cut.
    var cuts: Int { state.withLock { $0.cuts } }

    /// Whether it is bad to connections from now on; it is good at first.
    func setBad(_ isBad: Bool) { state.withLock { $0.isBad = isBad } }

    /// Passes on while `body` runs, which is given the port.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Result) async throws -> Result {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { Self.wrapped($0) }
        let port = listener.channel.localAddress?.port ?? 0
        return try await listener.executeThenClose { clients in
            try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { passages in
                        for try await client in clients {
                            let fate = self.nextFate()
                            // A connection that breaks is what this is for.
                            passages.addTask { try? await self.pass(client, fate) }
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

    private func nextFate() -> Fate {
        state.withLock { state in
            state.connections += 1
            var dice = Dice(seed: seed &+ state.connections &* 0x9E37)
            guard state.isBad else { return Fate(isOfGoodTimes: true, bytes: nil, turns: 0, dice: dice) }
            let isCut = Double.random(in: 0..<1, using: &dice) < Self.cutShare
            let bytes = isCut ? Int.random(in: 0..<Self.mostBytes, using: &dice) : nil
            return Fate(isOfGoodTimes: false, bytes: bytes, turns: Self.mostTurns, dice: dice)
        }
    }

    private func pass(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ fate: Fate) async throws {
        try await client.executeThenClose { fromClient, toClient in
            let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: self.targetPort) { Self.wrapped($0) }
            try await server.executeThenClose { fromServer, toServer in
                let room = Room(fate.bytes)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await self.pump(fromClient, toServer, room, fate) }
                    group.addTask { await self.pump(fromServer, toClient, room, fate) }
                    // The end of one direction is the end of both.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private func pump(
        _ source: NIOAsyncChannelInboundStream<ByteBuffer>, _ sink: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ room: Room, _ fate: Fate
    ) async {
        var dice = fate.dice
        do {
            for try await var piece in source {
                for _ in 0..<Int.random(in: 0...fate.turns, using: &dice) { await Task.yield() }
                let length = piece.readableBytes
                let passed = fate.isOfGoodTimes && state.withLock { $0.isBad } ? 0 : room.take(length)
                if let head = piece.readSlice(length: passed), passed > 0 { try await sink.write(head) }
                guard passed == length else { return state.withLock { $0.cuts += 1 } }
            }
        } catch {
            // The other end is gone: so is this one.
        }
    }
}
