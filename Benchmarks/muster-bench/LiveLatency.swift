import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix
import Synchronization

extension Bench {
    /// Measures the time from sending a position to its event on the live feed, while others report too.
    struct LiveLatency: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "live", abstract: "From POST to the live feed, under load.")
        @Option(help: "Positions a second that others report meanwhile, each a request of its own.")
        var background: Double = 8000
        @Option(help: "Probes, 100 a second.") var probes = 2000

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.putFences(1000)
            try await server.makePeople(65)
            let ear = Ear()
            let listening = try await ear.listen(to: server)
            defer { listening.close(promise: nil) }

            var scenarios = Scenarios(server: server, people: 65, clocks: .right)
            let seconds = Double(probes) / 100 + 2
            let load = scenarios.requests(.init(connections: 64, each: 1), positions: Int(background * seconds))
            async let others = server.load.run(load, perSecond: background)
            try await Task.sleep(for: .seconds(1))
            try await probe(server, ear)
            let outcome = try await others
            let latencies = ear.latencies.sorted()
            func share(_ part: Double) -> Double {
                latencies.isEmpty ? 0 : latencies[Int(Double(latencies.count - 1) * part)]
            }
            announce("background: \(Int(outcome.requestsPerSecond)) positions/s")
            announce("probes heard: \(latencies.count) of \(probes)")
            announce(String(format: "POST to SSE: p50 %.2f ms, p99 %.2f ms", share(0.5), share(0.99)))
            guard latencies.count == probes else { return }
            Figures.record("POST to live feed", "background/s", outcome.requestsPerSecond)
            Figures.record("POST to live feed", sortedMilliseconds: latencies)
        }

        /// Reports one position of the probe after another, each noted when it is sent.
        private func probe(_ server: BenchServer, _ ear: Ear) async throws {
            // A probe takes 10 ms or more, so the samples stay behind the server's clock, and less than a minute.
            let start = Instant.now.advanced(bySeconds: -Double(probes) / 1000 - 1)
            var walkers = Walkers(65, from: start, stepMilliseconds: 1, seed: 9)
            for _ in 0..<probes {
                let position = walkers.next(64)
                let body = Reporter.body(of: [("u64/phone", position)])
                let request = HTTPAnswer.request(
                    "POST", "/api/v1/positions", token: server.connection.token, body: body)
                ear.recordSending(at: position.sampleTime)
                _ = try await server.load.run([[request]])
                try await Task.sleep(for: .milliseconds(10))
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// Listens to a live feed for the probe's positions.
private final class Ear: Sendable {
    private struct State {
        var sent: [String: ContinuousClock.Instant] = [:]
        var latencies: [Double] = []
    }

    private let state = Mutex(State())

    /// Milliseconds from sending to hearing, of every probe that was heard.
    var latencies: [Double] { state.withLock { $0.latencies } }

    func recordSending(at time: Instant) {
        state.withLock { $0.sent[time.rfc3339] = .now }
    }

    /// Opens the feed of a server.
    func listen(to server: BenchServer) async throws -> any Channel {
        let channel = try await ClientBootstrap(group: server.load.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        LineReader(mark: #""device":"u64/phone""#) { [self] in hear($0) })
                }
            }
            .connect(host: server.load.host, port: server.load.port).get()
        let request = HTTPAnswer.request("GET", "/api/v1/live", token: server.connection.token, body: [])
        try await channel.writeAndFlush(request)
        return channel
    }

    private func hear(_ line: String) {
        guard line.contains(#""type":"position""#), let start = line.range(of: #""sampleTime":""#)?.upperBound,
            let end = line[start...].firstIndex(of: "\"")
        else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            guard let sent = state.sent.removeValue(forKey: String(line[start..<end])) else { return }
            state.latencies.append(sent.duration(to: now) / .milliseconds(1))
        }
    }
}

/// Cuts what comes into lines, and hands on those that hold a mark; the others cost next to nothing.
private final class LineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var received = ByteBuffer()
    private let mark: [UInt8]
    private let line: (String) -> Void

    init(mark: String, _ line: @escaping (String) -> Void) {
        self.mark = Array(mark.utf8)
        self.line = line
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        while let length = received.withUnsafeReadableBytes({ Self.lineLength($0) }) {
            if received.withUnsafeReadableBytes({ holdsMark($0.baseAddress, length) }) {
                line(received.getString(at: received.readerIndex, length: length) ?? "")
            }
            received.moveReaderIndex(forwardBy: length + 1)
        }
        received.discardReadBytes()
    }

    private static func lineLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let end = memchr(start, 10, bytes.count) else { return nil }
        return start.distance(to: UnsafeRawPointer(end))
    }

    /// Looks at the line's first 200 bytes, where the names stand.
    private func holdsMark(_ start: UnsafeRawPointer?, _ length: Int) -> Bool {
        guard let start, length >= mark.count else { return false }
        return (0...min(length, 200 + mark.count) - mark.count).contains { offset in
            memcmp(start + offset, mark, mark.count) == 0
        }
    }
}
