import Crypto
import Foundation
import HTTPTypes
import MusterCoding
import MusterHTTP
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// The page of a member's app, and the list of the files that it is made of.
@Suite struct MemberPageTests {
    private static let files = [
        "index.html": "<!doctype html>", "licences/preact.txt": "a licence",
        "me/index.html": "<link rel=\"stylesheet\" href=\"../console/console.css\"><script src=\"app.js\"></script>",
        "me/app.js": "import { a } from \"../console/shared/a.js\";\nimport \"../console/frame/signin.js\";\n",
        "me/manifest.webmanifest": "{}", "me/worker.js": "//", "me/way/words/ja.js": "export default {};",
        "me/way/panel.js": """
        // Nothing is loaded of "../../console/app.js".
        /** @type {import("../../console/roster/row.js").Row} */
        const map = () => import("../../console/map/map.js");
        """,
        "engine/engine.wasm": "\u{0}asm", "engine/engine.js": "new URL('engine.wasm', import.meta.url)",
        "console/console.css": "@import url(marks.css);", "console/marks.css": "b{}", "console/app.js": "//",
        "console/shared/a.js": "export const a = 1;", "console/frame/signin.js": "import \"./logo.svg\";",
        "console/frame/logo.svg": "<svg/>", "console/frame/words/en.js": "export default {};",
        "console/frame/words/ja.js": "export default {};", "console/roster/row.js": "//",
        "console/map/map.js": "import \"../shared/a.js\";\nimport \"./words/en.js\";\nimport \"../person/track.js\"",
        "console/person/track.js": "import \"../../../../outside.js\"", "outside.js": "//",
        "vendor/preact/preact-htm.js": "// a library\nexport {}", "vendor/preact/LICENSE-htm.txt": "a licence",
        "vendor/maplibre/maplibre-gl.js": "\"../../console/app.js\"",
    ]

    private static func folder(_ files: [String: String]) throws -> String {
        let root = NSTemporaryDirectory() + "muster-me-\(UUID().uuidString)"
        for (name, text) in files {
            let url = URL(fileURLWithPath: "\(root)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return root
    }

    private static func shell(_ files: [String: String]) throws -> AppShell? {
        let root = try folder(files)
        defer { try? FileManager.default.removeItem(atPath: root) }
        return AppShell(of: try StaticFiles(folder: root))
    }

    @Test func `the list has what the app names, the words of each folder, and the map apart`() throws {
        let shell = try #require(try Self.shell(Self.files))
        #expect(
            shell.files == [
                "console/console.css", "console/frame/logo.svg", "console/frame/signin.js",
                "console/frame/words/en.js", "console/frame/words/ja.js", "console/marks.css", "console/shared/a.js",
                "engine/engine.js", "engine/engine.wasm", "me/app.js", "me/index.html", "me/manifest.webmanifest",
                "me/way/panel.js", "me/way/words/ja.js", "me/worker.js", "vendor/preact/preact-htm.js",
            ])
        #expect(
            shell.map == [
                "console/map/map.js", "console/person/track.js", "vendor/maplibre/maplibre-gl.js",
            ])
        #expect(Set(shell.digests.keys) == Set(shell.files + shell.map))
        let hash = Array(SHA256.hash(data: Array((Self.files["me/app.js"] ?? "").utf8)))
        #expect(shell.digests["me/app.js"] == Base64.encodeUnpadded(Array(hash.prefix(15)), .forURLs))
    }

    @Test func `the version changes with each file of the app and with nothing else`() throws {
        let version = try #require(try Self.shell(Self.files)?.version)
        #expect(try Self.shell(Self.files)?.version == version)
        for path in ["me/app.js", "console/marks.css", "engine/engine.wasm", "console/map/map.js"] {
            var files = Self.files
            files[path]? += " "
            #expect(try Self.shell(files)?.version != version, "\(path)")
        }
        var files = Self.files
        files["console/app.js"] = "another()"
        #expect(try Self.shell(files)?.version == version)
        files["me/shell.json"] = "an older list"
        #expect(try Self.shell(files)?.version == version)
        files["me/index.html"] = nil
        #expect(try Self.shell(files) == nil)
    }

    @Test func `the app is a page of its own, whose files are never taken from a cache unasked`() async throws {
        let root = try Self.folder(Self.files)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await Office(webRoot: root).open { desk async throws in
            #expect(try await desk.send(.get, "//me/").text == Self.files["me/index.html"])
            let unfinished = try await desk.send(.get, "//me")
            #expect(unfinished.status == 308 && unfinished.headers[.location] == "me/")
            let types = [
                "manifest.webmanifest": "application/manifest+json", "worker.js": "text/javascript; charset=utf-8",
                "../engine/engine.wasm": "application/wasm", "shell.json": "application/json",
            ]
            for (name, type) in types {
                let path = name.hasPrefix("../") ? "//" + name.dropFirst(3) : "//me/" + name
                let file = try await desk.send(.get, path)
                #expect(file.status == 200 && file.headers[.contentType] == type, "\(name)")
                #expect(file.headers[.cacheControl] == "no-cache", "\(name)")
                let tag = try #require(file.headers[.eTag])
                #expect(try await desk.send(.get, path, headers: [.ifNoneMatch: tag]).status == 304)
            }
            let list = try await desk.send(.get, "//me/shell.json").json
            let digests = list["digests"]?.members ?? []
            #expect(digests.count == 19)
            for digest in digests {
                let file = try await desk.send(.get, "//" + digest.key)
                #expect(file.headers[.eTag] == "\"\(digest.value.string ?? "")\"", "\(digest.key)")
            }
            #expect(list["map"]?.elements?.count == 3 && list["version"]?.string?.isEmpty == false)
            for path in ["//me/way/", "//engine/", "//me/nothing.js"] {
                #expect(try await desk.send(.get, path).status == 404, "\(path)")
            }
        }
    }

    @Test func `scripts and style sheets are served without comments, and a library as it is`() async throws {
        var files = Self.files
        files["console/marks.css"] = "/* marks */\nb{}\n"
        let root = try Self.folder(files)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await Office(webRoot: root).open { desk async throws in
            let panel = try await desk.send(.get, "//me/way/panel.js")
            #expect(panel.text == "const map = () => import(\"../../console/map/map.js\");")
            #expect(panel.headers[.contentLength] == "\(panel.body.readableBytes)")
            #expect(panel.headers[.eTag] == "\"\(StaticFiles.digest(of: Array(panel.text.utf8)))\"")
            #expect(try await desk.send(.get, "//console/marks.css").text == "b{}\n")
            #expect(try await desk.send(.get, "//vendor/preact/preact-htm.js").text == "// a library\nexport {}")
        }
    }

    @Test func `a database that had the app's name before an upgrade is served below couchdb`() async throws {
        let root = try Self.folder(Self.files)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let office = try await Office(webRoot: root)
        try await office.open { desk async throws in
            for name in ["me", "engine"] {
                // An older version let users create databases with these names.
                #expect(try await office.coordinator.makeDatabase(named: name, isPartitioned: false, by: nil))
                let document = try await desk.send(.put, "//couchdb/\(name)/one", as: "admin", "{\"a\": 1}")
                #expect(document.status == 201, "\(document.text)")
                #expect(try await desk.send(.get, "//couchdb/\(name)/one", as: "admin").json["a"]?.integer == 1)
                #expect(try await desk.send(.get, "//\(name)/one", as: "admin").status == 404)
                #expect(try await desk.send(.delete, "//couchdb/\(name)", as: "admin").status == 200)
                #expect(try await desk.send(.put, "//couchdb/\(name)", as: "admin").status == 400)
            }
        }
    }
}
