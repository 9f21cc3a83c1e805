import HTTPTypes
import Hummingbird
import MusterHTTP
package import MusterServer
import MusterTiles
import MusterWire
import NIOCore

/// The tiles beneath the live map, at `/tiles`: the map of the world that comes with the page, and the files that the
/// operator added. docs/maps.md has the addresses.
package struct MapsEndpoint: Endpoint {
    private let catalog: TileCatalog
    private let style: MapStyle?

    package init(_ parts: ServerParts) {
        catalog = parts.tiles
        style = parts.configuration.mapStyle
    }

    /// Tiles change when the operator changes a file and starts the server again, so a browser may keep one for an
    /// hour, and then asks whether it is still the same.
    private static let keeping = "public, max-age=3600"

    package func register(in routes: inout RouteTable) {
        let index = indexBytes
        routes.add(
            Route(
                .get, "/tiles/index.json", admits: .anyone,
                .init(
                    "Maps", "List the files of map tiles.",
                    answers: [.init(200, "The files, and the style of the map.", json: "MapIndex")])
            ) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
                    body: .init(byteBuffer: index))
            })
        routes.add(
            Route(
                .get, "/tiles/{file}/{zoom}/{column}/{row}", admits: .anyone,
                .init(
                    "Maps", "Read a map tile.",
                    answers: [
                        .init(
                            200, "The tile, in the form of its file.",
                            body: [
                                "application/vnd.mapbox-vector-tile": "Text", "image/png": "Text",
                                "image/jpeg": "Text", "image/webp": "Text", "image/avif": "Text",
                            ]),
                        .init(204, "The file has no tile there."), .init(304, "The client has the tile."),
                        .init(400, "There is no such place.", body: ["application/problem+json": "Problem"]),
                    ]), handler: seeTile))
    }

    private func seeTile(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try context.parameter("file")
        guard let file = catalog.file(named: name) else {
            throw Problem.notFound("There is no file of map tiles of this name; /tiles/index.json lists them.")
        }
        let coordinate = try coordinate(context)
        let tile = try await catalog.tile(of: file, at: coordinate, packed: request.accepts("gzip"))
        guard let tile else { return Response(status: .noContent, headers: [.cacheControl: Self.keeping]) }
        var headers: HTTPFields = [
            .contentType: file.summary.format.mediaType, .eTag: tile.tag, .cacheControl: Self.keeping,
        ]
        if file.summary.format.isVector { headers[.vary] = "Accept-Encoding" }
        if request.headers[.ifNoneMatch]?.contains(tile.tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        if tile.isPacked { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: tile.bytes))
    }

    /// The place that the path names.
    ///
    /// - Throws: `Problem.malformed` when there is no such place.
    private func coordinate(_ context: AppRequestContext) throws -> TileCoordinate {
        let texts = try ["zoom", "column", "row"].map { try context.parameter($0) }
        let numbers = texts.compactMap { text in
            text.utf8.count <= 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
        guard numbers.count == 3 else {
            throw Problem.malformed("A tile is at /tiles/FILE/ZOOM/COLUMN/ROW, and the last three are whole numbers.")
        }
        let greatest = TileCoordinate.greatestZoom
        guard numbers[0] <= greatest else { throw Problem.malformed("The zoom \(numbers[0]) is not 0 to \(greatest).") }
        guard let coordinate = TileCoordinate(zoom: numbers[0], column: numbers[1], row: numbers[2]) else {
            throw Problem.malformed(
                """
                At zoom \(numbers[0]) columns and rows are 0 to \((1 << numbers[0]) - 1), not \(numbers[1]) and \
                \(numbers[2]).
                """)
        }
        return coordinate
    }

    private var indexBytes: ByteBuffer {
        ByteBuffer(
            bytes: JSONWriter.object { writer in
                writer.member("tiles", listing: catalog.entries) { writer, entry in
                    writer.beginObject()
                    writer.member("name", entry.name)
                    writer.write(entry.file.summary)
                    writer.endObject()
                }
                writer.member("style", style?.url)
            })
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ summary: TileSummary) {
        member("kind", summary.format.isVector ? "vector" : "raster")
        member("type", summary.format.rawValue)
        member("minZoom", Int64(summary.zooms.lowerBound))
        member("maxZoom", Int64(summary.zooms.upperBound))
        let bounds = summary.bounds
        member("bounds", listing: [bounds.west, bounds.south, bounds.east, bounds.north]) { $0.value($1) }
        member("attribution", summary.attribution)
        member("layers", listing: summary.layers) { writer, layer in
            writer.beginObject()
            writer.member("id", layer.id)
            writer.member("fields", listing: layer.fields) { $0.value($1) }
            writer.endObject()
        }
    }
}
