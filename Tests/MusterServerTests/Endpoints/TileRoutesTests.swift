import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// The addresses of map tiles, over a socket.
struct TileRoutesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let files = root.appending(path: "Tests/MusterTilesTests/Files").path

    private func office(style: MapStyle? = nil) async throws -> Office {
        try await Office(
            webRoot: Self.root.appending(path: "Web").path,
            tiles: [
                try Configuration.Tiles("\(Self.files)/squares.pmtiles"),
                try Configuration.Tiles("town=\(Self.files)/doors.mbtiles"),
            ], mapStyle: style)
    }

    private let packed: HTTPFields = [.acceptEncoding: "gzip"]

    @Test func `anyone can read which files there are, the world first`() async throws {
        try await office().open(.live) { desk in
            let index = try await desk.send(.get, "//tiles/index.json")
            #expect(index.status == 200)
            let files = try #require(index.json["tiles"]?.elements)
            #expect(files.map { $0["name"]?.string } == ["world", "squares", "town"])
            #expect(files.map { $0["kind"]?.string } == ["vector", "raster", "vector"])
            #expect(files.map { $0["type"]?.string } == ["mvt", "png", "mvt"])
            #expect(files[0]["maxZoom"]?.integer == 6)
            #expect(files[0]["bounds"]?.elements?.count == 4)
            #expect(files[0]["attribution"]?.string?.contains("GeoNames") == true)
            #expect(files[2]["layers"]?.elements?.compactMap { $0["id"]?.string }.sorted() == ["doors", "walls"])
            #expect(index.json["style"] == nil)
            #expect(!index.text.contains(Self.files), "where files lie is nobody's business")
        }
    }

    @Test func `a tile comes as it is stored to a client that takes gzip, and inflated to another`() async throws {
        try await office().open(.live) { desk in
            for path in ["//tiles/world/0/0/0", "//tiles/town/5/17/10"] {
                let stored = try await desk.send(.get, path, headers: packed)
                #expect(stored.status == 200)
                #expect(stored.headers[.contentType] == "application/vnd.mapbox-vector-tile")
                #expect(stored.headers[.contentEncoding] == "gzip")
                #expect(stored.headers[.vary] == "Accept-Encoding")
                #expect(stored.headers[.cacheControl]?.contains("max-age=") == true)
                let plain = try await desk.send(.get, path, headers: [.acceptEncoding: "identity"])
                #expect(plain.headers[.contentEncoding] == nil)
                #expect(plain.body.readableBytesView.first != 0x1F)
                #expect(plain.headers[.eTag] != stored.headers[.eTag], "they are two representations")
            }
            let picture = try await desk.send(.get, "//tiles/squares/1/0/1", headers: packed)
            #expect(picture.headers[.contentType] == "image/png")
            #expect(picture.headers[.contentEncoding] == nil)
            #expect(picture.headers[.vary] == nil)
        }
    }

    @Test func `a client that has a tile is not sent it again, and another tile has another tag`() async throws {
        try await office().open(.live) { desk in
            let tile = try await desk.send(.get, "//tiles/squares/1/0/1")
            let tag = try #require(tile.headers[.eTag])
            #expect(tag.hasPrefix("\""))
            let again = try await desk.send(.get, "//tiles/squares/1/0/1", headers: [.ifNoneMatch: tag])
            #expect(again.status == 304)
            #expect(again.body.readableBytes == 0)
            #expect(again.headers[.eTag] == tag)
            let other = try await desk.send(.get, "//tiles/squares/1/0/0", headers: [.ifNoneMatch: tag])
            #expect(other.status == 200)
            let head = try await desk.send(.head, "//tiles/squares/1/0/1")
            #expect(head.status == 200 && head.headers[.eTag] == tag && head.body.readableBytes == 0)
        }
    }

    @Test func `a missing tile is empty, an unknown file not found, and an impossible place explained`() async throws {
        try await office().open(.live) { desk in
            #expect(try await desk.send(.get, "//tiles/squares/2/3/3").status == 204)
            #expect(try await desk.send(.get, "//tiles/squares/9/3/3").status == 204)
            #expect(try await desk.send(.get, "//tiles/elsewhere/0/0/0").status == 404)
            #expect(try await desk.send(.get, "//tiles/..%2Fsquares/0/0/0").status == 404)
            for (path, words) in [
                ("2/4/0", "At zoom 2 columns and rows are 0 to 3, not 4 and 0."), ("2/0/4", "not 0 and 4."),
                ("31/0/0", "The zoom 31 is not 0 to 30."), ("-1/0/0", "whole numbers"), ("a/0/0", "whole numbers"),
                ("1/0.5/0", "whole numbers"), ("1/0/99999999999999999999", "whole numbers"),
            ] {
                let reply = try await desk.send(.get, "//tiles/squares/\(path)")
                #expect(reply.status == 400, "\(path)")
                #expect(reply.json["detail"]?.string?.contains(words) == true, "\(reply.text)")
            }
            #expect(try await desk.send(.post, "//tiles/squares/0/0/0").status == 405)
        }
    }

    @Test func `a damaged tile is an error with its byte and no path, and the others are served`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muster-damaged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var bytes = try Data(contentsOf: URL(filePath: "\(Self.files)/doors.pmtiles"))
        // The last tile of the file, of zoom 10, ends in the last bytes.
        bytes.replaceSubrange((bytes.count - 12)..<bytes.count, with: Data(count: 12))
        let path = folder.appending(path: "doors.pmtiles")
        try bytes.write(to: path)
        try await Office(tiles: [try Configuration.Tiles(path.path)]).open(.live) { desk in
            var statuses: [Int: Int] = [:]
            for column in 548...552 {
                for row in 333...338 {
                    let reply = try await desk.send(.get, "//tiles/doors/10/\(column)/\(row)", headers: packed)
                    statuses[reply.status, default: 0] += 1
                    guard reply.status == 500 else { continue }
                    let detail = reply.json["detail"]?.string ?? ""
                    #expect(detail.contains(/at byte [0-9]+: the tile is damaged/), "\(detail)")
                    #expect(!detail.contains(folder.lastPathComponent))
                }
            }
            #expect(statuses[500] == 1, "\(statuses)")
            #expect(statuses[200, default: 0] > 0, "\(statuses)")
        }
    }

    @Test func `the page may load from the origin of the operator's style, and from no other`() async throws {
        let style = try #require(MapStyle("https://maps.example:8443/styles/quiet.json?key=a1"))
        try await office(style: style).open { desk in
            let index = try await desk.send(.get, "//tiles/index.json")
            #expect(index.json["style"]?.string == "https://maps.example:8443/styles/quiet.json?key=a1")
            let opened = try await policy(at: desk)
            #expect(opened.contains("connect-src 'self' https://maps.example:8443;"))
            #expect(opened.contains("img-src 'self' data: blob: https://maps.example:8443;"))
            #expect(opened.components(separatedBy: "maps.example").count == 3)
        }
        try await office().open { desk in
            let closed = try await policy(at: desk)
            #expect(closed.contains("connect-src 'self';"))
        }
    }

    private func policy(at desk: Desk) async throws -> String {
        let page = try await desk.send(.get, "//", headers: [.accept: "text/html"])
        #expect(page.status == 200)
        return try #require(page.headers[HTTPField.Name("Content-Security-Policy")!])
    }

    @Test func `an address that could change the page's policy is no style`() {
        for text in [
            "maps.example/style.json", "ftp://maps.example/style.json", "https://maps.example;script-src *",
            "https://maps.example, https://evil.example", "https://user:word@maps.example/style.json",
            "https://maps.example/a b", "https://maps.example/\u{0A}x", "https://", "https://*.example/style.json",
        ] {
            #expect(MapStyle(text) == nil, "\(text)")
        }
        #expect(MapStyle("http://[::1]:8080/s.json")?.origin == "http://[::1]:8080")
    }

    @Test func `a file goes by its own name unless it is given another`() throws {
        let plain = try Configuration.Tiles("/srv/maps/berlin.v2.pmtiles")
        #expect(plain.name == "berlin.v2" && plain.path == "/srv/maps/berlin.v2.pmtiles")
        let named = try Configuration.Tiles("town=/srv/a=b/map of town.mbtiles")
        #expect(named.name == "town" && named.path == "/srv/a=b/map of town.mbtiles")
        let path = try Configuration.Tiles("/srv/a=b/town.mbtiles")
        #expect(path.name == "town" && path.path == "/srv/a=b/town.mbtiles")
        #expect(throws: TilesSettingError.name("map of town")) { try Configuration.Tiles("/srv/map of town.mbtiles") }
        #expect(throws: TilesSettingError.isOfTheWorld) { try Configuration.Tiles("world.pmtiles") }
    }
}
