import ArgumentParser
import Foundation
import MusterServer
import MusterTerminal
import NIOCore
import NIOHTTP1

extension Bench {
    /// Measures the delay from the update of a dataset to the push at the push service's socket, and the server's
    /// memory per push device.
    struct Pushes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "push",
            abstract: "From an update of a dataset to its push at the service; and the memory of subscribed devices.")
        @Option(help: "Updates a second, each told to one device by Web Push.") var updates = 1000
        @Option(help: "Seconds of load.") var seconds = 20
        @Option(help: "Subscribed devices when the memory is read, in thousands, 20 a person; 0 for no such reading.")
        var deviceThousands = 100
        @Flag(help: "Read the memory only.") var memoryOnly = false

        func validate() throws {
            guard (100...100_000).contains(updates), seconds > 0 else {
                throw ValidationError("--updates: 100 to 100000; --seconds: from 1")
            }
            guard (0...1_000).contains(deviceThousands) else { throw ValidationError("--device-thousands: 0 to 1000") }
        }

        func run() async throws {
            if !memoryOnly { try await measureLatency() }
            if deviceThousands > 0 { try await measureMemory() }
        }

        private static let arguments = ["--allow-private-targets"]

        // MARK: Latency

        private func measureLatency() async throws {
            let server = try await BenchServer.start(arguments: Self.arguments)
            defer { server.stop() }
            let service = Arrivals<Int>()
            let listening = try await service.listen(on: server.load.group)
            defer { listening.close(promise: nil) }
            // With as many people as updates a second, each person has one update under way at a time.
            let people = try await server.makeKeyHolders(updates)
            try await server.subscribe(people, devicesEach: 1, port: listening.localAddress?.port ?? 0)

            let connections = 100
            let lanes = (0..<connections).map { lane in stride(from: lane, to: updates, by: connections).map { $0 } }
            let requests = lanes.map { lane in
                (0..<seconds).flatMap { round in lane.map { Self.update(people[$0], round: round) } }
            }
            let outcome = try await server.load.run(requests, perSecond: Double(updates)) { connection, index in
                let lane = lanes[connection]
                service.recordSending(of: lane[index % lane.count])
            }
            try await service.waitForQuiet()
            let latencies = service.latencies
            func share(_ part: Double) -> Double {
                latencies.isEmpty ? 0 : latencies[Int(Double(latencies.count - 1) * part)]
            }
            Figures.record("updates answered", "updates/s", outcome.requestsPerSecond)
            Figures.record("updates answered", sortedMilliseconds: outcome.latencies)
            Figures.record("update to push", "arrived %", Double(service.count) / Double(outcome.requests) * 100)
            Figures.record("update to push", sortedMilliseconds: latencies)
            announce("updates: \(Int(outcome.requestsPerSecond))/s, refused: \(outcome.failures)")
            announce(
                String(format: "answered: p50 %.1f ms, p99 %.1f ms", outcome.latency(0.5), outcome.latency(0.99)))
            announce("pushes received: \(service.count), of \(outcome.requests); not come: \(service.missing)")
            announce(
                String(
                    format: "update to push: p50 %.1f ms, p99 %.1f ms, at most %.1f ms", share(0.5), share(0.99),
                    share(1)))
        }

        private static func update(_ person: KeyHolder, round: Int) -> ByteBuffer {
            HTTPAnswer.request(
                "PATCH", "/api/v1/datasets/settings", token: person.token,
                body: Array(#"{"records":[{"key":"page","value":"\#(round)","syncCount":\#(round)}]}"#.utf8))
        }

        // MARK: Memory

        private func measureMemory() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "muster-bench-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            let people = try await first.makeKeyHolders(deviceThousands * 1_000 / PushDispatcher.deviceLimit)
            first.stop(keepingData: true)
            let before = try await residentBytes(over: folder)

            let second = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            let listening = try await Arrivals<Int>().listen(on: second.load.group, isFailing: true)
            defer { listening.close(promise: nil) }
            let port = listening.localAddress?.port ?? 0
            try await second.subscribe(people, devicesEach: PushDispatcher.deviceLimit, port: port)
            second.stop(keepingData: true)
            let subscribed = try await residentBytes(over: folder)
            announce(
                String(
                    format: "RSS with %d people %.1f MB, with %d,000 subscribed devices %.1f MB: %.1f MB more",
                    people.count, before / 1e6, deviceThousands, subscribed / 1e6, (subscribed - before) / 1e6))

            let devices = "\(deviceThousands),000 subscribed devices"
            Figures.record(devices, "MB more", (subscribed - before) / 1e6)

            // The worst case: each device has a push that its service refuses for now.
            let third = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            defer { third.stop(keepingData: true) }
            let updates = people.map { Self.update($0, round: 0) }
            _ = try await third.load.run(BenchServer.dealt(updates, to: 16))
            let waiting = try await third.waitUntilPostponed(deviceThousands * 1_000)
            let failing = Double(third.residentBytes ?? 0)
            Figures.record(devices + ", waiting for another attempt", "MB more", (failing - before) / 1e6)
            announce(
                String(
                    format: "RSS with %d of them waiting for another attempt %.1f MB: %.1f MB more", waiting,
                    failing / 1e6, (failing - before) / 1e6))
        }

        private func residentBytes(over folder: URL) async throws -> Double {
            let server = try await BenchServer.start(arguments: Self.arguments, folder: folder)
            try await Task.sleep(for: .seconds(5))
            let bytes = server.residentBytes ?? 0
            server.stop(keepingData: true)
            return Double(bytes)
        }
    }
}

extension BenchServer {
    /// Registers push devices for each person by Web Push, and subscribes each device to its owner's dataset
    /// `settings`.
    fileprivate func subscribe(_ people: [KeyHolder], devicesEach count: Int, port: Int) async throws {
        var registrations: [ByteBuffer] = []
        var subscriptions: [ByteBuffer] = []
        let keys = try WebPushKeys.ofAppendix
        for (number, person) in people.enumerated() {
            for device in 0..<count {
                let endpoint = "http://127.0.0.1:\(port)/\(number)/\(device)"
                let address = try PushAddress(endpoint: endpoint, keys: keys, page: nil, allowsPlain: true)
                let body =
                    #"{"platform":"webpush","subscription":{"endpoint":"\#(endpoint)","#
                    + #""keys":{"p256dh":"\#(WebPushKeys.publicText)","auth":"\#(WebPushKeys.secretText)"}}}"#
                registrations.append(
                    HTTPAnswer.request("POST", "/api/v1/push/devices", token: person.token, body: Array(body.utf8)))
                let path = "/api/v1/datasets/settings/subscriptions/\(address.deviceID)"
                subscriptions.append(HTTPAnswer.request("PUT", path, token: person.token, body: []))
            }
        }
        for requests in [registrations, subscriptions] {
            let outcome = try await load.run(Self.dealt(requests, to: 32))
            guard outcome.failures.isEmpty else { throw CommandFailure("subscribing failed: \(outcome.failures)") }
        }
    }

    /// Waits at most ten minutes until nearly all devices wait for another attempt.
    ///
    /// - Returns: the number of devices that wait. A few devices are always under way.
    fileprivate func waitUntilPostponed(_ count: Int) async throws -> Int {
        var waiting = 0
        for _ in 0..<600 {
            let text = String(decoding: try await connection.send("GET", "/metrics", below: ""), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("muster_push_devices_postponed ") }
            waiting = line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
            if waiting >= count * 9 / 10 { return waiting }
            try await Task.sleep(for: .seconds(1))
        }
        throw CommandFailure("\(waiting) of \(count) devices wait for another attempt: the service is not asked")
    }
}

extension WebPushKeys {
    /// The receiver's keys of RFC 8291, Appendix A.
    fileprivate static let publicText =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    fileprivate static let secretText = "BTBZMqHH6r4Tts7J_aSIgg"

    fileprivate static var ofAppendix: WebPushKeys {
        get throws {
            func bytes(_ text: String) -> [UInt8] {
                let padded = text.replacing("-", with: "+").replacing("_", with: "/")
                return Array(Data(base64Encoded: padded + String(repeating: "=", count: -text.count & 3)) ?? Data())
            }
            return try WebPushKeys(publicKey: bytes(publicText), secret: bytes(secretText))
        }
    }
}

extension Arrivals<Int> {
    /// Listens as a push service does. The person in the path identifies a push.
    ///
    /// - Parameter isFailing: whether the service refuses each push for now.
    fileprivate func listen(on group: any EventLoopGroup, isFailing: Bool = false) async throws -> any Channel {
        try await StandIn.listen(on: group) { [self] path, _ in
            if isFailing { return .serviceUnavailable }
            arrive(path.split(separator: "/").first.flatMap { Int($0) })
            return .created
        }
    }
}
