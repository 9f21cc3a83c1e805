import Foundation
import MusterCore
import MusterGeometry
import MusterServer
import MusterTerminal
import NIOCore
import NIOPosix

/// A server in a process of its own, over a fresh data folder, to be measured from outside.
final class BenchServer: Sendable {
    let connection: Connection
    let load: Load
    /// The port for MQTT, where the arguments have `--mqtt-port`.
    let mqttPort: Int?
    /// The port with TLS, where the arguments name a certificate. The connection and the load use one without.
    let tlsPort: Int?
    private let process: Process
    private let folder: URL

    /// Starts `muster serve`, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - arguments: further arguments of `serve`.
    ///   - folder: the data, if not fresh.
    static func start(loops: Int = 1, arguments: [String] = [], folder: URL? = nil) async throws -> BenchServer {
        let temporary = FileManager.default.temporaryDirectory
        let folder = folder ?? temporary.appending(path: "muster-bench-\(UUID().uuidString)")
        let process = Process()
        // The server to be measured was built beside this program.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "muster")
        process.arguments = ["serve", "--data", folder.path, "--port", "0", "--log-level", "error"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["MUSTER_ADMIN_PASSWORD": UUID().uuidString]
        ) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try Children.run(process)
        do {
            var text = ""
            while !text.contains("Muster is ready") || !text.hasSuffix("\n") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw CommandFailure("the server to be measured did not start: \(text)") }
                text += String(decoding: data, as: UTF8.self)
            }
            guard let control = ControlFile.read(in: folder.path) else { throw CommandFailure("no control file") }
            return try BenchServer(
                process, folder, control, mqttPort: Self.number(after: "--mqtt-port", in: arguments),
                tlsPort: Self.tlsPort(in: text), loops: loops)
        } catch {
            Children.stop(process)
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private static func number(after option: String, in arguments: [String]) -> Int? {
        arguments.firstIndex(of: option).flatMap { Int(arguments[$0 + 1]) }
    }

    /// The port of the address that the server printed, if that has TLS.
    private static func tlsPort(in text: String) -> Int? {
        text.split(separator: "Muster is ready at ").last?.split(separator: "\n").first.flatMap {
            let url = URL(string: String($0))
            return url?.scheme == "https" ? url?.port : nil
        }
    }

    private init(
        _ process: Process, _ folder: URL, _ control: ControlFile, mqttPort: Int?, tlsPort: Int?, loops: Int
    ) throws {
        self.mqttPort = mqttPort
        self.tlsPort = tlsPort
        self.process = process
        self.folder = folder
        connection = try Connection(base: control.url, token: control.key)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        load = Load(host: "127.0.0.1", port: connection.base.port ?? 80, group: group)
    }

    /// The server's resident memory in bytes; nil without `/proc`.
    var residentBytes: Int? { Self.residentBytes(of: process.processIdentifier) }

    /// What the server itself has taken of that, in bytes: all but pages of files. Those are the program's code, of
    /// which the kernel maps 64 kB around each page that is used, and which it may drop. Nil without `/proc`.
    var ownBytes: Int? { Self.bytes("RssAnon:", of: process.processIdentifier) }

    /// A process's resident memory in bytes; nil without `/proc`.
    static func residentBytes(of process: Int32) -> Int? { bytes("VmRSS:", of: process) }

    private static func bytes(_ kind: String, of process: Int32) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(kind) }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kilobytes * 1024
    }

    /// Stops the server and removes its data, unless they are kept.
    func stop(keepingData: Bool = false) {
        Children.stop(process)
        if keepingData { return }
        try? FileManager.default.removeItem(at: folder)
    }
}

extension BenchServer {
    /// Puts fences at random places of 1° × 1°, 46° to 47° N and 14° to 15° E; those of before in other shapes where
    /// they get other corners.
    func putFences(_ count: Int, corners: Int = 32, seed: UInt64 = 1) async throws {
        try await connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
        try await connection.makeUnlessThere("/collections", json: ["name": "fences"])
        var random = BenchRandom(seed: seed)
        var features: [String] = []
        for number in 0..<count {
            let (latitude, longitude) = (46 + random.unit(), 14 + random.unit())
            let radius = 0.002 + 0.008 * random.unit()
            let ends = (0...corners).map { corner -> String in
                let angle = Double(corner % corners) / Double(corners) * 2 * Double.pi
                return "[\(longitude + radius * cos(angle)),\(latitude + radius * sin(angle))]"
            }
            let ring = ends.joined(separator: ",")
            features.append(
                #"{"type":"Feature","id":"f\#(number)","properties":{"muster":\#(number % 10 == 0)},"#
                    + #""geometry":{"type":"Polygon","coordinates":[[\#(ring)]]}}"#)
        }
        for start in stride(from: 0, to: count, by: 500) {
            let part = features[start..<min(count, start + 500)].joined(separator: ",")
            let text = #"{"type":"FeatureCollection","features":[\#(part)]}"#
            try await connection.send(
                "POST", "/collections/fences/regions", body: Data(text.utf8), contentType: "application/geo+json")
        }
    }

    /// Makes members with a phone each, `u0/phone` and up.
    func makePeople(_ count: Int) async throws {
        let token = connection.token
        let users = (0..<count).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users", token: token,
                body: Array(#"{"name":"u\#(number)","role":"member","team":"bench"}"#.utf8))
        }
        let devices = (0..<count).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users/u\(number)/devices", token: token, body: Array(#"{"name":"phone"}"#.utf8))
        }
        for requests in [users, devices] {
            let outcome = try await load.run(Self.dealt(requests, to: 32))
            guard outcome.failures.isEmpty else { throw CommandFailure("making people failed: \(outcome.failures)") }
        }
    }

    /// Requests dealt out to connections in turn.
    static func dealt(_ requests: [ByteBuffer], to connections: Int) -> [[ByteBuffer]] {
        (0..<connections).map { first in
            stride(from: first, to: requests.count, by: connections).map { requests[$0] }
        }
    }
}

/// Returns a number of bytes as text in megabytes; "unknown" for nil.
func megabytes(_ bytes: Int?) -> String { bytes.map { "\($0 / 1_000_000) MB" } ?? "unknown" }

/// SplitMix64: the same load each time.
struct BenchRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to less than 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// A team, as the native API takes it.
struct NewTeam: Encodable {
    var name: String
}

/// A user, as the native API takes it.
struct NewUser: Encodable {
    var name: String
    var role: String
    var team: String?
    var password: String?
}
