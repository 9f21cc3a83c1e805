import Foundation
import GRDB
import NIOCore
import Testing

@testable import MusterTiles

/// Files as their makers write them: tippecanoe, the Python package pmtiles, rio-mbtiles, and MBTiles by hand.
struct TileFileTests {
    private func text(_ tile: TileFile.Tile) -> String { String(buffer: tile.bytes) }

    private func place(_ zoom: Int, _ column: Int, _ row: Int) throws -> TileCoordinate {
        try #require(TileCoordinate(zoom: zoom, column: column, row: row))
    }

    @Test func `the world that the server ships opens, and has every layer and a tile everywhere`() throws {
        let world = try TileFile(path: TestFile.world)
        #expect(world.summary.format == .mvt)
        #expect(world.summary.zooms == 0...6)
        #expect(world.summary.bounds.west == -180 && world.summary.bounds.east == 180)
        #expect(world.summary.attribution == "Natural Earth; GeoNames (CC BY 4.0)")
        #expect(Set(world.summary.layers.map(\.id)) == ["land", "water", "borders", "states", "places"])
        let places = try #require(world.summary.layers.first { $0.id == "places" })
        #expect(Set(places.fields).isSuperset(of: ["kind", "name", "name:es", "name:ja", "name:zh", "rank"]))
        for (zoom, column, row) in [(0, 0, 0), (3, 4, 2), (6, 34, 21), (6, 57, 25)] {
            let tile = try #require(try world.tile(at: try place(zoom, column, row)))
            #expect(tile.isPacked)
            #expect(try world.inflate(tile).readableBytes > tile.bytes.readableBytes)
        }
        #expect(try world.tile(at: try place(7, 0, 0)) == nil)
    }

    @Test func `a vector file of tippecanoe says the same as PMTiles and as MBTiles, and has the same tiles`() throws {
        let files = try ["pmtiles", "mbtiles"].map { try TileFile(path: TestFile.path("doors.\($0)")) }
        for file in files {
            #expect(file.summary.format == .mvt)
            #expect(file.summary.zooms == 0...10)
            #expect(file.summary.attribution == "Doors &amp; co", "without the link that the file has")
            #expect(Set(file.summary.layers.map(\.id)) == ["doors", "walls"])
            #expect(abs(file.summary.bounds.west - 13.3) < 0.001 && abs(file.summary.bounds.north - 52.61) < 0.01)
        }
        var found = 0
        for zoom in 0...10 {
            // Around Berlin, also where the file has nothing.
            let (column, row) = (Int(193.4 / 360 * Double(1 << zoom)), Int(0.328 * Double(1 << zoom)))
            for column in max(0, column - 1)...min((1 << zoom) - 1, column + 1) {
                for row in max(0, row - 1)...min((1 << zoom) - 1, row + 1) {
                    let place = try place(zoom, column, row)
                    let tiles = try files.map { file in try file.tile(at: place).map { try file.inflate($0) } }
                    #expect(tiles[0] == tiles[1], "\(place)")
                    found += tiles[0] == nil ? 0 : 1
                }
            }
        }
        #expect(found > 11)
    }

    @Test func `a file of pictures of rio-mbtiles, which names no zooms, has them where its tiles are`() throws {
        let file = try TileFile(path: TestFile.path("slope.mbtiles"))
        #expect(file.summary.format == .png)
        #expect(file.summary.zooms == 0...8)
        #expect(file.summary.attribution == nil)
        #expect(abs(file.summary.bounds.west - 13) < 0.001 && abs(file.summary.bounds.north - 52.75) < 0.001)
        for (column, row, isThere) in [(137, 83, true), (137, 84, true), (136, 83, false), (137, 82, false)] {
            let tile = try file.tile(at: try place(8, column, row))
            #expect((tile != nil) == isThere, "8/\(column)/\(row)")
            #expect(tile.map { $0.bytes.readableBytesView.prefix(4).elementsEqual([0x89, 0x50, 0x4E, 0x47]) } ?? true)
        }
    }

    @Test func `a file of pictures has each where it belongs, and none where none was written`() throws {
        let file = try TileFile(path: TestFile.path("squares.pmtiles"))
        #expect(file.summary.format == .png)
        #expect(file.summary.layers.isEmpty)
        var different: Set<String> = []
        for zoom in 0...2 {
            for column in 0..<(1 << zoom) {
                for row in 0..<(1 << zoom) {
                    let tile = try file.tile(at: try place(zoom, column, row))
                    guard (zoom, column, row) != (2, 3, 3) else {
                        #expect(tile == nil)
                        continue
                    }
                    let found = try #require(tile)
                    #expect(!found.isPacked)
                    #expect(found.bytes.readableBytesView.prefix(4).elementsEqual([0x89, 0x50, 0x4E, 0x47]))
                    different.insert(text(found))
                }
            }
        }
        #expect(different.count == 20)
    }

    @Test func `a file whose directory has leaves gives every tile that it has, and no other`() throws {
        let file = try TileFile(path: TestFile.path("leaves.pmtiles"))
        for zoom in 0...8 {
            for column in 0..<(1 << zoom) {
                for row in 0..<(1 << zoom) {
                    let place = try place(zoom, column, row)
                    let number = place.number
                    let expected = number % 3 != 0 ? "\(((number * 2_654_435_761 % (1 << 32)) >> 16) % 997)" : nil
                    #expect(try file.tile(at: place).map(text) == expected)
                }
            }
        }
    }

    /// Writes an MBTiles file as mbutil and others lay it out: `tiles` is a view, and each picture is stored once.
    private func writeMBTiles(_ path: String, _ metadata: [String: String]) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE metadata (name TEXT, value TEXT);
                    CREATE TABLE images (tile_id TEXT PRIMARY KEY, tile_data BLOB);
                    CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT,
                        PRIMARY KEY (zoom_level, tile_column, tile_row));
                    CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map
                        JOIN images USING (tile_id);
                    INSERT INTO images VALUES ('n', CAST('north' AS BLOB)), ('s', CAST('south' AS BLOB));
                    INSERT INTO map VALUES (1, 0, 1, 'n'), (1, 0, 0, 's'), (3, 2, 0, 's');
                    """)
            for (name, value) in metadata {
                try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
        }
        try database.close()
    }

    @Test func `rows of MBTiles count from the south, and zooms that the file does not say are looked up`() throws {
        try withFolder { folder in
            try writeMBTiles(folder + "/a.mbtiles", ["format": "jpg", "bounds": "5, 45, 10.5, 55"])
            let file = try TileFile(path: folder + "/a.mbtiles")
            #expect(file.summary.format == .jpeg)
            #expect(file.summary.zooms == 1...3)
            #expect(file.summary.bounds.east == 10.5)
            #expect(try file.tile(at: try place(1, 0, 0)).map(text) == "north")
            #expect(try file.tile(at: try place(1, 0, 1)).map(text) == "south")
            #expect(try file.tile(at: try place(3, 2, 7)).map(text) == "south")
            #expect(try file.tile(at: try place(1, 1, 1)) == nil)
        }
    }

    @Test(arguments: [
        ([:], "the table metadata: it has no row format"),
        (["format": "mlt"], "its tiles are of the format 'mlt'"),
        (["format": "png", "bounds": "1,2,3"], "the bounds '1,2,3' are no box"),
        (["format": "png", "bounds": "1,50,3,40"], "the bounds '1,50,3,40' are no box"),
        (["format": "png", "minzoom": "9", "maxzoom": "3"], "zooms 9 to 3 are no range"),
        (["format": "pbf", "json": "{\"vector_layers\":"], "its row json is no JSON object"),
    ])
    func `an MBTiles file whose metadata cannot be used does not open, and says why`(
        _ metadata: [String: String], _ words: String
    ) throws {
        try withFolder { folder in
            try writeMBTiles(folder + "/a.mbtiles", metadata)
            let error = #expect(throws: TileFileError.self) { try TileFile(path: folder + "/a.mbtiles") }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func `a file that is written to after it was opened gives no more tiles`() throws {
        try withFile(try TestFile.bytes(TestFile.path("squares.pmtiles"))) { path in
            let file = try TileFile(path: path)
            #expect(try file.tile(at: try place(0, 0, 0)) != nil)
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([0]))
            try handle.close()
            let error = #expect(throws: TileFileError.self) { try file.tile(at: try place(0, 0, 0)) }
            #expect(error?.reason == .changed)
        }
    }

    @Test func `what is no file of tiles does not open`() throws {
        #expect(throws: TileFileError.self) { try TileFile(path: "/nowhere/at/all.pmtiles") }
        let folder = #expect(throws: TileFileError.self) { try TileFile(path: "/") }
        #expect(folder?.description == "/: it cannot be read: it is no regular file")
        for bytes in [[], Array("PMTile".utf8), Array("GIF89a and more than sixteen bytes".utf8)] as [[UInt8]] {
            try withFile(bytes) { path in
                let error = #expect(throws: TileFileError.self) { try TileFile(path: path) }
                #expect(error?.reason == .unknownFormat)
            }
        }
    }

    @Test func `an attribution keeps its words and loses its markup`() {
        #expect(TileMetadata.plainText("<a href=\"x\">© OSM</a> <img src=x onerror=y>") == "© OSM")
        #expect(TileMetadata.plainText("<<script>>alert(1)") == "alert(1)")
        #expect(TileMetadata.plainText(" <br> ") == nil)
    }
}
