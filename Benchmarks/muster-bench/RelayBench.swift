import ArgumentParser
import Foundation
import MusterKit
import MusterNearby
import MusterTerminal
import Synchronization

extension Bench {
    /// Messages between pairs of devices through the relay of a server, over loopback.
    struct Relay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "relay", abstract: "Pairs of devices that send through the relay: messages a second, delay.")
        @Option(help: "Pairs of devices. Each device is another user's, because the relay limits a user's bytes.")
        var pairs = 8
        @Option(help: "Messages that each pair sends a second.") var rate = 3_000
        @Option(help: "Bytes of a message, at least 8.") var bytes = 64
        @Option(help: "Seconds to measure for.") var seconds = 10

        func validate() throws {
            guard (1...100).contains(pairs), (100...100_000).contains(rate), (8...10_000).contains(bytes), seconds > 0
            else { throw ValidationError("--pairs: 1 to 100; --rate: 100 to 100,000; --bytes: 8 to 10,000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
            try await server.makePeople(2 * pairs)
            let delays = Delays(bytes: bytes)
            var running: [Task<Void, any Error>] = []
            defer { for task in running { task.cancel() } }
            var streams: [any PeerStream] = []
            for pair in 0..<pairs {
                let key = "\(String(pair, radix: 16))a"
                let receiver = try await relay(of: 2 * pair, at: server)
                let sender = try await relay(of: 2 * pair + 1, at: server)
                let (found, continuation) = AsyncStream.makeStream(of: String.self)
                running.append(
                    Task {
                        try await receiver.run(announcing: Announcement(name: "to \(pair)", port: 1, key: key)) { _ in
                        } accept: { stream in
                            delays.receive(from: stream)
                        }
                    })
                running.append(
                    Task {
                        try await sender.run(announcing: Announcement(name: "from \(pair)", port: 1, key: key)) {
                            news in
                            if case .found(let peer) = news, peer.name == "to \(pair)" { continuation.yield(peer.id) }
                        } accept: {
                            $0.close()
                        }
                    })
                for await id in found {
                    let stream = try await sender.open(id)
                    stream.start(receive: { _ in }, ended: {})
                    streams.append(stream)
                    break
                }
            }
            try await send(on: streams, delays)
        }

        private func relay(of user: Int, at server: BenchServer) async throws -> RelayDiscovery {
            struct NewKey: Encodable {
                var label = "bench"
                var user: String
            }
            struct Made: Decodable { var key: String }
            let body = try await server.connection.send("POST", "/keys", json: NewKey(user: "u\(user)"))
            let key = try JSONDecoder().decode(Made.self, from: body).key
            return try RelayDiscovery(server: server.connection.base.absoluteString) { "Bearer \(key)" }
        }

        /// Sends at an even rate, without waiting for answers, and prints what arrived.
        private func send(on streams: [any PeerStream], _ delays: Delays) async throws {
            let began = ContinuousClock.now
            var sent = 0
            while true {
                let now = (ContinuousClock.now - began) / .seconds(1)
                guard now < Double(seconds) else { break }
                let due = Int(now * Double(rate))
                while sent < due {
                    for stream in streams { stream.send(delays.message()) }
                    sent += 1
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .seconds(1))
            let found = delays.all.withLock { $0 }.sorted()
            guard !found.isEmpty else { throw CommandFailure("nothing arrived") }
            let (median, high) = (found[found.count / 2], found[found.count * 99 / 100])
            Figures.record("messages", "messages/s", Double(found.count) / Double(seconds))
            Figures.record("messages", sortedMilliseconds: found)
            announce(
                "\(found.count / seconds) of \(sent * streams.count / seconds) messages/s of \(bytes) bytes, "
                    + "\(streams.count) pairs: p50 \(String(format: "%.2f", median)) ms, "
                    + "p99 \(String(format: "%.2f", high)) ms")
        }

        /// How long messages took, in milliseconds: each begins with the time at which it was sent.
        private final class Delays: Sendable {
            let all = Mutex<[Double]>([])
            private let bytes: Int
            private let start = ContinuousClock.now

            init(bytes: Int) { self.bytes = bytes }

            private var nanoseconds: UInt64 { UInt64((ContinuousClock.now - start) / .nanoseconds(1)) }

            func message() -> [UInt8] {
                let now = nanoseconds
                return (0..<8).map { UInt8(truncatingIfNeeded: now >> (8 * $0)) }
                    + [UInt8](repeating: 0, count: bytes - 8)
            }

            func receive(from stream: any PeerStream) {
                let (bytes, waiting) = (bytes, Waiting())
                stream.start(
                    receive: { [self] part in
                        let now = nanoseconds
                        let delays = waiting.rest.withLock { rest in
                            rest += part
                            var (delays, start) = ([Double](), 0)
                            while rest.count - start >= bytes {
                                let sent = (0..<8).reduce(UInt64(0)) { $0 | UInt64(rest[start + $1]) << (8 * $1) }
                                delays.append(Double(now - min(now, sent)) / 1e6)
                                start += bytes
                            }
                            rest.removeFirst(start)
                            return delays
                        }
                        all.withLock { $0 += delays }
                        stream.returnCredit(part.count)
                    }, ended: {})
            }

            private final class Waiting: Sendable {
                /// The bytes of a message that has not arrived completely.
                let rest = Mutex<[UInt8]>([])
            }
        }
    }
}
