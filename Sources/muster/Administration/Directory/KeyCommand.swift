import ArgumentParser
import Foundation
import MusterTerminal

/// `muster key`: manages the keys with which programs sign in.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Add, list and remove the keys with which programs sign in, and replace those that sign tokens.",
        subcommands: [Add.self, List.self, Remove.self, Rotate.self])

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

        private struct CreatedKey: Decodable {
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
            let created = try await Connection.withServer(over: data.data) { connection in
                try JSONDecoder().decode(
                    CreatedKey.self, from: try await connection.send("POST", "/keys", json: request))
            }
            let credentials = Credentials(
                key: created.key, accessKeyId: created.accessKeyId, secretAccessKey: created.secretAccessKey,
                sessionToken: created.sessionToken, expiration: created.expiresAt)
            if json { return announce(try encoded(credentials)) }
            let lines: [(String, String?)] = [
                ("AWS_ACCESS_KEY_ID", created.accessKeyId), ("AWS_SECRET_ACCESS_KEY", created.secretAccessKey),
                ("AWS_SESSION_TOKEN", created.sessionToken), ("MUSTER_TOKEN", created.key),
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
                announce("\(key.id)\t\(key.kind)\t\(key.label.onOneLine)\(key.expiresAt.map { "\tuntil \($0)" } ?? "")")
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

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Sign tokens with a new key from now on.",
            discussion: """
                Tokens that the former key signed stay valid until they expire, within 15 minutes. With --end-tokens \
                they are refused at once; clients that are signed in get new ones with their refresh tokens.
                """)
        @OptionGroup var data: DataOption
        @Argument(
            help: """
                The tokens that the key signs: user-pool (those of Cognito clients) or access-tokens (those of \
                Muster's own API).
                """)
        var use: Use
        @Flag(help: "Refuse all tokens that were signed before, because the key was stolen.") var endTokens = false
        @Flag(help: "Print JSON.") var json = false

        enum Use: String, ExpressibleByArgument, CaseIterable {
            case userPool = "user-pool"
            case accessTokens = "access-tokens"
        }

        private struct NewSigningKey: Decodable {
            var kid: String
            var formerGoodUntil: String?
        }

        func run() async throws {
            let query = endTokens ? "?endTokens=true" : ""
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/signing-keys/\(use.rawValue)\(query)")
            }
            if json { return announce(String(decoding: answer, as: UTF8.self)) }
            let key = try JSONDecoder().decode(NewSigningKey.self, from: answer)
            announce("The key \(key.kid) signs from now on.")
            if let end = key.formerGoodUntil { announce("Tokens that the former key signed are valid until \(end).") }
            if endTokens { announce("Tokens that were signed before are refused.") }
        }
    }
}
