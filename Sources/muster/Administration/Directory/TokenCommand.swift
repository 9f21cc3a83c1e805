import ArgumentParser
import Foundation
import MusterTerminal

/// `muster token`: lists and revokes the tokens with which devices report. `muster device token` creates one.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "List and revoke the tokens of a device; `muster device token` creates one.",
        subcommands: [List.self, Revoke.self])

    struct Token: Codable, Sendable {
        var id: String
        var kind: String
        var readsAsUser: Bool?
        var createdAt: String
        var madeBy: String?
        var expiresAt: String?

        /// The token on one line, separated by tabs.
        var line: String {
            let what = readsAsUser == true ? "\(kind), reads" : kind
            return [id, createdAt, madeBy ?? "", what, expiresAt.map { "until \($0)" } ?? ""].joined(separator: "\t")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List a device's tokens and certificates, without their secrets.",
            discussion: """
                Each line has the id, the time of creation, who made it, what it is (token, certificate, or the \
                enrollment of a TAK client), and until when it is valid.
                """)
        @OptionGroup var data: DataOption
        @Argument(help: "The device's name, unique within its user.") var name: String
        @Option(help: "The user that the device belongs to.") var user: String
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            struct Tokens: Decodable, Sendable { var items: [Token] }
            let tokens = try await Connection.withServer(over: data.data) { connection in
                try await connection.get(
                    "/users/\(user.segment)/devices/\(name.segment)/token", as: Tokens.self
                ).items
            }
            if json { return announce(try encoded(tokens)) }
            for token in tokens { announce(token.line) }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke all tokens of a device. It cannot report until it has a new one.")
        @OptionGroup var data: DataOption
        @Argument(help: "The device's name, unique within its user.") var name: String
        @Option(help: "The user that the device belongs to.") var user: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/users/\(user.segment)/devices/\(name.segment)/token")
            }
            announce("Revoked the tokens of \(user)/\(name).")
        }
    }
}
