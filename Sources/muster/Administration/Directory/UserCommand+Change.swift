import ArgumentParser
import Foundation
import MusterTerminal

/// `muster user set`.
extension UserCommand {
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a user's role, team, crew, database roles, e-mail address, phone number or display name.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Option(help: "admin, leader, member, analyst or gateway.", completion: .roles) var role: String?
        @Option(help: "The team of the user; `muster team add` creates one.") var team: String?
        @Flag(help: "Take the user out of the team, and with it out of the crew.") var noTeam = false
        @Option(help: "The crew of the team that the user is in; `muster crew add` creates one.") var crew: String?
        @Flag(help: "Take the user out of the crew.") var noCrew = false
        @Option(
            help: "A role that _security of databases may name; may be repeated. Replaces all such roles.")
        var databaseRole: [String] = []
        @Flag(help: "Remove all database roles of the user.") var noDatabaseRoles = false
        @Option(help: "The person's e-mail address.") var email: String?
        @Flag(help: "Remove the e-mail address.") var noEmail = false
        @Option(help: "The person's telephone number.") var phone: String?
        @Flag(help: "Remove the telephone number.") var noPhone = false
        @Option(help: "What people call the person, such as \"Ana Ruiz\".") var displayName: String?
        @Flag(help: "Remove the display name.") var noDisplayName = false
        @Flag(help: "Print the user as JSON.") var json = false

        func validate() throws {
            if email != nil, noEmail { throw ValidationError("--email and --no-email exclude each other") }
            if phone != nil, noPhone { throw ValidationError("--phone and --no-phone exclude each other") }
            if displayName != nil, noDisplayName {
                throw ValidationError("--display-name and --no-display-name exclude each other")
            }
            if team != nil, noTeam { throw ValidationError("--team and --no-team exclude each other") }
            if crew != nil, noCrew { throw ValidationError("--crew and --no-crew exclude each other") }
            if !databaseRole.isEmpty, noDatabaseRoles {
                throw ValidationError("--database-role and --no-database-roles exclude each other")
            }
            if change.isEmpty {
                throw ValidationError(
                    "give --role, --team, --no-team, --crew, --no-crew, --database-role, --no-database-roles, "
                        + "--email, --no-email, --phone, --no-phone, --display-name or --no-display-name")
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

        /// The members of the request that the options give.
        private var change: [String: Value] {
            var change: [String: Value] = [:]
            if let role { change["role"] = .text(role) }
            if let team { change["team"] = .text(team) }
            if noTeam { change["team"] = .null }
            if let crew { change["crew"] = .text(crew) }
            if noCrew { change["crew"] = .null }
            if !databaseRole.isEmpty || noDatabaseRoles { change["databaseRoles"] = .texts(databaseRole) }
            if let email { change["email"] = .text(email) }
            if noEmail { change["email"] = .null }
            if let phone { change["phone"] = .text(phone) }
            if noPhone { change["phone"] = .null }
            if let displayName { change["displayName"] = .text(displayName) }
            if noDisplayName { change["displayName"] = .null }
            return change
        }

        func run() async throws {
            let patch = change
            let answer = try await Connection.withServer(over: data.data) { connection in
                if let team {
                    try await connection.require(
                        "team", called: team, in: "/teams", remedy: "`muster team add \(team)` creates it")
                }
                return try await connection.send("PATCH", "/users/\(name.segment)", json: patch)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed user \(name).")
            if phone != nil { UserCommand.remarkOnPhone(in: answer) }
        }
    }
}
