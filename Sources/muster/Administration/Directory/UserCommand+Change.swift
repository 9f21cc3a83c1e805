import ArgumentParser
import Foundation
import MusterTerminal

/// `muster user set`.
extension UserCommand {
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change a user's role, team or database roles.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Option(help: "admin, leader, member, analyst or gateway.", completion: .roles) var role: String?
        @Option(help: "The team of the user; `muster team add` creates one.") var team: String?
        @Flag(help: "Take the user out of the team.") var noTeam = false
        @Option(
            help: "A role that _security of databases may name; may be repeated. Replaces all such roles.")
        var databaseRole: [String] = []
        @Flag(help: "Remove all database roles of the user.") var noDatabaseRoles = false
        @Flag(help: "Print the user as JSON.") var json = false

        func validate() throws {
            if team != nil, noTeam { throw ValidationError("--team and --no-team exclude each other") }
            if !databaseRole.isEmpty, noDatabaseRoles {
                throw ValidationError("--database-role and --no-database-roles exclude each other")
            }
            if role == nil, team == nil, !noTeam, databaseRole.isEmpty, !noDatabaseRoles {
                throw ValidationError(
                    "give --role, --team, --no-team, --database-role or --no-database-roles")
            }
        }

        private enum Value: Encodable {
            case text(String)
            case texts([String])
            case null

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let text): try container.encode(text)
                case .texts(let texts): try container.encode(texts)
                case .null: try container.encodeNil()
                }
            }
        }

        func run() async throws {
            var change: [String: Value] = [:]
            if let role { change["role"] = .text(role) }
            if let team { change["team"] = .text(team) }
            if noTeam { change["team"] = .null }
            if !databaseRole.isEmpty || noDatabaseRoles { change["databaseRoles"] = .texts(databaseRole) }
            let patch = change
            let answer = try await Connection.withServer(over: data.data) { connection in
                if let team {
                    try await connection.require(
                        "team", called: team, in: "/teams", remedy: "`muster team add \(team)` creates it")
                }
                return try await connection.send("PATCH", "/users/\(name.segment)", json: patch)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed user \(name).")
        }
    }
}
