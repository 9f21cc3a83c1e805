import ArgumentParser
import MusterHTTP
import MusterTerminal
import MusterWire

extension TriggerCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set what a trigger does. Makes its device, its target and its rule, or changes them.",
            discussion: """
                A template may use <user>, <device>, <name>, <time>, <text1> to <text3> and <url1> to <url3>. One that \
                begins with { is JSON. What a signal does not carry is empty.
                """)
        @OptionGroup var data: DataOption
        @OptionGroup var trigger: TriggerOptions
        @Option(help: "Post to Slack: the URL of an incoming webhook.") var slack: String?
        @Option(help: "Post JSON to this URL: Home Assistant, n8n, IFTTT's webhooks, any other.") var url: String?
        @Option(help: "Send to this target, which is there already.") var target: String?
        @Option(help: "What to send: a template, or @FILE.") var template: String?
        @Flag(help: "Let what is fired wait for 'muster trigger run'.") var byHand = false

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
            if target != nil, byHand { throw ValidationError("--by-hand goes with --slack or --url") }
        }

        func run() async throws {
            let names = trigger.names
            let template =
                try template.map { try Self.text($0) }
                ?? (slack != nil ? Self.slackTemplate : Self.jsonTemplate)
            try await Connection.withServer(over: data.data) { connection in
                try await connection.makeUnlessThere(
                    "/users/\(names.user.segment)/devices", json: ["name": names.device])
                let secret = target == nil ? try await putAction(names, connection) : nil
                try await putRule(names, template, connection)
                announce(
                    "Trigger \(trigger.number) of \(names.user) is set." + (secret.map { "\nIts secret: \($0)" } ?? ""))
            }
        }

        /// Makes the target of the action, or changes its URL.
        ///
        /// - Returns: the secret of a new webhook.
        private func putAction(_ names: Names, _ connection: Connection) async throws -> String? {
            let kind = slack != nil ? "slack" : "webhook"
            let path = "/targets/\(names.action.segment)"
            let (body, status) = try await connection.exchange(
                "POST", "/targets", json: TargetCommand.Add.NewTarget(name: names.action, kind: kind, url: slack ?? url)
            )
            var secret: String?
            if status == 201 {
                secret = try JSONValue(parsing: [UInt8](body))["secret"]?.string
            } else if status == 409 {
                let known = try JSONValue(parsing: [UInt8](try await connection.send("GET", path)))
                guard known.words("kind") == kind else {
                    throw CommandFailure(
                        "the target \(names.action) is of another kind: run muster target remove \(names.action) first")
                }
                _ = try await connection.send("PATCH", path, json: ["url": slack ?? url])
            } else {
                throw CommandFailure(problem: body, status: status, of: "/targets")
            }
            _ = try await connection.send("PATCH", path, json: ["enabled": !byHand])
            return secret
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
