import ArgumentParser
import Foundation
import MusterTerminal

/// The options of every `show` command.
struct ShowOptions: ParsableArguments {
    @OptionGroup var data: DataOption
    @Argument(help: "The name.") var name: String
}

/// A command that prints one object of the API as JSON.
protocol ShowCommand: AsyncParsableCommand {
    /// The path of the list that the object is in.
    static var list: String { get }
    var options: ShowOptions { get }
}

extension ShowCommand {
    func run() async throws {
        let body = try await Connection.withServer(over: options.data.data) { connection in
            try await connection.send("GET", "\(Self.list)/\(options.name.segment)")
        }
        announce(String(decoding: body, as: UTF8.self))
    }
}

extension UserCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Print a user as JSON.")
        static let list = "/users"
        @OptionGroup var options: ShowOptions
    }
}

extension TeamCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a team as JSON, with its tracker and its settings for silence and incidents.")
        static let list = "/teams"
        @OptionGroup var options: ShowOptions
    }
}

extension CollectionCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a collection as JSON, without its regions.")
        static let list = "/collections"
        @OptionGroup var options: ShowOptions
    }
}

extension TrackerCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Print a tracker as JSON.")
        static let list = "/trackers"
        @OptionGroup var options: ShowOptions
    }
}

extension RuleCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a rule as JSON, with its pattern.")
        static let list = "/rules"
        @OptionGroup var options: ShowOptions
    }
}

extension TargetCommand {
    struct Show: ShowCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a target as JSON, without its secrets.")
        static let list = "/targets"
        @OptionGroup var options: ShowOptions
    }
}
