import ArgumentParser
import Foundation
import Logging
import MusterCore
import MusterEndpoints
import MusterServer
import MusterSimulator
import MusterTerminal

/// `muster demo`: runs its own server and an invented town whose people carry phones, and prints a link to the live
/// page.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a server with a simulated team, and print the link to its console.")

    @Option(help: "The number of people, 1 to 1000.") var people = 40
    @Option(help: "The port to listen on; 0 picks a free one.") var port = 8080
    @Option(help: "The seed of the simulation; the same seed gives the same town.") var seed: UInt64 = 1
    @Option(help: "The walking speed, as a multiple of the real one.") var pace: Double = 4
    @Option(help: "The seconds until everyone is told to evacuate.") var evacuateAfter: Double = 40
    @Option(help: "The errors of the fixes: none, honest, or hostile (false jumps, narrow streets).")
    var noise = DemoNoise.honest
    @Option(help: "The folder with the web page.", completion: .directory) var web: String?

    func validate() throws {
        guard (1...DemoTown.mostPeople).contains(people) else {
            throw ValidationError("--people: 1 to \(DemoTown.mostPeople)")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port: \(port) is not 0 to 65535") }
        guard (0.1...100).contains(pace) else { throw ValidationError("--pace: 0.1 to 100") }
        try ValidationError.require("--evacuate-after", evacuateAfter, in: 0...31_536_000)
        _ = try Self.limitSeconds()
    }

    /// The seconds after which the demo ends by itself, from the environment; nil for no limit.
    ///
    /// - Throws: `ValidationError`.
    private static func limitSeconds() throws -> Double? {
        guard let text = ProcessInfo.processInfo.environment["DEMO_SECONDS"], !text.isEmpty else { return nil }
        guard let seconds = Double(text) else {
            throw ValidationError("DEMO_SECONDS: '\(text)' is not a number of seconds")
        }
        try ValidationError.require("DEMO_SECONDS", seconds, in: -31_536_000...31_536_000)
        return seconds
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muster-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        StandardOutput.whenUnwritable { try? FileManager.default.removeItem(at: folder) }
        var settings = Configuration(dataDirectory: folder.path)
        settings.port = port
        settings.webRoot = web ?? WebRoot.find()
        var logger = Logger(label: "muster")
        logger.logLevel = .warning
        let (prepared, quiet) = (settings, logger)
        let server = try await reportingFailures {
            try await Server(prepared, endpoints: AllEndpoints.types, logger: quiet)
        }
        let seconds = try Self.limitSeconds()
        let host = settings.host
        let play = Task {
            try await reportingFailures(ofListeningAt: host, port: port) {
                try await server.runWhile { address in try await perform(on: server, at: address) }
            }
        }
        let stop = StopSignals { play.cancel() }
        let limit = Task {
            guard let seconds else { return }
            try await Task.sleep(for: .seconds(seconds))
            play.cancel()
        }
        defer {
            stop.cancel()
            limit.cancel()
        }
        do {
            try await play.value
        } catch  where play.isCancelled {
            announce("The demo is over; its data is gone.")
        }
    }

    private static let team = "puerto-sereno"

    private func perform(on server: Server, at address: String) async throws {
        guard let control = ControlFile.read(in: server.dataDirectory) else {
            throw CommandFailure("the demo's server left no control file")
        }
        let connection = try Connection(base: address, token: control.key)
        let names = try await createTeam(connection)
        announce("Muster is ready at \(address)")
        announce("  Open \(address)/#demo=\(server.signInCode(for: "admin") ?? "")   (one click, once)")
        announce("  or sign in as admin with the password \(server.generatedPassword ?? "(the one you set)")")
        announce("  \(LoneWorker.name) works alone in the lighthouse, and will miss a check-in.")
        announce("  \(DemoHouse.name) looks after the town hall; five beacons show which room.")
        announce(
            "  \(people) people of \(DemoTown.name) walk about; in \(Int(evacuateAfter)) s they are told to evacuate."
        )
        announce("  Stop with Ctrl-C.")
        try await live(connection, names: names)
    }

    /// Creates the team, its members and its regions.
    ///
    /// - Returns: the path of each person's device in the API.
    private func createTeam(_ connection: Connection) async throws -> [String] {
        let team = Self.team
        try await connection.makeUnlessThere("/teams", json: TeamCommand.Team(name: team, silenceSeconds: 60))
        try await connection.makeUnlessThere("/collections", json: ["name": team])
        try await connection.send(
            "POST", "/collections/\(team)/regions", body: Data(regions: DemoTown.sites.map(\.region)),
            contentType: "application/geo+json")
        let town = DemoTown(seed: seed, start: Instant.systemClock(), people: people)
        var names: [String] = []
        for crew in DemoTown.crews {
            try await connection.makeUnlessThere("/teams/\(team)/crews", json: ["name": crew])
        }
        for (index, person) in town.world.people.enumerated() {
            let user = UserCommand.User(
                name: person.name, role: "member", team: team, crew: DemoTown.crew(of: index),
                phone: DemoTown.phone(of: index))
            try await connection.send("POST", "/users", json: user)
            try await connection.send("POST", "/users/\(person.name.segment)/devices", json: ["name": "phone"])
            names.append("\(person.name)/phone")
        }
        try await connection.send(
            "POST", "/users",
            json: UserCommand.User(name: LoneWorker.name, role: "member", team: team, phone: LoneWorker.phone))
        try await DemoHouse.createHouse(connection, team: team)
        return names
    }

    /// Simulates the town in real time, and reports the positions of its phones.
    private func live(_ connection: Connection, names: [String]) async throws {
        let reporter = Reporter(connection: connection)
        let start = Instant.systemClock()
        var town = DemoTown(
            seed: seed, start: start, people: people, noise: noise.noise, intervalSeconds: 2, pace: pace)
        town.world.evacuate(at: start.advanced(bySeconds: evacuateAfter))
        let stubborn = town.world.people.filter { $0.response == .stubborn }.map(\.name)
        var drill = DemoDrill(
            connection: connection, team: Self.team, stubborn: Set(stubborn).union([LoneWorker.name, DemoHouse.name]))
        var loneWorker = LoneWorker(connection: connection)
        try await loneWorker.startTimer(at: start)
        var house = DemoHouse(connection: connection, seed: seed, start: start)
        var isEvacuated = false
        while true {
            try await Task.sleep(for: .seconds(1))
            let now = Instant.systemClock()
            let deliveries = town.world.advance(to: now)
            try await reporter.send(deliveries.map { (device: names[$0.person], position: $0.position) })
            if !isEvacuated, now.seconds(since: start) >= evacuateAfter {
                isEvacuated = true
                try await drill.start()
            }
            try await loneWorker.follow(at: now)
            try await house.follow(at: now)
            try await drill.follow(at: now)
        }
    }
}

extension DemoTown.Site {
    fileprivate var region: Region { Region(toSend: id, name: name, shape: shape, isMuster: isMuster) }
}

/// The errors of the fixes in the demo.
enum DemoNoise: String, CaseIterable, ExpressibleByArgument {
    case none, honest, hostile

    var noise: Noise {
        switch self {
        case .none: Noise()
        case .honest: Noise(.honest, environment: .open, saysSpeed: true)
        case .hostile: Noise(.hostile, environment: .city)
        }
    }
}

/// Calls a closure when the process receives SIGINT or SIGTERM. The second signal ends the process at once.
final class StopSignals: Sendable {
    // Dispatch sources may be cancelled from any thread, and nothing else is done with them.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Later signals end the process, whatever the closure's work waits for.
                signal(SIGINT, SIG_DFL)
                signal(SIGTERM, SIG_DFL)
                stop()
            }
            source.resume()
            return source
        }
    }

    func cancel() { for source in sources { source.cancel() } }
}
