import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal

/// `muster region`: manages the regions of collections.
struct RegionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "region", abstract: "Import, list, show, change and remove regions.",
        subcommands: [Import.self, Change.self, List.self, Show.self, Remove.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import a GeoJSON file into a collection: all of its regions, or none if one is invalid.")
        @OptionGroup var data: DataOption
        @Argument(
            help: "A GeoJSON file: polygons, or points with a radius.", completion: .geoJSONFiles)
        var file: String
        @Option(help: "The collection of the regions.") var collection: String
        @Flag(help: "Create the collection if it does not exist.") var newCollection = false
        @Flag(help: "Mark the regions as muster regions: people inside are safe.") var muster = false
        @Flag(help: "Show what would be imported and every error, and import nothing.") var dryRun = false

        struct ImportResult: Decodable { var stored: Int }

        func run() async throws {
            let body = try InputFile.read(file)
            let query = "?dryRun=\(dryRun)\(muster ? "&muster=true" : "")"
            let answer = try await Connection.withServer(over: data.data) { connection in
                if newCollection, !dryRun {
                    try await connection.makeUnlessThere("/collections", json: ["name": collection])
                } else if !dryRun {
                    try await connection.require(
                        "collection", called: collection, in: "/collections", remedy: "--new-collection creates it")
                }
                return try await connection.send(
                    "POST", "/collections/\(collection.segment)/regions" + query, body: body,
                    contentType: "application/geo+json")
            }
            let count = try JSONDecoder().decode(ImportResult.self, from: answer).stored
            announce("\(dryRun ? "Would import" : "Imported") \(count) regions into \(collection).")
        }
    }
}
