import ArgumentParser
import MusterTerminal
import MusterWire

/// `muster trigger run`.
extension TriggerCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Run each waiting action once, and retry the actions that were given up.",
            discussion: """
                Run this from a timer, for example every 15 minutes, for triggers that were set with --by-hand. Other \
                triggers run at once. A trigger that is fired after the command began waits for the next run. The \
                command fails if an action was given up or still waits.
                """)
        @OptionGroup var data: DataOption
        @Option(help: "The user that the triggers belong to.") var user: String
        @Option(help: "Only the trigger of this number.") var number: Int?
        @Option(help: "Seconds to wait until the actions of a trigger have ended.") var seconds = 60

        func validate() throws {
            if let number, !TriggerCommand.numbers.contains(number) { throw ValidationError("a trigger is 1 to 5") }
            guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
        }

        func run() async throws {
            guard let connection = try await Connection.running(over: data.data) else {
                throw CommandFailure("no server runs over \(data.data): start muster serve, which sends to targets")
            }
            try await connection.requireUser(user)
            let wanted = (number.map { [$0] } ?? Array(TriggerCommand.numbers)).map { Names($0, of: user) }
            let targets = try await connection.items("/targets")
            var haveAllRun = true
            for names in wanted {
                guard let target = targets.first(where: { $0.words("name") == names.action }) else { continue }
                let isEnabled = target["enabled"]?.boolean ?? true
                let hasRun =
                    try await isEnabled
                    ? run(names.action, connection) : announceDisabled(names.action, connection)
                haveAllRun = haveAllRun && hasRun
            }
            if !haveAllRun { throw ExitCode(1) }
        }

        /// Asks the server to send a target's waiting deliveries, and waits until each has arrived or was given up.
        ///
        /// - Returns: whether all of them arrived.
        private func run(_ action: String, _ connection: Connection) async throws -> Bool {
            let run = try JSONValue(
                parsing: [UInt8](try await connection.send("POST", "/targets/\(action.segment)/run")))
            guard let count = run["count"]?.integer, let through = run["through"]?.integer else {
                throw CommandFailure("the server's answer about \(action) contains no count")
            }
            var left = try await counts(of: action, through: through, connection)
            let end = ContinuousClock.now + .seconds(seconds)
            while left.waiting > 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
                left = try await counts(of: action, through: through, connection)
            }
            let arrived = max(0, count - left.waiting - left.givenUp)
            announce("\(action)\t\(arrived) run, \(left.givenUp) given up, \(left.waiting) waiting")
            return left.waiting == 0 && left.givenUp == 0
        }

        /// Prints that a target is switched off. The user who switched it off must switch it on again; a timer does
        /// not.
        ///
        /// - Returns: whether no delivery waits for it, and none was given up.
        private func announceDisabled(_ action: String, _ connection: Connection) async throws -> Bool {
            let left = try await counts(of: action, through: nil, connection)
            announce(
                "\(action)\tswitched off, \(left.givenUp) given up, \(left.waiting) waiting: "
                    + "muster target enable \(action)")
            return left.waiting == 0 && left.givenUp == 0
        }

        /// Counts a target's waiting deliveries and dead letters, up to a delivery's number if one is given.
        private func counts(
            of action: String, through: Int64?, _ connection: Connection
        ) async throws -> (waiting: Int64, givenUp: Int64) {
            let query = through.map { "?through=\($0)" } ?? ""
            let counts = try JSONValue(
                parsing: [UInt8](try await connection.send("GET", "/targets/\(action.segment)/deliveries\(query)")))
            return (counts["pending"]?.integer ?? 0, counts["deadLetters"]?.integer ?? 0)
        }
    }
}
