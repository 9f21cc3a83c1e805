import ArgumentParser
import Foundation
import MusterCoding
import MusterCore
import MusterTerminal
import MusterWire
import NIOCore

extension Bench {
    /// What tracker apps post, one position a request, each in its own form.
    struct Trackers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Positions as tracker apps post them: on disk before the answer, against OwnTracks.")
        @Option(help: "Phones of each app, each on one of 64 connections.") var phones = 320

        func validate() throws {
            guard (64...10_000).contains(phones) else { throw ValidationError("--phones: 64 to 10000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.putFences(1000)
            try await server.makePeople(phones)
            announce(Report.heading)
            var ofOwnTracks = 0.0
            for app in TrackerForm.allCases {
                let tokens = try await makeDevices(named: app.rawValue, on: server)
                let requests = requests(of: app, tokens)
                let outcome = try await server.load.run(requests)
                guard outcome.failures.isEmpty else { throw CommandFailure("\(app) failed: \(outcome.failures)") }
                Report.publish(app.rawValue, outcome, each: 1)
                if app == .ownTracks { ofOwnTracks = outcome.requestsPerSecond }
                let share = outcome.requestsPerSecond / ofOwnTracks * 100
                announce("  \(Int(share)) % of OwnTracks")
                Figures.record(app.rawValue, "%", share)
            }
        }

        private static let connections = 64
        /// Each phone reports once for each of these seconds, which end now.
        private static let seconds = 45

        /// Gives each person a device, and returns a token of each.
        private func makeDevices(named name: String, on server: BenchServer) async throws -> [String] {
            try await withThrowingTaskGroup(of: [(Int, String)].self) { group in
                for first in 0..<16 {
                    group.addTask { [connection = server.connection, phones] in
                        var tokens: [(Int, String)] = []
                        for number in stride(from: first, to: phones, by: 16) {
                            let devices = "/users/u\(number)/devices"
                            try await connection.send("POST", devices, json: ["name": name])
                            let answer = try await connection.send("POST", "\(devices)/\(name)/token")
                            guard let token = try? JSONValue(parsing: Array(answer))["token"]?.string else {
                                throw CommandFailure("no token for a device")
                            }
                            tokens.append((number, token))
                        }
                        return tokens
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }

        /// For each connection its requests: its phones in turn, each in the order of time.
        private func requests(of app: TrackerForm, _ tokens: [String]) -> [[ByteBuffer]] {
            let start = Instant.now.advanced(bySeconds: Double(-Self.seconds))
            return (0..<Self.connections).map { connection in
                var random = BenchRandom(seed: UInt64(connection + 1))
                return (0..<Self.seconds).flatMap { second in
                    stride(from: connection, to: tokens.count, by: Self.connections).map { phone in
                        app.request(
                            at: start.advanced(bySeconds: Double(second)), latitude: 46 + random.unit(),
                            longitude: 14 + random.unit(), user: "u\(phone)", token: tokens[phone])
                    }
                }
            }
        }
    }
}

/// How an app posts one position.
enum TrackerForm: String, CaseIterable {
    case ownTracks = "OwnTracks"
    case traccar = "Traccar"
    case traccarJSON = "Traccar-JSON"
    case overland = "Overland"
    case gpsLogger = "GPSLogger"
    case uLogger = "uLogger"

    func request(at time: Instant, latitude: Double, longitude: Double, user: String, token: String) -> ByteBuffer {
        let seconds = time.milliseconds / 1000
        let fields = "lat=\(latitude)&lon=\(longitude)"
        switch self {
        case .ownTracks:
            return message(
                "POST /owntracks", basic(user, token), "application/json",
                #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"tst":\#(seconds),"acc":8,"batt":77}"#)
        case .traccar:
            return message("GET /osmand/\(token)?id=1&\(fields)&timestamp=\(seconds)&accuracy=8&batt=77", "", "", "")
        case .traccarJSON:
            let coords = #"{"latitude":\#(latitude),"longitude":\#(longitude),"accuracy":8,"speed":0,"heading":-1}"#
            let location = #"{"timestamp":"\#(time.rfc3339)","coords":\#(coords),"battery":{"level":0.77}}"#
            return message(
                "POST /osmand/\(token)", "", "application/json", #"{"location":\#(location),"device_id":"1"}"#)
        case .overland:
            let geometry = #"{"type":"Point","coordinates":[\#(longitude),\#(latitude)]}"#
            let properties = #"{"timestamp":"\#(time.rfc3339)","horizontal_accuracy":8,"battery_level":0.77}"#
            return message(
                "POST /overland", "Authorization: Bearer \(token)\r\n", "application/json",
                #"{"locations":[{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}]}"#)
        case .gpsLogger:
            return message(
                "POST /osmand", basic(user, token), "application/x-www-form-urlencoded",
                "\(fields)&timestamp=\(seconds)&acc=8&batt=77")
        case .uLogger:
            return message(
                "POST /ulogger/client/index.php", "Cookie: ulogger=\(token)\r\n", "application/x-www-form-urlencoded",
                "action=addpos&\(fields)&time=\(seconds)&accuracy=8&trackid=1")
        }
    }

    private func basic(_ user: String, _ token: String) -> String {
        "Authorization: Basic \(Base64.encode(Array("\(user):\(token)".utf8)))\r\n"
    }

    private func message(_ line: String, _ proof: String, _ type: String, _ body: String) -> ByteBuffer {
        let content = type.isEmpty ? "" : "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        return ByteBuffer(string: "\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(proof)\(content)\r\n\(body)")
    }
}
