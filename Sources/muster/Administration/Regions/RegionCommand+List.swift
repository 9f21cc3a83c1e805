import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal

/// `muster region list`, `show`, `set` and `remove`.
extension RegionCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the regions of a collection: id, name, whether people inside are safe, and whether "
                + "a beacon decides who is inside.")
        @OptionGroup var data: DataOption
        @Option(help: "The collection of the regions.") var collection: String
        @Flag(help: "Print a GeoJSON FeatureCollection, as `muster region import` reads it.") var json = false
        @Flag(help: "Print a KML file, as `muster region import` and programs of maps read it.") var kml = false

        func validate() throws {
            if json, kml { throw ValidationError("give --json or --kml, not both") }
        }

        func run() async throws {
            if kml {
                return StandardOutput.write(
                    try await Connection.withServer(over: data.data) { connection in
                        try await connection.requireCollection(collection)
                        return try await connection.send(
                            "GET", "/collections/\(collection.segment)/regions?format=kml")
                    })
            }
            let pages = try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(collection)
                return try await connection.regionPages(of: collection)
            }
            let features = pages.flatMap(Feature.read)
            if json {
                let whole: [String: Any] = ["type": "FeatureCollection", "features": features.map(\.value)]
                let body = try JSONSerialization.data(
                    withJSONObject: whole, options: [.sortedKeys, .withoutEscapingSlashes])
                return announce(String(decoding: body, as: UTF8.self))
            }
            for feature in features { announce(feature.line) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a region as a GeoJSON Feature.")
        @OptionGroup var data: DataOption
        @Argument(help: "The region's id.") var id: String
        @Option(help: "The collection of the region.") var collection: String

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(collection)
                return try await connection.send("GET", RegionCommand.path(id, in: collection))
            }
            announce(String(decoding: body, as: UTF8.self))
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Replace the region with this id, or add it.")
        @OptionGroup var data: DataOption
        @Argument(help: "The region's id.") var id: String
        @Argument(help: "A GeoJSON file with one Feature.", completion: .geoJSONFiles) var file: String
        @Option(help: "The collection that the region is in.") var collection: String

        func run() async throws {
            let body = try InputFile.read(file)
            try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(collection)
                _ = try await connection.send(
                    "PUT", RegionCommand.path(id, in: collection), body: body, contentType: "application/geo+json")
            }
            announce("Region \(id) of \(collection) is set.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a region from its collection.")
        @OptionGroup var data: DataOption
        @Argument(help: "The region's id.") var id: String
        @Option(help: "The collection of the region.") var collection: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(collection)
                _ = try await connection.send("DELETE", RegionCommand.path(id, in: collection))
            }
            announce("Removed region \(id) from \(collection).")
        }
    }

    fileprivate static func path(_ id: String, in collection: String) -> String {
        "/collections/\(collection.segment)/regions/\(id.segment)"
    }
}

/// A GeoJSON Feature in a response of the server.
private struct Feature {
    let value: [String: Any]

    /// The id, the name, `muster` if people inside are safe, and `beacon` if a radio decides who is inside.
    var line: String {
        let properties = value["properties"] as? [String: Any] ?? [:]
        let isMuster = properties["muster"] as? Bool ?? false
        let words = (isMuster ? ["muster"] : []) + (properties["beacon"] is [String: Any] ? ["beacon"] : [])
        return "\(value["id"] ?? "")\t\("\(properties["name"] ?? "")".onOneLine)\t\(words.joined(separator: " "))"
    }

    /// Parses the features of a FeatureCollection.
    static func read(_ page: Data) -> [Feature] {
        let page = (try? JSONSerialization.jsonObject(with: page)) as? [String: Any]
        return (page?["features"] as? [[String: Any]] ?? []).map(Feature.init(value:))
    }
}

extension Connection {
    /// Reads all regions of a collection, one FeatureCollection a page.
    fileprivate func regionPages(of collection: String) async throws -> [Data] {
        struct Next: Decodable { var nextCursor: String? }
        var pages: [Data] = []
        var cursor: String?
        repeat {
            let path = "/collections/\(collection.segment)/regions?limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try await send("GET", path)
            pages.append(page)
            cursor = try JSONDecoder().decode(Next.self, from: page).nextCursor
        } while cursor != nil
        return pages
    }
}
