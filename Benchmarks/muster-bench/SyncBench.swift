import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterReplication
import MusterTerminal

extension Bench {
    /// MusterKit against a server over HTTP: the documents of a phone are sent to the server, and to another phone.
    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Push, pull and snapshot of location documents, a store on disk at each side.")
        @Option(help: "Documents, in thousands.") var thousands = 50

        func validate() throws {
            guard (1...1_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 1000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            let folder = FileManager.default.temporaryDirectory.appending(path: "muster-sync-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await server.connection.send("POST", "/users", json: NewUser(name: "ann", role: "member"))
            guard
                let address = DatabaseAddress(
                    server: server.connection.base.absoluteString, database: "lt_locations_user_ann",
                    credentials: .bearer(server.connection.token))
            else { throw CommandFailure("the server has no address") }
            let count = thousands * 1_000
            let phone = try LocalStore(path: folder.appending(path: "phone.sqlite").path)
            try await measure("recorded on the device, 1,000 a transaction", count) {
                try await Self.fill(phone, count)
            }
            try await measure("push", count) {
                try await Replication(from: phone, to: HTTPPeer(address)).run()
            }
            var options = Replication.Options()
            options.takesSnapshot = false
            let second = try LocalStore(path: folder.appending(path: "second.sqlite").path)
            try await measure("pull, page by page", count) { [options] in
                try await Replication(from: HTTPPeer(address), to: second, options: options).run()
            }
            let third = try LocalStore(path: folder.appending(path: "third.sqlite").path)
            try await measure("pull, snapshot first", count) {
                try await Replication(from: HTTPPeer(address), to: third).run()
            }
            for store in [second, third] {
                let arrived = try await store.count()
                guard arrived == count else { throw CommandFailure("\(arrived) of \(count) documents arrived") }
            }
        }

        private func measure(_ name: String, _ count: Int, _ body: () async throws -> Void) async throws {
            let clock = ContinuousClock()
            let seconds = try await clock.measure(body) / .seconds(1)
            Figures.record(name, "docs/s", Double(count) / seconds)
            announce("\(name): \(count) documents in \(Int(seconds * 1_000)) ms, \(Int(Double(count) / seconds))/s")
        }

        private static func fill(_ store: LocalStore, _ count: Int) async throws {
            var random = BenchRandom(seed: 1)
            let start = Instant.now.advanced(bySeconds: -Double(count))
            for base in stride(from: 0, to: count, by: 1_000) {
                let locations = (base..<min(count, base + 1_000)).map { index -> RecordedLocation in
                    let place = Coordinate(validLatitude: 46 + random.unit(), longitude: 14 + random.unit())
                    let time = start.advanced(bySeconds: Double(index))
                    let fix = Position(coordinate: place, sampleTime: time, receivedTime: time, accuracy: Metres(5))
                    return RecordedLocation(
                        LocationMonitor.Location(fix: fix, isInBackground: false), user: "ann", session: "bench")
                }
                try await store.save(all: locations.map { (id: $0.id, value: $0) })
            }
        }
    }
}
