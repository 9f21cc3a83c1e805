import Foundation
import HTTPTypes
import HummingbirdTesting
import MusterCore
import MusterWire
import NIOCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct ServiceTests {
    @Test func `OpenAPI holds every route, and every schema that it names`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let document = try await desk.send(.get, "/openapi.json")
            let paths = try #require(document.json["paths"]?.members)
            let described = paths.flatMap { path in
                (path.value.members ?? []).map { "\($0.key.uppercased()) \(path.key)" }
            }
            // OpenAPI knows no method COPY, and no name that stands for several segments.
            let routes = RouteWalkTests.everyLine.filter { !$0.hasPrefix("COPY ") }
            #expect(
                Set(described)
                    == Set(
                        routes.map {
                            $0.replacing("...}", with: "}")
                                .replacing("{userPool}", with: office.coordinator.origin.userPoolID)
                        }))
            let schemas = Set(document.json["components"]?["schemas"]?.members?.map(\.key) ?? [])
            let named = document.text.split(separator: "#/components/schemas/").dropFirst().map {
                String($0.prefix { $0 != "\"" })
            }
            #expect(Set(named) == schemas)
            let ids = paths.flatMap { ($0.value.members ?? []).compactMap { $0.value["operationId"]?.string } }
            #expect(ids.count == Set(ids).count)
        }
    }

    @Test func `metrics are for an admin, and for this machine when no proxy stands between`() async throws {
        let office = try await Office()
        try await office.open(.live) { desk async throws in
            _ = try await desk.send(.post, "/positions", as: "mia", office.report("phone"))
            let text = try await desk.send(.get, "//metrics").text
            #expect(text.contains("muster_positions_total{outcome=\"accepted\"} 1\n"))
            #expect(
                text.contains("muster_requests_total{method=\"POST\",route=\"/api/v1/positions\",status=\"2xx\"} 1\n"))
            #expect(text.contains("le=\"+Inf\"} 1\n"))
            let forwarded = try await desk.send(.get, "//metrics", headers: [.xForwardedFor: "203.0.113.9"])
            #expect(forwarded.status == 401)
            #expect(try await desk.send(.get, "//metrics", as: "lena", headers: [.forwarded: "for=x"]).status == 403)
            for name in ["X-Real-IP", "Via", "X-Forwarded-Host", "X-Forwarded-Proto"] {
                let field = try #require(HTTPField.Name(name))
                #expect(try await desk.send(.get, "//metrics", headers: [field: "x"]).status == 401, "\(name)")
            }
        }
    }

    @Test func `health shows the sequence to known callers alone`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let stranger = try await desk.send(.get, "//health")
            #expect(stranger.status == 200 && stranger.json["sequence"] == nil)
            let guesser = try await desk.send(.get, "//health", authorization: "Bearer mk_guess")
            #expect(guesser.status == 200 && guesser.json["sequence"] == nil)
            let known = try await desk.send(.get, "/health", as: "mia")
            #expect(known.json["sequence"]?.integer == office.coordinator.lastSequence.rawValue)
        }
    }

    @Test func `no other site's page signs its visitor in`() async throws {
        let office = try await Office()
        let sites: [(headers: HTTPFields, status: Int)] = [
            ([.origin: "https://evil.example"], 403), ([.origin: "null"], 403),
            ([HTTPField.Name("Sec-Fetch-Site")!: "cross-site"], 403), ([:], 200), ([.origin: "http://localhost"], 200),
        ]
        try await office.open { desk in
            let form = ByteBuffer(string: "name=mia&password=mia%27s+secret")
            for (headers, status) in sites {
                let reply = try await desk.send(
                    .post, "//_session", authorization: nil, body: form, type: "application/x-www-form-urlencoded",
                    headers: headers)
                #expect(reply.status == status, "\(headers): \(reply.text)")
                #expect((reply.headers[.setCookie] != nil) == (status == 200))
            }
        }
    }

    @Test func `health and keys are for anyone, and answers are not cached`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let health = try await desk.send(.get, "//health")
            #expect(health.json["status"]?.string == "ok")
            #expect(health.headers[.cacheControl] == "no-store")
            #expect(health.headers[.contentTypeOptions] == "nosniff")
            let keys = try await desk.send(.get, "//.well-known/jwks.json").json["keys"]?.elements
            #expect(keys?.first?["alg"]?.string == "ES256")
            #expect(keys?.first?["d"] == nil)
            #expect(try await desk.send(.get, "//.well-known/apple-app-site-association").status == 404)
        }
    }

    @Test func `a closed coordinator is 503 with Retry-After`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            try await office.coordinator.close()
            let reply = try await desk.send(.post, "/positions", as: "mia", office.report("phone"))
            #expect(reply.status == 503)
            #expect(reply.headers[.retryAfter] != nil)
        }
    }

    @Test func `a sequence beyond the log gives an empty page, and an invalid one is refused`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let beyond = try await desk.send(.get, "/changes?since=9007199254740991", as: "mia")
            #expect(beyond.json["items"]?.elements?.isEmpty == true)
            #expect(beyond.json["lastSequence"]?.integer == office.coordinator.lastSequence.rawValue)
            for since in ["9223372036854775807", "-1", "x", "1.5", ""] {
                #expect(try await desk.send(.get, "/changes?since=\(since)", as: "mia").pointers == ["?since"])
            }
        }
    }

    private static func folder() throws -> String {
        let path = NSTemporaryDirectory() + "muster-page-\(UUID().uuidString)"
        let manager = FileManager.default
        try manager.createDirectory(atPath: path + "/live", withIntermediateDirectories: true)
        try manager.createDirectory(atPath: path + "/console/share", withIntermediateDirectories: true)
        for (name, text) in [
            ("index.html", "<!doctype html>" + String(repeating: "page ", count: 100)), ("live/map.js", "export {}"),
            (".secret.js", "hidden"), ("notes.md", "not served"), ("console/share/index.html", "<p>shared</p>"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        try manager.createSymbolicLink(atPath: path + "/link.txt", withDestinationPath: "/etc/hostname")
        return path
    }

    @Test func `the page is served to browsers, with a tag and a strict policy`() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await Office(webRoot: folder).open { desk async throws in
            let page = try await desk.send(.get, "//", headers: [.accept: "text/html"])
            #expect(page.text.hasPrefix("<!doctype html>"))
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            let policy = try #require(page.headers[HTTPField.Name("Content-Security-Policy")!])
            #expect(policy.contains("default-src 'none'") && policy.contains("manifest-src 'self'"))
            #expect(policy.contains("script-src 'self' 'wasm-unsafe-eval';"))
            #expect(!policy.replacing("'wasm-unsafe-eval'", with: "").contains("unsafe"))
            let tag = try #require(page.headers[.eTag])
            let again = try await desk.send(.get, "//", headers: [.accept: "text/html", .ifNoneMatch: tag])
            #expect(again.status == 304)
            let packed = try await desk.send(.get, "//index.html", headers: [.acceptEncoding: "br, gzip"])
            #expect(packed.headers[.contentEncoding] == "gzip")
            #expect(try Gzip.inflate(packed.body, limitBytes: 10_000) == page.body)
            #expect(try await desk.send(.get, "//").json["muster"]?.string == "Welcome")
            #expect(
                try await desk.send(.get, "//live/map.js").headers[.contentType]?.hasPrefix("text/javascript") == true)
            #expect(try await desk.send(.head, "//live/map.js").body.readableBytes == 0)
            let shared = try await desk.send(.get, "//console/share/")
            #expect(shared.text == "<p>shared</p>")
            #expect(shared.headers[HTTPField.Name("Content-Security-Policy")!] == policy)
            #expect(shared.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
            let unfinished = try await desk.send(.get, "//console/share")
            #expect(unfinished.status == 308 && unfinished.headers[.location] == "share/")
            #expect(try await desk.send(.get, "//console/").status == 404)
            for path in [
                "//.secret.js", "//notes.md", "//link.txt", "//live", "//../etc/passwd", "//live/../index.html",
                "//%2e%2e/etc/passwd", "//live%2fmap.js/..", "//live/map.js%00", "//%",
            ] {
                // What is no file may be a database; nobody is told who does not say who he is.
                let answer = try await desk.send(.get, path)
                #expect(answer.status == 404 || answer.json["error"]?.string == "unauthorized", "\(path)")
            }
            #expect(try await desk.send(.post, "//index.html", "{}").status == 404)
        }
    }

    @Test func `a printed configuration shows no password`() {
        var settings = Configuration(dataDirectory: "data")
        settings.adminPassword = "hush"
        for text in ["\(settings)", String(reflecting: [settings]), "\((holder: settings, name: "x"))"] {
            #expect(text.contains("data"))
            #expect(!text.contains("hush"))
        }
    }

    @Test func `packing and unpacking is the identity, and limits hold`() throws {
        for size in [0, 1, 1000, 100_000, 1_000_000] {
            let bytes = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
            guard let packed = Gzip.pack(bytes) else { continue }
            #expect(try Gzip.inflate(packed, limitBytes: size) == bytes)
            #expect(throws: InflateError.tooLarge) { try Gzip.inflate(packed, limitBytes: size - 1) }
            #expect(throws: InflateError.damaged) {
                try Gzip.inflate(packed.getSlice(at: 0, length: packed.readableBytes / 2) ?? packed, limitBytes: size)
            }
        }
        #expect(throws: InflateError.damaged) { try Gzip.inflate(ByteBuffer(), limitBytes: 10) }
        #expect(throws: InflateError.damaged) { try Gzip.inflate(ByteBuffer(string: "plain text"), limitBytes: 10) }
    }
}
