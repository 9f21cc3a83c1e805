import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterTerminal
import MusterWire
import NIOCore
import NIOHTTP1

extension Bench {
    /// Measures the time from the report of a position that crosses a fence to its webhook, and the memory used.
    struct Webhooks: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "From POST to the webhook, under load; and the memory of what waits.")
        @Option(help: "Crossings a second, each an event for a webhook.") var events = 1000
        @Option(help: "Seconds of load.") var seconds = 20
        @Option(help: "Deliveries that wait when the memory is read, in thousands.") var pendingThousands = 100

        @Flag(help: "Read the memory only.") var memoryOnly = false

        func validate() throws {
            guard (200...100_000).contains(events) else { throw ValidationError("--events: 200 to 100000") }
            guard seconds > 0, pendingThousands >= 0 else { throw ValidationError("counts must be positive") }
        }

        func run() async throws {
            if !memoryOnly { try await measureLatency() }
            try await measureMemory()
        }

        private static let arguments = ["--allow-private-targets"]

        // MARK: Latency

        private func measureLatency() async throws {
            let server = try await BenchServer.start(arguments: Self.arguments)
            defer { server.stop() }
            let mailbox = Arrivals<String>()
            let listening = try await mailbox.listen(on: server.load.group)
            defer { listening.close(promise: nil) }
            try await server.makeCrossingTown(people: Crossers.count, target: listening.localAddress?.port ?? 0)

            let probesPerSecond = 100
            let background = events - probesPerSecond
            let load = Crossers().requests(perSecond: background, seconds: seconds, token: server.connection.token)
            async let crossing = server.load.run(load, perSecond: Double(background))
            try await Task.sleep(for: .seconds(1))
            var probe = Crossers()
            for _ in 0..<(seconds - 2) * probesPerSecond {
                let (request, stamp) = probe.probe(token: server.connection.token)
                mailbox.recordSending(of: stamp)
                _ = try await server.load.run([[request]])
                try await Task.sleep(for: .milliseconds(7))
            }
            let outcome = try await crossing
            try await mailbox.waitForQuiet()
            let latencies = mailbox.latencies
            func share(_ part: Double) -> Double {
                latencies.isEmpty ? 0 : latencies[Int(Double(latencies.count - 1) * part)]
            }
            let sent = outcome.requests + latencies.count + mailbox.missing
            Figures.record("POST to webhook", "crossings/s", outcome.requestsPerSecond)
            Figures.record("POST to webhook", "arrived %", Double(mailbox.count) / Double(sent) * 100)
            Figures.record("POST to webhook", sortedMilliseconds: latencies)
            announce("crossings of others: \(Int(outcome.requestsPerSecond))/s, refused: \(outcome.failures)")
            announce("webhooks received: \(mailbox.count), of \(sent)")
            announce("probes whose webhook did not come: \(mailbox.missing)")
            announce(String(format: "POST to webhook: p50 %.1f ms, p99 %.1f ms", share(0.5), share(0.99)))
        }

        // MARK: Memory

        private func measureMemory() async throws {
            guard pendingThousands > 0 else { return }
            let folder = FileManager.default.temporaryDirectory.appending(path: "muster-bench-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            // Nothing listens at port 9.
            try await first.connection.send(
                "POST", "/targets", json: ["name": "down", "kind": "webhook", "url": "http://127.0.0.1:9/"])
            first.stop(keepingData: true)
            let before = try await residentBytes(over: folder)
            try Self.fill(folder, thousands: pendingThousands)
            let after = try await residentBytes(over: folder)
            Figures.record("\(pendingThousands),000 deliveries waiting", "MB more", (after - before) / 1e6)
            announce(
                String(
                    format: "RSS with nothing waiting %.1f MB, with %d,000 deliveries %.1f MB: %.1f MB more",
                    before / 1e6, pendingThousands, after / 1e6, (after - before) / 1e6))
        }

        private func residentBytes(over folder: URL) async throws -> Double {
            let server = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            try await Task.sleep(for: .seconds(5))
            let bytes = server.residentBytes ?? 0
            server.stop(keepingData: true)
            return Double(bytes)
        }

        /// Puts deliveries about 10,000 devices to the first target.
        private static func fill(_ folder: URL, thousands: Int) throws {
            let store = try SQLiteStore(in: folder.path)
            let now = Instant(seconds: Date().timeIntervalSince1970)
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
            for thousand in 0..<thousands {
                try store.write(at: now) { transaction in
                    for index in 0..<1000 {
                        let device = DeviceNumber(Int32((thousand * 1000 + index) % 10_000 + 1))
                        try transaction.put(
                            NewDelivery(
                                target: TargetNumber(1), subject: .device(device), rule: "bench",
                                event: UUID().uuidString, body: body, createdAt: now))
                    }
                }
            }
            try store.close()
        }
    }
}

/// People who step into a fence and out of it with every report.
private struct Crossers {
    static let count = 1001
    /// The last of them is the probe.
    static var probeName: String { "u\(count - 1)" }

    private var steps = 0

    /// For each of 50 connections its requests: each person reports over one of them, in order. A sample is a second
    /// or two old when it is sent.
    func requests(perSecond: Int, seconds: Int, token: String) -> [[ByteBuffer]] {
        var requests = Array(repeating: [ByteBuffer](), count: 50)
        let start = Instant.now.advanced(bySeconds: -1)
        for index in 0..<perSecond * seconds {
            let person = index % (Self.count - 1)
            let time = start.advanced(bySeconds: Double(index) / Double(perSecond))
            requests[person % 50].append(
                request(of: "u\(person)", round: index / (Self.count - 1), at: time, token: token))
        }
        return requests
    }

    /// The probe's next report, and the sample time that its event will contain.
    mutating func probe(token: String) -> (ByteBuffer, String) {
        defer { steps += 1 }
        let time = Instant.now
        return (request(of: Self.probeName, round: steps, at: time, token: token), time.rfc3339)
    }

    private func request(of name: String, round: Int, at time: Instant, token: String) -> ByteBuffer {
        let position = Position(
            coordinate: Coordinate(validLatitude: round % 2 == 0 ? 46.5 : 47.5, longitude: 14.5), sampleTime: time,
            receivedTime: time, accuracy: 5)
        let body = Reporter.body(of: [("\(name)/phone", position)])
        return HTTPAnswer.request("POST", "/api/v1/positions", token: token, body: body)
    }
}

extension BenchServer {
    /// Creates one fence, people who cross it when they move a degree north, and a rule that calls a webhook.
    fileprivate func makeCrossingTown(people: Int, target port: Int) async throws {
        try await connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
        try await connection.send("POST", "/collections", json: ["name": "fences", "policy": "raw"])
        let ring = "[[14,46],[15,46],[15,47],[14,47],[14,46]]"
        let fence =
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"town","properties":{},"#
            + #""geometry":{"type":"Polygon","coordinates":[\#(ring)]}}]}"#
        try await connection.send(
            "POST", "/collections/fences/regions", body: Data(fence.utf8), contentType: "application/geo+json")
        try await makePeople(people)
        try await connection.send(
            "POST", "/targets",
            json: ["name": "hook", "kind": "webhook", "url": "http://127.0.0.1:\(port)/hook"])
        let rule =
            #"{"name":"crossings","pattern":{"source":["aws.geo"]},"#
            + #""targets":[{"id":"hook","target":"hook"}]}"#
        try await connection.send("POST", "/rules", body: Data(rule.utf8))
    }
}

extension Arrivals<String> {
    /// Listens for webhooks. The sample time of a probe identifies its webhook.
    fileprivate func listen(on group: any EventLoopGroup) async throws -> any Channel {
        try await StandIn.listen(on: group) { [self] _, body in
            arrive(Self.stamp(in: String(buffer: body)))
            return .noContent
        }
    }

    private static func stamp(in text: String) -> String? {
        let mark = #""SampleTime":""#
        guard text.contains("\"DeviceId\":\"\(Crossers.probeName)\""), let start = text.range(of: mark)?.upperBound,
            let end = text[start...].firstIndex(of: "\"")
        else { return nil }
        return String(text[start..<end])
    }
}
