import ArgumentParser
import Foundation
import MusterHTTP
import MusterStore
import MusterTerminal

/// `muster region`: what people cross.
struct RegionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "region", abstract: "Import, list, show, change and remove regions.",
        subcommands: [Import.self, Change.self, List.self, Show.self, Remove.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a GeoJSON file into a collection: all of its regions or, when one is at fault, none.")
        @OptionGroup var data: DataOption
        @Argument(
            help: "A Feature or FeatureCollection of polygons, or points with a radius.", completion: .geoJSONFiles)
        var file: String
        @Option(help: "The collection that the regions go into.") var collection: String
        @Flag(help: "Make the collection if there is none of that name.") var newCollection = false
        @Flag(help: "People inside these regions are safe.") var muster = false
        @Flag(help: "Say what would be imported and every fault, and import nothing.") var dryRun = false

        struct Answer: Decodable { var stored: Int }

        func run() async throws {
            let body = try InputFile.read(file)
            let query = "?dryRun=\(dryRun)\(muster ? "&muster=true" : "")"
            let answer = try await Connection.withServer(over: data.data) { connection in
                if newCollection, !dryRun {
                    try await connection.makeUnlessThere("/collections", json: ["name": collection])
                } else if !dryRun {
                    try await connection.require(
                        "collection", called: collection, in: "/collections", remedy: "--new-collection makes it")
                }
                return try await connection.send(
                    "POST", "/collections/\(collection.segment)/regions" + query, body: body,
                    contentType: "application/geo+json")
            }
            let count = try JSONDecoder().decode(Answer.self, from: answer).stored
            announce("\(dryRun ? "Would import" : "Imported") \(count) regions into \(collection).")
        }
    }
}
