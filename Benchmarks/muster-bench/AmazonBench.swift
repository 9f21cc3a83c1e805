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
            let signer = try await AmazonSigner(server)
            try await server.connection.send("POST", "/teams", json: NewTeam(name: "bench"))
            var reports = AmazonReports(devices: devices)
            // Every device is made before anything is measured.
            let first = (0..<(devices + 9) / 10).map { _ in signer.request(reports.next()) }
            _ = try await server.load.run([first])
            let requests = (0..<connections).map { _ in
                (0..<thousands * 1000 / connections).map { _ in signer.request(reports.next()) }
            }
            announce(Report.heading)
            let outcome = try await server.load.run(requests)
            announce(Report.row("\(connections) connections × 10", outcome, positionsEach: 10))
        }
    }
}

/// Bodies of ten positions, devices in turn, each device forty milliseconds on.
private struct AmazonReports {
    private let devices: Int
    private var count = 0
    private let start = Instant(seconds: Date().timeIntervalSince1970 - 86_400)

    init(devices: Int) { self.devices = devices }

    mutating func next() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("Updates")
        writer.beginArray()
        for _ in 0..<10 {
            writer.beginObject()
            writer.member("DeviceId", "d\(count % devices)")
            writer.member("SampleTime", start.advanced(bySeconds: Double(count / devices) * 0.04))
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

/// Signs requests as an AWS client does, all at the time at which it was made.
private struct AmazonSigner {
    private struct Key: Decodable {
        var accessKeyId: String
        var secretAccessKey: String
    }

    private let key: Key
    private let host: String
    private let time: String
    private let scope: SignatureV4.Scope
    private let signingKey: SigningKey
    private let path = "/tracking/v0/trackers/bench/positions"

    init(_ server: BenchServer) async throws {
        let request = ["label": "bench", "user": "admin", "kind": "aws"]
        let body = try await server.connection.send("POST", "/keys", json: request)
        key = try JSONDecoder().decode(Key.self, from: body)
        host = "127.0.0.1:\(server.connection.base.port ?? 80)"
        time = Instant(seconds: Date().timeIntervalSince1970).amazonDate
        scope = SignatureV4.Scope(date: String(time.prefix(8)), region: "us-east-1", service: "geo")
        signingKey = SigningKey(secret: key.secretAccessKey, scope: scope)
    }

    func request(_ body: [UInt8]) -> ByteBuffer {
        let names = ["content-type", "host", "x-amz-date"]
        let canonical = SignatureV4.canonicalRequest(
            method: "POST", path: path, query: nil, signedHeaders: names, bodyDigest: SigningKey.digest(of: body)
        ) { name in
            switch name {
            case "content-type": ["application/json"]
            case "host": [host]
            default: [time]
            }
        }
        let text = SignatureV4.stringToSign(
            at: time, scope: scope, digest: SigningKey.digest(of: canonical ?? []))
        let shown = SignatureV4(
            accessKeyID: key.accessKeyId, scope: scope, signedHeaders: names,
            signature: signingKey.signature(of: text))
        var buffer = ByteBufferAllocator().buffer(capacity: body.count + 400)
        buffer.writeString("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nX-Amz-Date: \(time)\r\n")
        buffer.writeString("Authorization: \(shown.authorization)\r\n")
        buffer.writeString("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
