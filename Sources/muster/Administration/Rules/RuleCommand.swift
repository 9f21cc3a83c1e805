import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal

/// `muster rule`: manages the rules that send events to targets.
struct RuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Add, list, show, switch and remove rules, and try their patterns.",
        subcommands: [Add.self, List.self, Show.self, Remove.self, Enable.self, Disable.self, Test.self])

    /// The members of a rule that the list shows.
    struct Rule: Decodable, Sendable {
        struct Target: Decodable, Sendable {
            var target: String?
        }
        var name: String
        var description: String
        var enabled: Bool
        var targets: [Target]
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a rule, or change the rule of that name.",
            discussion: """
                --target safety makes the regions that the pattern names muster regions.
                """)
        @OptionGroup var data: DataOption
        @Argument(help: "The name: letters, digits and . _ -") var name: String
        @Option(help: "The event pattern, in EventBridge's language: JSON, or @FILE.") var pattern: String
        @Option(help: "A description for people.") var description: String?
        @Option(help: "The targets of matching events: names of targets, or safety. Up to five.") var target: [String] =
            []
        @Flag(help: "Add the rule disabled.") var disabled = false
        @Flag(help: "Print the rule as JSON.") var json = false

        struct Request: Encodable {
            struct Target: Encodable {
                var target: String
            }
            var name: String?
            var pattern: String
            var description: String?
            var enabled: Bool
            var targets: [Target]?
        }

        func run() async throws {
            let request = Request(
                name: name, pattern: try RuleCommand.text(pattern), description: description, enabled: !disabled,
                targets: target.isEmpty ? nil : target.map { .init(target: $0) })
            let answer = try await Connection.withServer(over: data.data) { connection in
                let (body, status) = try await connection.exchange("POST", "/rules", json: request)
                if status == 409 {
                    var change = request
                    change.name = nil
                    return try await connection.send("PATCH", "/rules/\(name.segment)", json: change)
                }
                guard status == 201 else { throw CommandFailure(problem: body, status: status, of: "/rules") }
                return body
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Rule \(name) is set.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the rules.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print JSON, one page of at most 1,000.") var json = false

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                if json {
                    let page = try await connection.send("GET", "/rules?limit=1000")
                    return announce(String(decoding: page, as: UTF8.self))
                }
                for rule in try await connection.list("/rules", of: Rule.self) {
                    let targets = rule.targets.compactMap(\.target).joined(separator: ", ")
                    announce("\(rule.name)\t\(rule.enabled ? "on" : "off")\t\(targets)\t\(rule.description.onOneLine)")
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a rule.")
        @OptionGroup var data: DataOption
        @Argument(help: "The rule.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/rules/\(name.segment)")
            }
            announce("Removed \(name).")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enable a rule.")
        @OptionGroup var data: DataOption
        @Argument(help: "The rule.") var name: String

        func run() async throws { try await RuleCommand.set(name, isEnabled: true, data) }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Disable a rule, and keep it.")
        @OptionGroup var data: DataOption
        @Argument(help: "The rule.") var name: String

        func run() async throws { try await RuleCommand.set(name, isEnabled: false, data) }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Test whether an event matches a pattern. Exits with status 1 if it does not.")
        @OptionGroup var data: DataOption
        @Option(help: "The event pattern: JSON, or @FILE.") var pattern: String
        @Option(help: "The event: JSON, or @FILE.") var event: String

        struct MatchResult: Decodable {
            var matches: Bool
        }

        func run() async throws {
            guard let event = try? JSONSerialization.jsonObject(with: Data(try RuleCommand.text(event).utf8)) else {
                throw CommandFailure("the event is not valid JSON")
            }
            let request: [String: Any] = ["pattern": try RuleCommand.text(pattern), "event": event]
            let body = try JSONSerialization.data(withJSONObject: request)
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/event-patterns/test", body: body)
            }
            let matches = try JSONDecoder().decode(MatchResult.self, from: answer).matches
            announce(matches ? "matches" : "does not match")
            if !matches { throw ExitCode(1) }
        }
    }

    private static func set(_ name: String, isEnabled: Bool, _ data: DataOption) async throws {
        struct Change: Encodable { var enabled: Bool }
        try await Connection.withServer(over: data.data) { connection in
            _ = try await connection.send("PATCH", "/rules/\(name.segment)", json: Change(enabled: isEnabled))
        }
        announce("Rule \(name) is \(isEnabled ? "on" : "off").")
    }

    /// Returns the text itself, or the contents of the file whose path follows an @.
    private static func text(_ argument: String) throws -> String {
        guard argument.hasPrefix("@") else { return argument }
        let path = String(argument.dropFirst())
        return String(decoding: try InputFile.read(path), as: UTF8.self)
    }
}
