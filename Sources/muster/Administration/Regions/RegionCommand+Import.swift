import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal

/// `muster region import`.
extension RegionCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import a GeoJSON or KML file into a collection: all of its regions, or none if one is invalid.")
        @OptionGroup var data: DataOption
        @Argument(
            help: "A GeoJSON file (polygons, or points with a radius) or a KML file (placemarks with polygons).",
            completion: .regionFiles)
        var file: String
        @Option(help: "The collection of the regions.") var collection: String
        @Flag(help: "Create the collection if it does not exist.") var newCollection = false
        @Flag(help: "Mark the regions as muster regions: people inside are safe.") var muster = false
        @Flag(help: "Show what would be imported and every error, and import nothing.") var dryRun = false

        private var contentType: String {
            file.lowercased().hasSuffix(".kml") ? "application/vnd.google-earth.kml+xml" : "application/geo+json"
        }

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
                    contentType: contentType)
            }
            let result = try JSONDecoder().decode(RegionImportResult.self, from: answer)
            for fault in result.faults { remark("\(file)\(fault.line)".onOneLine) }
            if let more = result.moreFaults, more > 0 { remark("and \(more) more errors") }
            guard result.faults.isEmpty else { throw CommandFailure("Nothing would be imported.") }
            announce("\(dryRun ? "Would import" : "Imported") \(result.stored) regions into \(collection).")
            if let left = result.skipped?.sentence { announce(left) }
        }
    }
}

/// The answer to an import.
private struct RegionImportResult: Decodable {
    struct Fault: Decodable {
        var pointer: String?
        private var fileLine: Int?
        var region: String?
        var detail: String

        private enum CodingKeys: String, CodingKey {
            case pointer, region, detail
            case fileLine = "line"
        }

        /// The fault with its place, to follow the name of the file.
        var line: String {
            let place = fileLine.map { ":\($0)" } ?? pointer.map { " \($0)" } ?? ""
            return "\(place): \(region.map { "\($0): " } ?? "")\(detail)"
        }
    }

    struct Skipped: Decodable {
        var points: Int
        var lines: Int
        var links: Int
        var others: Int

        /// What was left out; nil if nothing was.
        var sentence: String? {
            let parts = [(points, "points"), (lines, "lines"), (links, "links"), (others, "others")]
                .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            return parts.isEmpty
                ? nil : "Left out, because a region is an area: \(parts.joined(separator: ", "))."
        }
    }

    var stored: Int
    var faults: [Fault]
    var moreFaults: Int?
    var skipped: Skipped?
}
