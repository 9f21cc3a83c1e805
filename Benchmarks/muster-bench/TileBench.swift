import ArgumentParser
import MusterTerminal
import NIOCore

extension Bench {
    /// Measures the tiles of the map that comes with the server, as browsers ask for them.
    struct Tiles: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tiles", abstract: "Tiles of the map of the world, at random, from 64 connections.")
        @Option(help: "Tiles, in thousands.") var thousands = 60

        func validate() throws {
            guard (1...10_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 10000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            var random = BenchRandom(seed: 1)
            let tiles = try await tiles(of: server)
            let requests = (0..<thousands * 1_000).map { _ in tiles[Int(random.unit() * Double(tiles.count))] }
            let outcome = try await server.load.run(BenchServer.dealt(requests, to: 64))
            guard outcome.failures.isEmpty else { throw CommandFailure("asking for tiles failed: \(outcome.failures)") }
            announce(Report.heading(of: "tiles"))
            Report.publish("64 connections", outcome, each: 1, unit: "tiles")
        }

        /// The requests for those tiles to zoom 5 that there are: a map has none in the middle of an ocean.
        private func tiles(of server: BenchServer) async throws -> [ByteBuffer] {
            let load = server.load
            let once = OneRequest(host: load.host, port: load.port, group: load.group)
            var found: [ByteBuffer] = []
            for zoom in 0...5 {
                for column in 0..<1 << zoom {
                    for row in 0..<1 << zoom {
                        var request = ByteBuffer()
                        request.writeString(
                            "GET /tiles/world/\(zoom)/\(column)/\(row) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                + "Accept-Encoding: gzip\r\n\r\n")
                        if try await once.send(request).status == 200 { found.append(request) }
                    }
                }
            }
            guard !found.isEmpty else { throw CommandFailure("the server has no tiles: run `make basemap`") }
            return found
        }
    }
}
