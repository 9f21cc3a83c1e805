import ArgumentParser
import Foundation
import MusterTerminal

extension UserCommand {
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change a user's role or team.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Option(help: "admin, leader, member, analyst or gateway.") var role: String?
        @Option(help: "The team the user belongs to; `muster team add` makes one.") var team: String?
        @Flag(help: "Take the user out of the team.") var noTeam = false
        @Flag(help: "Print the user as JSON.") var json = false

        func validate() throws {
            if team != nil, noTeam { throw ValidationError("--team and --no-team exclude each other") }
            if role == nil, team == nil, !noTeam { throw ValidationError("give --role, --team or --no-team") }
        }

        func run() async throws {
            var change: [String: String?] = [:]
            if let role { change["role"] = role }
            if let team { change["team"] = team }
            if noTeam { change.updateValue(nil, forKey: "team") }
            let patch = change
            let answer = try await Connection.withServer(over: data.data) { connection in
                if let team {
                    try await connection.require(
                        "team", called: team, in: "/teams", remedy: "`muster team add \(team)` makes it")
                }
                return try await connection.send("PATCH", "/users/\(name.segment)", json: patch)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed user \(name).")
        }
    }
}
