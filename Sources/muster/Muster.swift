import ArgumentParser
import MusterServer

/// The command line: it composes the server, the simulator and the clients; it decides nothing itself.
@main
struct Muster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "muster",
        abstract: "Knows where a team's people are, and whether they are safe.",
        version: Server.version,
        subcommands: [
            Serve.self, Init.self, Demo.self, UserCommand.self, TeamCommand.self, DeviceCommand.self,
            TokenCommand.self, KeyCommand.self, CollectionCommand.self, RegionCommand.self, PlacesCommand.self,
            PersonCommand.self, IncidentCommand.self, RuleCommand.self, TargetCommand.self, DeadLetterCommand.self,
            Track.self, Replay.self, Export.self, Backup.self, Restore.self, Doctor.self, Bench.self,
        ])
}

/// Where the data is, the same for every command.
struct DataOption: ParsableArguments {
    @Option(help: "The folder that holds Muster's data.")
    var data = "muster-data"
}
