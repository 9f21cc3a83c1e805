import ArgumentParser
import Foundation
import MusterCore
import MusterServer
import MusterTerminal
import MusterWire
import NIOCore

extension Bench {
    /// Amazon Location's updates, signed, durable before the answer.
    struct Amazon: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "BatchUpdateDevicePosition, 10 positions a request, each signed: on disk before the answer.")
        @Option(help: "Requests, in thousands.") var thousands = 50
        @Option(help: "Connections.") var connections = 64
        @Option(help: "Devices.") var devices = 1000

        func validate() throws {
            guard thousands > 0, connections > 0, devices >= 10 else {
                throw ValidationError("counts must be positive, and devices at least 10")
            }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            let signer = try await AmazonSigner(server, user: "admin", service: "geo")
            try await server.connection.send("POST", "/teams", json: NewTeam(name: "bench"))
            let path = "/tracking/v0/trackers/bench/positions"
            let rounds = thousands * 10_000 / devices + 2
            var reports = AmazonReports(devices: devices, rounds: rounds)
            // Every device is made before anything is measured.
            let first = (0..<(devices + 9) / 10).map { _ in signer.request(path, reports.next()) }
            _ = try await server.load.run([first])
            let requests = (0..<connections).map { _ in
                (0..<thousands * 1000 / connections).map { _ in signer.request(path, reports.next()) }
            }
            announce(Report.heading)
            let outcome = try await server.load.run(requests)
            Report.publish("\(connections) connections × 10", outcome, each: 10)
            Figures.record("\(connections) connections × 10", "requests/s", outcome.requestsPerSecond)
        }
    }
}

/// Bodies of ten positions, devices in turn. The sample times end now, and are at least a millisecond apart.
private struct AmazonReports {
    private let devices: Int
    private var count = 0
    private let start: Instant
    private let step: Double

    init(devices: Int, rounds: Int) {
        self.devices = devices
        step = max(0.001, 20 / Double(rounds))
        start = .now.advanced(bySeconds: -step * Double(rounds))
    }

    mutating func next() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("Updates")
        writer.beginArray()
        for _ in 0..<10 {
            writer.beginObject()
            writer.member("DeviceId", "d\(count % devices)")
            writer.member("SampleTime", start.advanced(bySeconds: Double(count / devices) * step))
            writer.key("Position")
            writer.beginArray()
            writer.value(14 + Double(count % 997) / 1000)
            writer.value(46 + Double(count % 991) / 1000)
            writer.endArray()
            writer.endObject()
            count += 1
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
