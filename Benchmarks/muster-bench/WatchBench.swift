import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterTerminal

extension Bench {
    /// Measures the work of a device with many regions around it: MusterKit against a server, with the store on disk.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A device that knows many regions: opened, told of one that changed, and a fix decided.")
        @Option(help: "Regions, of 16 corners each.") var count = 50_000
        @Option(help: "Fixes to be decided.") var fixes = 20_000

        func validate() throws {
            guard (1...RegionWatch.regionLimit).contains(count) else {
                throw ValidationError("--count: 1 to \(RegionWatch.regionLimit)")
            }
            guard (1...1_000_000).contains(fixes) else { throw ValidationError("--fixes: 1 to 1000000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            let folder = FileManager.default.temporaryDirectory.appending(path: "muster-watch-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await server.putFences(count, corners: 16)
            let password = UUID().uuidString
            try await server.connection.send(
                "POST", "/users",
                json: NewUser(name: "ann", role: "member", team: "bench", password: password))
            let session = try await Session.signIn(
                at: server.connection.base.absoluteString, user: "ann", password: password,
                FileCredentialKeeper(path: folder.appending(path: "account.json").path))
            let store = try LocalStore(path: folder.appending(path: "phone.sqlite").path)
            let watch = RegionWatch(session: session, store: store)
            try await measure("told of all regions for the first time", watch) { try await watch.refresh() }
            try await measure("told of the same again", watch) { try await watch.refresh() }
            try await server.putFences(1, corners: 17)
            try await measure("told of one that changed", watch) { try await watch.refresh() }
            let again = RegionWatch(session: session, store: store)
            try await measure("opened, without a network", again) { try await again.restore() }
            try await decide(again)
        }

        /// Measures a step, and the longest wait of a caller that asks something meanwhile.
        private func measure(_ name: String, _ watch: RegionWatch, _ body: () async throws -> Void) async throws {
            let clock = ContinuousClock()
            let asking = Task.detached {
                var longest = Duration.zero
                while !Task.isCancelled {
                    longest = max(longest, clock.measure { _ = watch.incident })
                    try? await Task.sleep(for: .milliseconds(1))
                }
                return longest
            }
            let seconds = try await clock.measure(body) / .seconds(1)
            asking.cancel()
            let longest = await asking.value / .milliseconds(1)
            Figures.record(name, "ms", seconds * 1e3)
            Figures.record(name, "a fix waits ms", longest)
            announce(
                name + String(format: ": %.0f ms; a fix would have waited %.1f ms at most", seconds * 1e3, longest))
        }

        /// A walk across the regions, one fix after the other.
        private func decide(_ watch: RegionWatch) async throws {
            var random = BenchRandom(seed: 3)
            var (latitude, longitude) = (46.5, 14.5)
            let start = Instant.now.advanced(bySeconds: -Double(fixes) * 5)
            var crossings = 0
            let clock = ContinuousClock()
            let seconds =
                clock.measure {
                    for index in 0..<fixes {
                        latitude = min(47, max(46, latitude + (random.unit() - 0.5) * 4e-4))
                        longitude = min(15, max(14, longitude + (random.unit() - 0.5) * 4e-4))
                        let time = start.advanced(bySeconds: Double(index) * 5)
                        let fix = Position(
                            coordinate: Coordinate(validLatitude: latitude, longitude: longitude), sampleTime: time,
                            receivedTime: time, accuracy: Metres(8))
                        crossings += watch.follow([fix], of: "bench").count
                    }
                } / .seconds(1)
            Figures.record("a fix decided", "µs", seconds / Double(fixes) * 1e6)
            announce(
                String(
                    format: "a fix decided: %.1f µs, %d crossings in %d fixes", seconds / Double(fixes) * 1e6,
                    crossings, fixes))
        }
    }
}
