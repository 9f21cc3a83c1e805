import ArgumentParser
import Foundation
import MusterTerminal
import NIOCore
import NIOPosix
import Synchronization

extension Bench {
    /// Measures the cost of waiting feeds, and the time until all of them report a document.
    struct Feeds: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Idle longpolls of a database, or live feeds: memory, and one change sent to all of them.")
        @Option(help: "Feeds, each a connection; mind `ulimit -n`.") var count = 10_000
        @Flag(help: "Live feeds (text/event-stream) instead of longpolls.") var live = false

        func validate() throws {
            guard (1...10_000).contains(count) else { throw ValidationError("--count: 1 to 10000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await send("PUT", "/couchdb/bench", to: server)
            let before = server.residentBytes
            announce("RSS before: \(megabytes(before))")
            let audience = Audience()
            let feeds = try await open(on: server, audience)
            let after = server.residentBytes
            let name = "\(feeds.count) \(live ? "live feeds" : "longpolls")"
            announce("RSS with \(name): \(megabytes(after))")
            Figures.record(name, bytes: after)
            if let before, let after {
                announce("a feed: \((after - before) / feeds.count) bytes")
                Figures.record(name, "bytes each", Double((after - before) / feeds.count))
            }
            let clock = ContinuousClock()
            let heard = try await clock.measure {
                try await send("PUT", "/couchdb/bench/news", body: Array("{}".utf8), to: server)
                try await audience.wait(until: \.told, is: feeds.count)
            }
            announce(String(format: "from PUT until all have heard: %.0f ms", heard / .milliseconds(1)))
            Figures.record(name, "all have heard ms", heard / .milliseconds(1))
            for feed in feeds { try? await feed.close() }
            try await Task.sleep(for: .seconds(8))
            announce("RSS when all have gone: \(megabytes(server.residentBytes))")
        }

        /// Opens the feeds, a hundred at a time, until the server has begun to answer each.
        private func open(on server: BenchServer, _ audience: Audience) async throws -> [any Channel] {
            let path = live ? "/api/v1/live" : "/couchdb/bench/_changes?feed=longpoll&since=now&timeout=600000"
            let request = HTTPAnswer.request("GET", path, token: server.connection.token, body: [])
            let isLive = live
            let bootstrap = ClientBootstrap(group: server.load.group).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FeedReader(audience, isLive: isLive))
                }
            }
            var channels: [any Channel] = []
            while channels.count < count {
                for _ in 0..<min(100, count - channels.count) {
                    let channel = try await bootstrap.connect(host: server.load.host, port: server.load.port).get()
                    try await channel.writeAndFlush(request)
                    channels.append(channel)
                }
                try await audience.wait(until: \.begun, is: channels.count)
            }
            return channels
        }

        private func send(_ method: String, _ path: String, body: [UInt8] = [], to server: BenchServer) async throws {
            let request = HTTPAnswer.request(method, path, token: server.connection.token, body: body)
            let outcome = try await server.load.run([[request]])
            guard outcome.failures.isEmpty else { throw CommandFailure("\(path) was refused: \(outcome.failures)") }
        }
    }
}

/// The progress of the feeds.
private final class Audience: Sendable {
    struct Counts: Sendable {
        /// Answers that have begun.
        var begun = 0
        /// Answers that contain the document.
        var told = 0
    }

    private let counts = Mutex(Counts())

    func increment(_ what: any WritableKeyPath<Counts, Int> & Sendable) { counts.withLock { $0[keyPath: what] += 1 } }

    /// Waits until so many have come so far; at most two minutes.
    func wait(until what: any KeyPath<Counts, Int> & Sendable, is number: Int) async throws {
        for _ in 0..<60_000 {
            if counts.withLock({ $0[keyPath: what] }) >= number { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw CommandFailure("the feeds do not come on: \(counts.withLock { $0 })")
    }
}

/// Records when an answer begins, and when it contains the document: a longpoll ends then, a live feed continues.
private final class FeedReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let audience: Audience
    private var received: [UInt8] = []
    private var hasBegun = false

    private let beginning: String
    private let news: String
    private var isTold = false

    init(_ audience: Audience, isLive: Bool) {
        self.audience = audience
        beginning = isLive ? "retry: 2000\n\n" : "results"
        news = isLive ? "event: document" : "0\r\n\r\n"
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        let text = String(decoding: received, as: UTF8.self)
        if !hasBegun, text.contains(beginning) {
            hasBegun = true
            audience.increment(\.begun)
        }
        if !isTold, text.contains(news) {
            isTold = true
            audience.increment(\.told)
        }
    }
}
