import ArgumentParser
import MusterTerminal
import MusterWire

extension TriggerCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run the actions that wait, each once, and those that were given up again.",
            discussion: """
                Put this into a timer to look every 15 minutes at triggers that were set --by-hand. Others run at once.
                """)
        @OptionGroup var data: DataOption
        @Option(help: "Whose triggers they are.") var user: String
        @Option(help: "Only the trigger of this number.") var number: Int?
        @Option(help: "How long to wait for actions to end, in seconds.") var seconds = 60

        func validate() throws {
            if let number, !TriggerCommand.numbers.contains(number) { throw ValidationError("a trigger is 1 to 5") }
            guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
        }

        func run() async throws {
            guard let connection = try await Connection.running(over: data.data) else {
                throw CommandFailure("no server runs over \(data.data): start muster serve, which sends to targets")
            }
            let wanted = (number.map { [$0] } ?? Array(TriggerCommand.numbers)).map { Names($0, of: user) }
            let targets = try await connection.items("/targets")
            for names in wanted {
                guard let target = targets.first(where: { $0.words("name") == names.action }) else { continue }
                try await run(names.action, isEnabled: target["enabled"]?.boolean ?? true, connection)
            }
        }

        /// Sends what waits for a target, and stops it again where it is to wait.
        private func run(_ action: String, isEnabled: Bool, _ connection: Connection) async throws {
            _ = try await connection.send("POST", "/deadletters/redrive?target=\(action.segment)")
            let path = "/targets/\(action.segment)"
            let before = try await waitingCount(of: action, connection)
            if !isEnabled { _ = try await connection.send("PATCH", path, json: ["enabled": true]) }
            var left = before
            let end = ContinuousClock.now + .seconds(seconds)
            while left > 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
                left = try await waitingCount(of: action, connection)
            }
            if !isEnabled { _ = try await connection.send("PATCH", path, json: ["enabled": false]) }
            announce("\(action)\t\(max(0, before - left)) run, \(left) waiting")
            if left > 0 { throw ExitCode(1) }
        }

        private func waitingCount(of action: String, _ connection: Connection) async throws -> Int64 {
            let state = try JSONValue(parsing: [UInt8](try await connection.send("GET", "/deliveries")))
            let target = state["targets"]?.elements?.first { $0.words("target") == action }
            return target?["pending"]?.integer ?? 0
        }
    }
}
