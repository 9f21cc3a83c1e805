import ArgumentParser
import Foundation
import MusterTerminal

/// `muster target`: manages the targets that events are sent to.
struct TargetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "target",
        abstract: "Manage the targets of events: web servers, Slack, texts by SMS, the server's log.",
        subcommands: [
            Add.self, Change.self, List.self, Show.self, Enable.self, Disable.self, Rotate.self, Test.self, Remove.self,
        ])

    struct Target: Decodable, Encodable, Sendable {
        var name: String
        var kind: String
        var enabled: Bool
        var server: String?
        var secret: String?
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a target. A webhook's secret is printed only once.")
        @OptionGroup var data: DataOption
        @Argument(help: "The name: letters, digits and . _ - @") var name: String
        @Option(help: "webhook, slack, sms or log.", completion: .targetKinds) var kind = "webhook"
        @Option(help: "The URL to call; for Slack that of the incoming webhook, for SMS the gateway's.")
        var url: String?
        @OptionGroup var fields: HeaderOptions
        @OptionGroup var texts: TextOptions
        @Flag(help: "Print the target as JSON.") var json = false

        private struct NewTarget: Encodable {
            var name: String
            var kind: String
            var url: String?
            var headers: [String: String]?
            var texts: TextOptions

            func encode(to encoder: any Encoder) throws {
                try texts.encode(to: encoder)
                try Patch(url: url, headers: headers).encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
                try container.encode(kind, forKey: .kind)
            }

            private enum CodingKeys: CodingKey { case name, kind }
        }

        func run() async throws {
            let target = NewTarget(name: name, kind: kind, url: url, headers: fields.headers, texts: texts)
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/targets", json: target)
            }
            if json { return announce(String(decoding: answer, as: UTF8.self)) }
            let made = try JSONDecoder().decode(Target.self, from: answer)
            announce("Added \(kind) \(name)." + (made.secret.map { "\nIts secret: \($0)" } ?? ""))
        }
    }

    /// The members of a target that calls another server.
    fileprivate struct Patch: Encodable {
        var url: String?
        var headers: [String: String]?
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change the URL and the header fields of a target, and to whom it sends texts.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String
        @Option(help: "The URL to call; for Slack that of the incoming webhook, for SMS the gateway's.")
        var url: String?
        @OptionGroup var fields: HeaderOptions
        @Flag(help: "Remove all header fields that were set.") var noHeaders = false
        @OptionGroup var texts: TextOptions
        @Flag(help: "Print the target as JSON.") var json = false

        func validate() throws {
            if !fields.header.isEmpty, noHeaders {
                throw ValidationError("--header and --no-headers exclude each other")
            }
            if url == nil, fields.header.isEmpty, !noHeaders, texts.isEmpty {
                throw ValidationError("give --url, --header, --no-headers or an option of texts")
            }
        }

        private struct Change: Encodable {
            var patch: Patch
            var texts: TextOptions

            func encode(to encoder: any Encoder) throws {
                try texts.encode(to: encoder)
                try patch.encode(to: encoder)
            }
        }

        func run() async throws {
            let change = Change(patch: Patch(url: url, headers: noHeaders ? [:] : fields.headers), texts: texts)
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("PATCH", "/targets/\(name.segment)", json: change)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed target \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the targets with their pending deliveries.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        struct Deliveries: Decodable {
            struct Target: Decodable {
                var target: String
                var pending: Int
                var failing: Bool
                var deadLetters: Int
            }
            var targets: [Target]
        }

        func run() async throws {
            let (targets, deliveries) = try await Connection.withServer(over: data.data) { connection in
                (
                    try await connection.list("/targets", of: Target.self),
                    try await connection.get("/deliveries", as: Deliveries.self)
                )
            }
            if json { return announce(try encoded(targets)) }
            for target in targets {
                let state = deliveries.targets.first { $0.target == target.name }
                let words = [
                    target.enabled ? (state?.failing ?? false ? "failing" : "enabled") : "disabled",
                    "\(state?.pending ?? 0) pending", "\(state?.deadLetters ?? 0) dead letters",
                ]
                announce("\(target.name)\t\(target.kind)\t\(target.server ?? "")\t\(words.joined(separator: ", "))")
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Send to a target again.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String

        func run() async throws {
            try await TargetCommand.change(name, isEnabled: true, over: data.data)
            announce("Enabled \(name).")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Stop sending to a target. Deliveries wait until it is enabled, or until they expire.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String

        func run() async throws {
            try await TargetCommand.change(name, isEnabled: false, over: data.data)
            announce("Disabled \(name).")
        }
    }

    private static func change(_ name: String, isEnabled: Bool, over data: String) async throws {
        try await Connection.withServer(over: data) { connection in
            _ = try await connection.send("PATCH", "/targets/\(name.segment)", json: ["enabled": isEnabled])
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace a webhook's secret, and print the new one. The old one stays valid for some hours.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String
        @Option(help: "The hours for which the old secret stays valid.") var hours = 24

        struct NewSecret: Decodable { var secret: String }

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/targets/\(name.segment)/secret?hours=\(hours)")
            }
            announce(try JSONDecoder().decode(NewSecret.self, from: answer).secret)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "test", abstract: "Send a test event to a target.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String
        @Flag(help: "Print JSON.") var json = false

        struct SentEvent: Decodable { var event: String }

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/targets/\(name.segment)/test")
            }
            if json { return announce(String(decoding: answer, as: UTF8.self)) }
            announce("Event \(try JSONDecoder().decode(SentEvent.self, from: answer).event) is on its way to \(name).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a target with its pending deliveries, also from the rules that name it.")
        @OptionGroup var data: DataOption
        @Argument(help: "The target.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/targets/\(name.segment)")
            }
            announce("Removed \(name).")
        }
    }
}

/// The header fields that a target is called with.
struct HeaderOptions: ParsableArguments {
    @Option(help: "A header field for every call, 'Name: value'; may be repeated.")
    var header: [String] = []

    func validate() throws {
        for field in header where !field.contains(":") {
            throw ValidationError("--header: '\(field)' has no colon")
        }
    }

    /// Names and values; nil when no header is named.
    var headers: [String: String]? {
        if header.isEmpty { return nil }
        return Dictionary(
            header.map { field in
                let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
            }, uniquingKeysWith: { $1 })
    }
}
