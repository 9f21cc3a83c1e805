import ArgumentParser
import Foundation
import MusterTerminal

/// `muster key`: manages the keys with which programs sign in.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Add, list and remove the keys with which programs sign in.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Key: Codable, Sendable {
        var id: String
        var label: String
        var kind: String
        var expiresAt: String?
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a key with the rights of its user. It is shown only once.")
        @OptionGroup var data: DataOption
        @Option(help: "The user that the key belongs to.") var user: String
        @Option(help: "A label for lists.") var label = "command line"
        @Flag(help: "Create a key for AWS clients: an access key id and a secret access key.") var aws = false
        @Option(help: "Create temporary AWS credentials that last this many seconds, at most 129600.")
        var temporary: Double?
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if temporary != nil, !aws { throw ValidationError("--temporary requires --aws") }
        }

        private struct Request: Encodable {
            var label: String
            var user: String
            var kind: String
            var lastsSeconds: Double?
        }

        private struct Answer: Decodable {
            var key: String?
            var accessKeyId: String?
            var secretAccessKey: String?
            var sessionToken: String?
            var expiresAt: String?
        }

        private struct Credentials: Encodable {
            var key: String?
            var accessKeyId: String?
            var secretAccessKey: String?
            var sessionToken: String?
            var expiration: String?
        }

        func run() async throws {
            let request = Request(
                label: label, user: user, kind: aws ? "aws" : "token", lastsSeconds: temporary)
            let answer = try await Connection.withServer(over: data.data) { connection in
                try JSONDecoder().decode(Answer.self, from: try await connection.send("POST", "/keys", json: request))
            }
            let credentials = Credentials(
                key: answer.key, accessKeyId: answer.accessKeyId, secretAccessKey: answer.secretAccessKey,
                sessionToken: answer.sessionToken, expiration: answer.expiresAt)
            if json { return announce(try encoded(credentials)) }
            let lines: [(String, String?)] = [
                ("AWS_ACCESS_KEY_ID", answer.accessKeyId), ("AWS_SECRET_ACCESS_KEY", answer.secretAccessKey),
                ("AWS_SESSION_TOKEN", answer.sessionToken), ("MUSTER_TOKEN", answer.key),
            ]
            for (name, value) in lines { if let value { announce("\(name)=\(value)") } }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a user's keys, without their secrets.")
        @OptionGroup var data: DataOption
        @Option(help: "The user that the keys belong to.") var user: String
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/keys?user=\(user.segment)")
            }
            struct Page: Decodable { var items: [Key] }
            let keys = try JSONDecoder().decode(Page.self, from: body).items
            if json { return announce(try encoded(keys)) }
            for key in keys {
                announce("\(key.id)\t\(key.kind)\t\(key.label)\(key.expiresAt.map { "\tuntil \($0)" } ?? "")")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Revoke a key.")
        @OptionGroup var data: DataOption
        @Argument(help: "The key's id, as `muster key list` shows it.") var id: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/keys/\(id.segment)")
            }
            announce("Revoked \(id).")
        }
    }
}
