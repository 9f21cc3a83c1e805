import ArgumentParser
import Foundation
import MusterServer
import MusterTerminal

/// The command line. It composes the server, the simulator and the clients, and makes no decisions of its own.
@main
struct Muster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "muster",
        abstract: "Knows where a team's people are, and whether they are safe.",
        version: Server.version,
        subcommands: [
            Serve.self, ConfigCommand.self, Init.self, Demo.self, UserCommand.self, TeamCommand.self,
            CrewCommand.self, DeviceCommand.self, TokenCommand.self, KeyCommand.self, LinkCommand.self,
            PushCommand.self, CollectionCommand.self, RegionCommand.self, TrackerCommand.self, PlacesCommand.self,
            PersonCommand.self, WarningsCommand.self,
            TimerCommand.self, AttendanceCommand.self, ProximityCommand.self,
            IncidentCommand.self, RuleCommand.self, TargetCommand.self, DeadLetterCommand.self, TriggerCommand.self,
            DatasetCommand.self, ChangesCommand.self, AuditCommand.self, GraphQLCommand.self, TAKCommand.self,
            Scan.self, NearbyCommand.self, Track.self, Replay.self, Export.self, Backup.self, Restore.self, Doctor.self,
        ])

    /// Runs the command that the arguments name. For `serve`, the settings of the environment and of a configuration
    /// file are appended as arguments.
    static func main() async {
        StandardOutput.occupyClosedStreams()
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == Serve.configuration.commandName, !arguments.contains(where: ["-h", "--help"].contains)
        else {
            return await main(arguments)
        }
        var settings: ServeSettings?
        do {
            let read = try ServeSettings(path: Serve.configurationPath(in: arguments))
            settings = read
            guard let command = try parseAsRoot(try read.complete(arguments)) as? Serve else { return }
            settings = nil
            try await command.run()
        } catch {
            for source in settings?.sources(ofOptionsIn: message(for: error)) ?? [] { remark(source) }
            exit(withError: error)
        }
    }
}

/// The data folder, the same option for every command.
struct DataOption: ParsableArguments {
    @Option(help: "The folder that holds Muster's data. MUSTER_DATA sets it too.", completion: .directory)
    var data = ProcessInfo.processInfo.environment["MUSTER_DATA"].flatMap { $0.isEmpty ? nil : $0 } ?? "muster-data"
}
