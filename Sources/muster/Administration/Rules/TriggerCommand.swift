import ArgumentParser
import Foundation
import MusterCoding
import MusterServer
import MusterTerminal
import MusterWire

/// `muster trigger`: a person's five triggers, each with its action. A trigger is a device named `trigger-1` that fires
/// signals; its action is a target, which a rule sends them to.
struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Set the actions of a person's triggers, fire them, and run waiting actions.",
        subcommands: [Set.self, List.self, Fire.self, Run.self])

    /// The trigger that a command is about.
    struct TriggerOptions: ParsableArguments {
        @Argument(help: "The number, 1 to 5.") var number: Int
        @Option(help: "The user that the trigger belongs to.") var user: String

        func validate() throws {
            guard TriggerCommand.numbers.contains(number) else { throw ValidationError("a trigger is 1 to 5") }
        }

        var names: Names { Names(number, of: user) }
    }

    static let numbers = 1...5

    /// The names of the objects that belong to a trigger.
    struct Names {
        let user: String
        let device: String
        let rule: String
        let action: String

        init(_ number: Int, of user: String) {
            self.user = user
            let stem = Self.stem(of: user)
            device = "trigger-\(number)"
            rule = "\(stem).trigger-\(number)"
            action = "\(stem).action-\(number)"
        }

        /// The part that stands for a user in the names of rules and targets: the user's name, if a rule's name has
        /// room for it and 10 more characters. Otherwise it is the characters that are allowed, and a digest of the
        /// whole name.
        private static func stem(of user: String) -> String {
            let allowed = user.utf8.allSatisfy { $0 != UInt8(ascii: "@") } && user.utf8.count <= 54
            let digits = user.utf8.suffix(digestDigits)
            let isLikeStem =
                user.utf8.count > digestDigits && user.utf8.dropLast(digestDigits).last == UInt8(ascii: "-")
                && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            if allowed, !isLikeStem { return user }
            let kept = user.replacing("@", with: "-").prefix(54 - digestDigits - 1)
            return "\(kept)-\(TokenDigest(of: user).bytes.hexadecimal.prefix(digestDigits))"
        }

        private static let digestDigits = 16
    }

    struct Fire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "fire", abstract: "Fire a trigger.")
        @OptionGroup var data: DataOption
        @OptionGroup var trigger: TriggerOptions
        @Option(help: "A text for the action; may be repeated, for text1, text2 and text3.") var text: [String] = []
        @Option(help: "A URL for the action; may be repeated, for url1, url2 and url3.") var url: [String] = []

        private struct Signal: Encodable {
            var device: String
            var name = "fired"
            var values: [String: String]
        }

        func validate() throws {
            guard text.count <= 3, url.count <= 3 else { throw ValidationError("give at most three texts and URLs") }
        }

        func run() async throws {
            var values: [String: String] = [:]
            for (index, text) in text.enumerated() { values["text\(index + 1)"] = text }
            for (index, url) in url.enumerated() { values["url\(index + 1)"] = url }
            let signal = Signal(device: "\(trigger.user)/\(trigger.names.device)", values: values)
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("POST", "/signals", json: signal)
            }
            announce("Fired \(signal.device).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a person's triggers: number, targets, and time of the last firing.")
        @OptionGroup var data: DataOption
        @Option(help: "The user that the triggers belong to.") var user: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                try await connection.requireUser(user)
                let devices = try await connection.items("/devices?user=\(user.segment)").map { $0.words("name") }
                let rules = try await connection.items("/rules")
                for number in TriggerCommand.numbers {
                    let names = Names(number, of: user)
                    guard devices.contains(names.device) else { continue }
                    let rule = rules.first { $0.words("name") == names.rule }
                    let targets = (rule?["targets"]?.elements ?? []).map { $0.words("target") }
                    let path = "/users/\(user.segment)/devices/\(names.device)/signals?limit=1"
                    let page = try JSONValue(parsing: [UInt8](try await connection.send("GET", path)))
                    let last = page["items"]?.elements?.first?.words("sampleTime") ?? "never"
                    announce("\(number)\t\(targets.joined(separator: ", "))\tlast fired \(last)")
                }
            }
        }
    }
}
