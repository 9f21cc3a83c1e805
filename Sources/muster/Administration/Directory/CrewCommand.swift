import ArgumentParser
import Foundation
import MusterTerminal

/// `muster crew`: manages the named parts of a team.
struct CrewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crew", abstract: "Add, rename, list, show and remove the crews of a team.",
        discussion: """
            A crew is a named part of one team, such as "Engine 3". A person is in at most one: `muster user set ana \
            --crew "Engine 3"` puts a person into a crew of their team, and --no-crew takes them out of it.
            """,
        subcommands: [Add.self, Rename.self, List.self, Show.self, Remove.self])

    struct Crew: Codable, Sendable {
        var name: String
        var team: String
        var people: Int
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a crew to a team.")
        @OptionGroup var data: DataOption
        @OptionGroup var team: TeamOption
        @Argument(help: "The crew: up to 100 characters.") var name: String
        @Flag(help: "Print the crew as JSON.") var json = false

        func run() async throws {
            let answer = try await team.withCrews(over: data.data) { connection, crews in
                try await connection.send("POST", crews, json: ["name": name])
            }
            announce(
                json ? String(decoding: answer, as: UTF8.self) : "Added crew \(name.onOneLine) to \(team.team).")
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Rename a crew. Its people stay in it.")
        @OptionGroup var data: DataOption
        @OptionGroup var team: TeamOption
        @Argument(help: "The crew.") var name: String
        @Argument(help: "The new name: up to 100 characters.") var newName: String
        @Flag(help: "Print the crew as JSON.") var json = false

        func run() async throws {
            let answer = try await team.withCrew(name, over: data.data) { connection, crew in
                try await connection.send("PATCH", crew, json: ["name": newName])
            }
            announce(
                json
                    ? String(decoding: answer, as: UTF8.self)
                    : "Crew \(name.onOneLine) of \(team.team) is called \(newName.onOneLine).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the crews of a team, each with the number of its people.")
        @OptionGroup var data: DataOption
        @OptionGroup var team: TeamOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let crews = try await team.withCrews(over: data.data) { connection, crews in
                try await connection.list(crews, of: Crew.self)
            }
            if json { return announce(try encoded(crews)) }
            for crew in crews {
                announce("\(crew.name.onOneLine)\t\(crew.people) \(crew.people == 1 ? "person" : "people")")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Print a crew as JSON.")
        @OptionGroup var data: DataOption
        @OptionGroup var team: TeamOption
        @Argument(help: "The crew.") var name: String

        func run() async throws {
            let answer = try await team.withCrew(name, over: data.data) { connection, crew in
                try await connection.send("GET", crew)
            }
            announce(String(decoding: answer, as: UTF8.self))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a crew. Its people stay in the team.")
        @OptionGroup var data: DataOption
        @OptionGroup var team: TeamOption
        @Argument(help: "The crew.") var name: String

        func run() async throws {
            _ = try await team.withCrew(name, over: data.data) { connection, crew in
                try await connection.send("DELETE", crew)
            }
            announce("Removed crew \(name.onOneLine) from \(team.team).")
        }
    }
}

/// The team whose crews a command is about.
struct TeamOption: ParsableArguments {
    @Option(help: "The team that the crew is a part of.") var team: String

    /// Calls a closure with a connection and the path of the team's crews.
    ///
    /// - Throws: `CommandFailure` when there is no such team.
    func withCrews<Answer>(
        over data: String, _ body: (Connection, String) async throws -> Answer
    ) async throws -> Answer {
        try await Connection.withServer(over: data) { connection in
            try await connection.require(
                "team", called: team, in: "/teams", remedy: "`muster team add \(team)` creates it")
            return try await body(connection, "/teams/\(team.segment)/crews")
        }
    }

    /// Calls a closure with a connection and the path of one of the team's crews.
    ///
    /// - Throws: `CommandFailure` when there is no such team or crew.
    func withCrew<Answer>(
        _ name: String, over data: String, _ body: (Connection, String) async throws -> Answer
    ) async throws -> Answer {
        try await withCrews(over: data) { connection, crews in
            try await connection.require(
                "crew", called: name, in: crews, remedy: "`muster crew add --team \(team)` creates one")
            return try await body(connection, "\(crews)/\(name.segment)")
        }
    }
}
