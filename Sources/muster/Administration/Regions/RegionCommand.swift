import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal

/// `muster region`: manages the regions of collections.
struct RegionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "region", abstract: "Import, list, show, change and remove regions.",
        subcommands: [Import.self, Change.self, List.self, Show.self, Remove.self])
}
