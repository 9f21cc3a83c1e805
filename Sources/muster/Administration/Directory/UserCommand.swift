import ArgumentParser
import Foundation
import MusterTerminal

// `muster user` and `muster team`.

/// `muster user`: adds, changes, shows and removes people who sign in.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Add, import, change, list, show and remove users, set their passwords, and see who sees them.",
        subcommands: [
            Add.self, Import.self, Change.self, List.self, Show.self, Remove.self, Password.self, Viewers.self,
        ])

    struct User: Codable, Sendable {
        var name: String
        var role: String
        var team: String?
        var crew: String?
        var password: String?
        var databaseRoles: [String]?
        var email: String?
        var phone: String?
        var displayName: String?
        /// What the server says of the number; never sent.
        var phoneWarning: String?
    }

    /// Says what a server that takes texts by SMS answered about the user's number.
    static func remarkOnPhone(in answer: Data) {
        if let warning = (try? JSONDecoder().decode(User.self, from: answer))?.phoneWarning { remark(warning) }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a user.")
        @OptionGroup var data: DataOption
        @Argument(help: "The name: letters, digits and . _ - @") var name: String
        @Option(help: "admin, leader, member, analyst or gateway.", completion: .roles) var role = "member"
        @Option(help: "The team of the user; `muster team add` creates one.") var team: String?
        @Option(help: "The crew of the team that the user is in; `muster crew add` creates one.") var crew: String?
        @Option(help: "A role that _security of databases may name; may be repeated.")
        var databaseRole: [String] = []
        @Option(help: "The person's e-mail address.") var email: String?
        @Option(help: "The person's telephone number.") var phone: String?
        @Option(help: "What people call the person, such as \"Ana Ruiz\".") var displayName: String?
        @Flag(help: "Read the password from standard input, one line.") var passwordStdin = false
        @Flag(help: "Print the user as JSON.") var json = false

        func run() async throws {
            let user = User(
                name: name, role: role, team: team, crew: crew, password: passwordStdin ? try readSecret() : nil,
                databaseRoles: databaseRole.isEmpty ? nil : databaseRole, email: email, phone: phone,
                displayName: displayName)
            let answer = try await Connection.withServer(over: data.data) { connection in
                if let team {
                    try await connection.require(
                        "team", called: team, in: "/teams", remedy: "`muster team add \(team)` creates it")
                }
                return try await connection.send("POST", "/users", json: user)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Added \(role) \(name).")
            UserCommand.remarkOnPhone(in: answer)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the users.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let users = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/users", of: User.self)
            }
            if json { return announce(try encoded(users)) }
            for user in users {
                // The crew's place stays empty before a display name.
                let rest = user.displayName.map { [user.crew ?? "", $0] } ?? user.crew.map { [$0] } ?? []
                let line = [user.name, user.role, user.team ?? ""] + rest.map(\.onOneLine)
                announce(line.joined(separator: "\t"))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a user with their devices and positions.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/users/\(name.segment)")
            }
            announce("Removed \(name).")
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Set a user's password. Ends the user's sessions, keys, device tokens, links and pushes.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Read the password from standard input, one line (the default).") var passwordStdin = false
        @Option(
            help: """
                Keep these: api-keys, aws-keys, device-tokens, tokens-for-others, links, push-devices; may be repeated.
                """)
        var keep: [String] = []
        @Flag(
            help: """
                End also the tokens that the user made for other people's devices. Those phones stop reporting until \
                they have new ones.
                """)
        var endTokensForOthers = false

        func run() async throws {
            struct Change: Encodable {
                var password: String
                var keep: [String]
            }
            let others = endTokensForOthers ? [] : ["tokens-for-others"]
            let change = Change(password: try readSecret(), keep: keep + others)
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("PUT", "/users/\(name.segment)/password", json: change)
            }
            let phones = endTokensForOthers ? "ended: phones with them report no more" : "stay"
            announce("Set the password of \(name). Tokens that \(name) made for others' devices \(phones).")
        }
    }
}

/// `muster team`: manages the teams, and shows who is safe.
struct TeamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Add, change, list, show and remove teams, and see who is safe.",
        subcommands: [Add.self, Change.self, List.self, Show.self, Remove.self, Status.self])

    struct Team: Codable, Sendable {
        var name: String
        var silenceSeconds: Double?
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a team.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var name: String
        @Option(help: "The seconds of silence after which a member's safety is unknown.") var silenceSeconds: Double?

        func run() async throws {
            let team = Team(name: name, silenceSeconds: silenceSeconds)
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("POST", "/teams", json: team)
            }
            announce("Added team \(name).")
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change a team's settings for silence, declarations and incidents.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var name: String
        @Option(help: "The seconds of silence after which a member's safety is unknown.") var silenceSeconds: Double?
        @Option(help: "Whether a drill closes by itself once everyone stays accounted for: true or false.")
        var closesDrills: Bool?
        @Option(help: "Whether a real incident closes by itself; only an admin may set it.")
        var closesRealIncidents: Bool?
        @Option(help: "The seconds for which everyone must stay accounted for.") var closesAfterSeconds: Double?
        @Option(help: "The seconds for which a declared \"off site\" or \"safe\" holds.")
        var declaredHoldsSeconds: Double?
        @Option(help: "Whether clients show who is safe even without an incident.") var showsSafetyAlways: Bool?
        @Option(help: "Whether the team's people may say that they pause: true or false.") var allowsPause: Bool?
        @Option(help: "The seconds between two requests of PAR in an incident, 60 to 86400; 0 for by hand alone.")
        var parEvery: Double?
        @Flag(help: "Print the team as JSON.") var json = false

        private struct Patch: Encodable {
            var silenceSeconds: Double?
            var closesDrills: Bool?
            var closesRealIncidents: Bool?
            var closesAfterSeconds: Double?
            var declaredHoldsSeconds: Double?
            var showsSafetyAlways: Bool?
            var allowsPause: Bool?
            /// The outer nil leaves the setting, the inner nil ends it.
            var parEverySeconds: Double??
        }

        func run() async throws {
            let patch = Patch(
                silenceSeconds: silenceSeconds, closesDrills: closesDrills, closesRealIncidents: closesRealIncidents,
                closesAfterSeconds: closesAfterSeconds, declaredHoldsSeconds: declaredHoldsSeconds,
                showsSafetyAlways: showsSafetyAlways, allowsPause: allowsPause,
                parEverySeconds: parEvery.map { $0 == 0 ? nil : $0 })
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("PATCH", "/teams/\(name.segment)", json: patch)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed team \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the teams.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let teams = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/teams", of: Team.self)
            }
            if json { return announce(try encoded(teams)) }
            for team in teams { announce("\(team.name)\tsilent after \(team.silenceSeconds ?? 0) s") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a team.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/teams/\(name.segment)")
            }
            announce("Removed team \(name).")
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the safety of each member, since when it holds, and how it is known."
        )
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var name: String
        @Flag(help: "Print JSON.") var json = false

        struct MemberNames: Decodable {
            struct Member: Decodable {
                var user: String
                var displayName: String?
                var crew: String?
                var phone: String?
                var pause: Pause?
            }
            /// A pause, by which a person explains their silence.
            struct Pause: Decodable {
                var until: String
                var note: String?
            }
            var members: [Member]
        }

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/teams/\(name.segment)/safety")
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            struct Safeties: Decodable { var members: [PersonSafety] }
            let members = try JSONDecoder().decode(MemberNames.self, from: body).members
            let safeties = try JSONDecoder().decode(Safeties.self, from: body).members
            for (member, safety) in zip(members, safeties) {
                let crew = member.crew.map { " (\($0.onOneLine))" } ?? ""
                let name = member.displayName.map { ", \($0.onOneLine)" } ?? ""
                let phone = member.phone.map { "\tphone \($0)" } ?? ""
                let pause = member.pause.map { pause in
                    "\tpaused by themselves until \(pause.until)" + (pause.note.map { ": \($0.onOneLine)" } ?? "")
                }
                announce("\(member.user)\(name)\(crew)\t\(safety.sentence)\(pause ?? "")\(phone)")
            }
        }
    }
}

/// Reads the first line of standard input.
func readSecret() throws -> String {
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
        throw CommandFailure("there is no password on standard input")
    }
    return line
}

/// Returns a value as JSON text.
func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
