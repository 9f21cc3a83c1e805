import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import MusterWire
import NIOCore

extension Bench {
    /// Sightings of gateways over HTTP, durable before the answer, and the decoders of frames alone.
    struct Sightings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sightings of tags over HTTP, on disk before the answer, a room a gateway; and frames decoded.")
        @Option(help: "Sightings, in thousands.") var thousands = 1000
        @Option(help: "Tags, each of a person.") var tags = 1_000
        @Option(help: "Gateways, each with a room and a connection.") var gateways = 64
        @Option(help: "Frames to decode, in thousands.") var frameThousands = 5_000

        func validate() throws {
            guard (1...500).contains(gateways) else { throw ValidationError("--gateways: 1 to 500") }
            guard (1...50_000).contains(tags) else { throw ValidationError("--tags: 1 to 50000") }
            guard thousands > 0, frameThousands > 0 else { throw ValidationError("counts must be positive") }
        }

        func run() async throws {
            decodeFrames()
            // All gateways are one user's, and what that user may report a second is not what is measured.
            let server = try await BenchServer.start(arguments: ["--quota-position-burst", "\(thousands * 2000)"])
            defer { server.stop() }
            let tokens = try await makeHouse(on: server)
            announce(Report.heading(of: "sightings"))
            let outcome = try await server.load.run(requests(tokens))
            Report.publish("\(gateways) × \(Self.batch), tags mixed", outcome, each: Self.batch, unit: "sightings")
            if !outcome.failures.isEmpty { announce("refused, by status: \(outcome.failures)") }
            announce("RSS at the end: \(megabytes(server.residentBytes))")
        }

        /// The sightings of one request.
        private static let batch = 100

        /// People with a tag each, and gateways with a room each.
        private func makeHouse(on server: BenchServer) async throws -> [String] {
            try await server.putFences(1)
            try await server.makePeople(tags)
            let connection = server.connection
            let tagRequests = (0..<tags).map { number in
                HTTPAnswer.request(
                    "POST", "/api/v1/users/u\(number)/devices", token: connection.token,
                    body: Array(#"{"name":"tag","beacon":"\#(Self.uuid):1:\#(number % 65_536)"}"#.utf8))
            }
            let outcome = try await server.load.run(BenchServer.dealt(tagRequests, to: 32))
            guard outcome.failures.isEmpty else { throw CommandFailure("making tags failed: \(outcome.failures)") }
            try await connection.send("POST", "/users", json: NewUser(name: "gates", role: "gateway"))
            var tokens: [String] = []
            for number in 0..<gateways {
                let path = "/users/gates/devices/g\(number)"
                try await connection.send("POST", "/users/gates/devices", json: ["name": "g\(number)"])
                let answer = try await connection.send("POST", path + "/token")
                guard let token = try? JSONValue(parsing: Array(answer))["token"]?.string else {
                    throw CommandFailure("no token for a gateway")
                }
                tokens.append(token)
                let region = """
                    {"type":"Feature","id":"room\(number)","geometry":null,\
                    "properties":{"beacon":{"scanner":"gates/g\(number)"}}}
                    """
                try await connection.send(
                    "PUT", "/collections/fences/regions/room\(number)", body: Data(region.utf8),
                    contentType: "application/geo+json")
            }
            return tokens
        }

        private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

        /// For each gateway its requests, in the order of time. A tag is heard by the five gateways around it, and
        /// walks past a quarter of them all within the run.
        private func requests(_ tokens: [String]) -> [[ByteBuffer]] {
            let each = max(1, thousands * 1000 / Self.batch / gateways)
            let end = Instant.now
            return tokens.enumerated().map { gateway, token in
                var random = BenchRandom(seed: UInt64(gateway + 1))
                return (0..<each).map { index in
                    let near = self.tags(near: gateway, at: Double(index) / Double(each))
                    let body = JSONWriter.object { writer in
                        writer.key("sightings")
                        writer.beginArray()
                        for place in 0..<Self.batch {
                            // All of a run lies within the last minute, so that it decides.
                            let share = (Double(index) + Double(place) / Double(Self.batch)) / Double(each)
                            let time = end.advanced(bySeconds: -60 + 60 * share)
                            writer.report(
                                Sighting(
                                    of: Self.beacon(near[place % near.count]), sampleTime: time, receivedTime: time,
                                    signalStrength: (-50 - 40 * random.unit()).rounded()))
                        }
                        writer.endArray()
                    }
                    return HTTPAnswer.request("POST", "/api/v1/sightings", token: token, body: body)
                }
            }
        }

        /// The tags that a gateway hears at a share of the run; at least one.
        private func tags(near gateway: Int, at share: Double) -> [Int] {
            let walked = Int(share * Double(gateways) / 4)
            let near = (0..<tags).filter { tag in
                let away = abs((tag + walked) % gateways - gateway)
                return min(away, gateways - away) <= 2
            }
            return near.isEmpty ? [gateway % tags] : near
        }

        private static func beacon(_ number: Int) -> Beacon {
            Beacon(uuid: BeaconUUID(uuid) ?? BeaconUUID(high: 0, low: 0), major: 1, minor: UInt16(number % 65_536))
        }

        private func decodeFrames() {
            var random = BenchRandom(seed: 7)
            func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            let frames: [(String, [UInt8], tail: Int)] = [
                ("iBeacon", [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15], 21),
                ("AltBeacon", [0x1B, 0xFF, 0x18, 1, 0xBE, 0xAC], 22),
                ("Eddystone-UID", [2, 1, 6, 3, 3, 0xAA, 0xFE, 0x17, 0x16, 0xAA, 0xFE, 0], 19),
                ("BTHome", [2, 1, 6, 0x0A, 0x16, 0xD2, 0xFC, 0x40, 2, 0xCA, 9, 3], 2),
            ]
            announce("format            frames/s")
            for (name, head, tail) in frames {
                let payloads = (0..<1_000).map { _ in head + bytes(tail) }
                var decoded = 0
                let start = ContinuousClock.now
                for index in 0..<(frameThousands * 1_000 / frames.count) {
                    decoded += (try? Advertisement(reading: payloads[index % payloads.count]))?.frames.count ?? 0
                }
                let rate = Double(decoded) / max(start.duration(to: .now) / .seconds(1), 1e-9)
                announce(name.padding(toLength: 14, withPad: " ", startingAt: 0) + String(format: "%12d", Int(rate)))
                Figures.record("frames decoded", "\(name), M/s", rate / 1e6)
            }
        }
    }
}
