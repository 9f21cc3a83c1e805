import ArgumentParser
import Foundation
import MusterTerminal

/// `muster timer`: check-in timers of people who work alone.
struct TimerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timer",
        abstract: "Manage check-in timers, which raise an SOS for a person who does not check in.",
        subcommands: [Start.self, CheckIn.self, Show.self, List.self, Stop.self])

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a person's timer. Replaces a running one.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Option(help: "Seconds within which the person must check in, 60 to 86400.") var intervalSeconds: Double
        @Option(help: "Seconds from the reminder until the leaders are notified, 0 to 3600.")
        var leaderAfterSeconds: Double?
        @Option(help: "Seconds from then until an SOS is raised, 0 to 3600.") var sosAfterSeconds: Double?
        @Flag(help: "Open an incident of the team with the SOS.") var opensIncident = false
        @Option(help: "The person's task, and where it is.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = Order(
                intervalSeconds: intervalSeconds, leaderAfterSeconds: leaderAfterSeconds,
                sosAfterSeconds: sosAfterSeconds, opensIncident: opensIncident, note: note)
            try await printTimer(of: name, over: data.data, json: json) { connection in
                try await connection.send("PUT", "/users/\(name.segment)/check-in-timer", json: order)
            }
        }

        private struct Order: Encodable {
            var intervalSeconds: Double
            var leaderAfterSeconds: Double?
            var sosAfterSeconds: Double?
            var opensIncident: Bool
            var note: String?
        }
    }

    struct CheckIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check-in", abstract: "Check in for a person you have heard from. The time starts again.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await printTimer(of: name, over: data.data, json: json) { connection in
                try await connection.send("POST", "/users/\(name.segment)/check-ins", json: [String: String]())
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a person's timer.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await printTimer(of: name, over: data.data, json: json) { connection in
                try await connection.send("GET", "/users/\(name.segment)/check-in-timer")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the timers of a team's people.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.get("/teams/\(team.segment)/safety", as: TeamTimers.self)
            }
            for member in answer.members {
                if let timer = member.checkInTimer { announce(timer.line(of: member.user)) }
            }
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "stop", abstract: "End a person's timer.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String

        func run() async throws {
            _ = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("DELETE", "/users/\(name.segment)/check-in-timer")
            }
            announce("Stopped the check-in timer of \(name).")
        }
    }
}

/// Sends a request whose response is a timer, and prints it.
private func printTimer(
    of name: String, over data: String, json: Bool, _ send: (Connection) async throws -> Data
) async throws {
    let body = try await Connection.withServer(over: data, send)
    if json { return announce(String(decoding: body, as: UTF8.self)) }
    announce(try JSONDecoder().decode(CheckInTimer.self, from: body).line(of: name))
}

/// A check-in timer, as the API returns it.
private struct CheckInTimer: Decodable, Sendable {
    var happened: String
    var happenedAt: String
    var lastWord: String
    var dueAt: String?
    var note: String?

    /// The timer on one line: the user, the state, the last check-in, and the note.
    func line(of name: String) -> String {
        let state =
            switch happened {
            case "started", "checkedIn": "due \(dueAt ?? "")"
            case "reminded": "reminded \(happenedAt)"
            case "overdue": "overdue, leaders notified \(happenedAt)"
            default: "SOS since \(happenedAt)"
            }
        return [name, state, "last check-in \(lastWord)", note?.onOneLine].compactMap(\.self).joined(separator: "\t")
    }
}

/// The check-in timers in a team's safety, as the API returns it.
private struct TeamTimers: Decodable, Sendable {
    struct Member: Decodable, Sendable {
        var user: String
        var checkInTimer: CheckInTimer?
    }
    var members: [Member]
}
