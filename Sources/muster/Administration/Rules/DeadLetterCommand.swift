import ArgumentParser
import Foundation
import MusterTerminal

/// `muster deadletter`: manages the deliveries that the server gave up.
struct DeadLetterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deadletter", abstract: "List, redrive and discard deliveries that the server gave up.",
        subcommands: [List.self, Show.self, Redrive.self, Discard.self])

    struct Letter: Codable, Sendable {
        var number: Int64
        var target: String?
        var rule: String
        var event: String
        var createdAt: String
        var diedAt: String
        var attempts: Int
        var reason: String
    }

    /// Selects dead letters.
    struct Choice: ParsableArguments {
        @Argument(help: "The numbers of dead letters.") var numbers: [Int64] = []
        @Option(help: "Select all dead letters of this target.") var target: String?
        @Flag(help: "Select all dead letters.") var all = false

        func validate() throws {
            guard [!numbers.isEmpty, target != nil, all].count(where: { $0 }) == 1 else {
                throw ValidationError("give either numbers, or --target, or --all")
            }
        }

        /// The query that selects them, unless they are selected by number.
        var query: String { target.map { "?target=\($0.segment)" } ?? "" }
    }

    struct Count: Decodable { var count: Int }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List dead letters, the oldest first.")
        @OptionGroup var data: DataOption
        @Option(help: "List only the dead letters of this target.") var target: String?
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let query = target.map { "?target=\($0.segment)" } ?? ""
            let letters = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/deadletters\(query)", of: Letter.self)
            }
            if json { return announce(try encoded(letters)) }
            for letter in letters {
                let words = [
                    "\(letter.number)", letter.target ?? "", letter.rule, letter.event, letter.diedAt,
                    "\(letter.attempts) attempts", letter.reason,
                ]
                announce(words.joined(separator: "\t"))
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a dead letter with its body, as JSON.")
        @OptionGroup var data: DataOption
        @Argument(help: "The number of the dead letter.") var number: Int64

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/deadletters/\(number)")
            }
            announce(String(decoding: answer, as: UTF8.self))
        }
    }

    struct Redrive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "redrive", abstract: "Deliver dead letters again, each with its original event id.")
        @OptionGroup var data: DataOption
        @OptionGroup var choice: Choice

        func run() async throws {
            let count = try await Connection.withServer(over: data.data) { connection in
                for number in choice.numbers { try await connection.send("POST", "/deadletters/\(number)/redrive") }
                if !choice.numbers.isEmpty { return choice.numbers.count }
                let answer = try await connection.send("POST", "/deadletters/redrive\(choice.query)")
                return try JSONDecoder().decode(Count.self, from: answer).count
            }
            announce("Redrove \(count) dead letters.")
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "discard", abstract: "Delete dead letters.")
        @OptionGroup var data: DataOption
        @OptionGroup var choice: Choice

        func run() async throws {
            let count = try await Connection.withServer(over: data.data) { connection in
                for number in choice.numbers { try await connection.send("DELETE", "/deadletters/\(number)") }
                if !choice.numbers.isEmpty { return choice.numbers.count }
                let answer = try await connection.send("DELETE", "/deadletters\(choice.query)")
                return try JSONDecoder().decode(Count.self, from: answer).count
            }
            announce("Discarded \(count) dead letters.")
        }
    }
}
