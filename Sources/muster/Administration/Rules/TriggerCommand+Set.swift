import ArgumentParser
import MusterHTTP
import MusterTerminal
import MusterWire

/// `muster trigger set`.
extension TriggerCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set the action of a trigger. Creates or changes its device, its target and its rule.",
            discussion: """
                A template may use <user>, <device>, <name>, <time>, <text1> to <text3> and <url1> to <url3>. A \
                template that begins with { is JSON. A placeholder for which the signal has no value becomes empty.
                """)
        @OptionGroup var data: DataOption
        @OptionGroup var trigger: TriggerOptions
        @Option(help: "Post to Slack: the URL of an incoming webhook.") var slack: String?
        @Option(help: "Post JSON to this URL: Home Assistant, n8n, IFTTT's webhooks, any other.") var url: String?
        @Option(help: "Send to this existing target.") var target: String?
        @Option(help: "The text to send: a template, or @FILE.") var template: String?
        @Flag var timing: Timing?

        enum Timing: EnumerableFlag {
            case atOnce
            case byHand

            static func help(for timing: Timing) -> ArgumentHelp? {
                switch timing {
                case .atOnce: "Run the action as soon as the trigger is fired, the default. Waiting actions run, too."
                case .byHand: "Hold fired triggers until 'muster trigger run'."
                }
            }
        }

        private struct Rule: Encodable {
            struct Input: Encodable {
                var template: String
                var paths: [String: String]
            }
            struct Target: Encodable {
                var id = "action"
                var target: String
                var input: Input
            }
            var name: String?
            var description: String
            var pattern: String
            var targets: [Target]
        }

        private static let slackTemplate = "<user> <text1> <text2> <text3> <url1> <url2> <url3>"
        private static let jsonTemplate = """
            {"trigger": "<device>", "user": "<user>", "name": "<name>", "time": "<time>", "text1": "<text1>", \
            "text2": "<text2>", "text3": "<text3>", "url1": "<url1>", "url2": "<url2>", "url3": "<url3>"}
            """

        func validate() throws {
            guard [slack, url, target].compactMap({ $0 }).count == 1 else {
                throw ValidationError("give one of --slack, --url and --target")
            }
            if target != nil, timing != nil {
                throw ValidationError("--by-hand and --at-once go with --slack or --url")
            }
        }

        func run() async throws {
            let names = trigger.names
            let template =
                try template.map { try Self.text($0) }
                ?? (slack != nil ? Self.slackTemplate : Self.jsonTemplate)
            try await Connection.withServer(over: data.data) { connection in
                try await connection.makeUnlessThere(
                    "/users/\(names.user.segment)/devices", json: ["name": names.device])
                let action = target == nil ? try await putAction(names, connection) : nil
                do {
                    try await putRule(names, template, connection)
                } catch {
                    // A new target whose secret was not shown is of no use.
                    if action?.isNew == true {
                        _ = try? await connection.send("DELETE", "/targets/\(names.action.segment)")
                    }
                    throw error
                }
                var words = ["Trigger \(trigger.number) of \(names.user) is set."]
                if let secret = action?.secret { words.append("Its secret: \(secret)") }
                if action?.isEnabled == false {
                    words.append("Its target is switched off: muster target enable \(names.action)")
                }
                announce(words.joined(separator: "\n"))
            }
        }

        private struct Action {
            var isNew: Bool
            var isEnabled = true
            /// The secret of a new webhook.
            var secret: String?
        }

        private struct NewTarget: Encodable {
            var name: String
            var kind: String
            var url: String?
            var byHand: Bool?
        }

        private struct TargetPatch: Encodable {
            var url: String?
            var byHand: Bool?
        }

        /// Makes the target of the action, or changes its URL and its timing. One that is switched off stays so.
        private func putAction(_ names: Names, _ connection: Connection) async throws -> Action {
            let kind = slack != nil ? "slack" : "webhook"
            let path = "/targets/\(names.action.segment)"
            let isByHand = timing.map { $0 == .byHand }
            let (body, status) = try await connection.exchange(
                "POST", "/targets",
                json: NewTarget(name: names.action, kind: kind, url: slack ?? url, byHand: isByHand))
            if status == 201 {
                return Action(isNew: true, secret: try JSONValue(parsing: [UInt8](body))["secret"]?.string)
            }
            let refusal = CommandFailure(problem: body, status: status, of: "/targets")
            guard status == 409 else { throw refusal }
            let (found, foundStatus) = try await connection.exchange("GET", path)
            // A 409 may have another reason than that the target exists.
            guard foundStatus == 200 else { throw refusal }
            let known = try JSONValue(parsing: [UInt8](found))
            guard known.words("kind") == kind else {
                throw CommandFailure(
                    "the target \(names.action) is of another kind: run muster target remove \(names.action) first")
            }
            _ = try await connection.send("PATCH", path, json: TargetPatch(url: slack ?? url, byHand: isByHand))
            return Action(isNew: false, isEnabled: known["enabled"]?.boolean ?? true)
        }

        private func putRule(_ names: Names, _ template: String, _ connection: Connection) async throws {
            var paths = [
                "user": "$.detail.User", "device": "$.detail.Device", "name": "$.detail.Name",
                "time": "$.detail.SampleTime",
            ]
            for number in 1...3 {
                for kind in ["text", "url"] { paths["\(kind)\(number)"] = "$.detail.Values.\(kind)\(number)" }
            }
            let device = "\(names.user)/\(names.device)"
            var rule = Rule(
                name: names.rule, description: "What \(device) does",
                pattern: """
                    {"source":["muster"],"detail-type":["Muster Signal"],"detail":{"Device":["\(device)"]}}
                    """,
                targets: [.init(target: target ?? names.action, input: .init(template: template, paths: paths))])
            let (body, status) = try await connection.exchange("POST", "/rules", json: rule)
            if status == 409 {
                rule.name = nil
                _ = try await connection.send("PATCH", "/rules/\(names.rule.segment)", json: rule)
            } else if status != 201 {
                throw CommandFailure(problem: body, status: status, of: "/rules")
            }
        }

        /// Returns the text itself, or the contents of the file whose path follows an @.
        private static func text(_ argument: String) throws -> String {
            guard argument.hasPrefix("@") else { return argument }
            return String(decoding: try InputFile.read(String(argument.dropFirst())), as: UTF8.self)
        }
    }
}
