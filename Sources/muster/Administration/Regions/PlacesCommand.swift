import ArgumentParser
import Foundation
import MusterHTTP
import MusterTerminal
import MusterWire

/// `muster places`: manages the places that people search for nearby.
struct PlacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places", abstract: "Import and list places.", subcommands: [Import.self, List.self])

    private static let documentsEach = 500
    private static let database = "/lt_places"

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Import a file of places. Places that exist already stay unchanged.")
        @OptionGroup var data: DataOption
        @Argument(
            help: "A GeoJSON Feature or FeatureCollection, or an object with the member places.",
            completion: .geoJSONFiles)
        var file: String

        private struct Row: Decodable {
            var id: String?
            var error: String?
            var reason: String?
        }

        func run() async throws {
            let text = try InputFile.read(file)
            let places = try await reportingFailures { try PlaceFile(parsing: [UInt8](text)).places }
            let createdAt = JSONValue.Member(
                "created_at", .integer(Int64(Date().timeIntervalSince1970 * 1000)))
            let isNew = try await Connection.withServer(over: data.data) { connection in
                var count = 0
                for start in stride(from: 0, to: places.count, by: PlacesCommand.documentsEach) {
                    let page = places[start..<min(start + PlacesCommand.documentsEach, places.count)]
                    let documents = page.map { place in
                        JSONValue.object([.init("_id", .string(place.id))] + place.members + [createdAt])
                    }
                    let body = Data(JSONValue.object([.init("docs", .array(documents))]).bytes)
                    let answer = try await connection.send(
                        "POST", PlacesCommand.database + "/_bulk_docs", below: "", body: body)
                    let rows = try JSONDecoder().decode([Row].self, from: answer)
                    if let bad = rows.first(where: { $0.error != nil && $0.error != "conflict" }) {
                        throw CommandFailure("\(bad.id ?? "a place"): \(bad.reason ?? "the server refused it")")
                    }
                    count += rows.count { $0.error == nil }
                }
                return count
            }
            announce("Imported \(isNew) places; \(places.count - isNew) existed already.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List all places: id, coordinates and name.")
        @OptionGroup var data: DataOption

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                var bookmark = JSONValue.null
                while true {
                    let request = JSONValue.object([
                        .init("selector", .object([.init("_id", .object([.init("$gt", .null)]))])),
                        .init("limit", .integer(Int64(PlacesCommand.documentsEach))), .init("bookmark", bookmark),
                    ])
                    let answer = try await connection.send(
                        "POST", PlacesCommand.database + "/_find", below: "", body: Data(request.bytes))
                    let page = try JSONValue(parsing: [UInt8](answer))
                    let documents = page["docs"]?.elements ?? []
                    for document in documents { announce(Self.line(document)) }
                    guard documents.count == PlacesCommand.documentsEach, let next = page["bookmark"] else { return }
                    bookmark = next
                }
            }
        }

        private static func line(_ place: JSONValue) -> String {
            let point = place["geometry"]?["coordinates"]?.elements?.prefix(2).compactMap(\.number) ?? []
            let whereabouts = point.count == 2 ? "\(point[1]) \(point[0])" : place["geometry"]?["type"]?.string ?? "-"
            return [place["_id"]?.string ?? "-", whereabouts, place["name"]?.string?.onOneLine ?? "-"].joined(
                separator: "\t")
        }
    }
}
