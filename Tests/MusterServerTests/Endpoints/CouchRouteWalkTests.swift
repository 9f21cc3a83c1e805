import Foundation
import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Every route of CouchDB's protocol, against a list that was written by hand.
@Suite struct CouchRouteWalkTests {
    /// Who is admitted: `*` anyone; `+` everyone who says who he is, to what is his own.
    static let admitted: [String: String] = {
        var lines: [String: String] = [:]
        for (line, roles) in listed {
            lines[line] = roles
            lines[line.hasSuffix(" /") ? line + "couchdb" : line.replacing(" /", with: " /couchdb/")] = roles
        }
        return lines
    }()

    private static let listed: [String: String] = {
        let open = [
            "GET /", "HEAD /", "GET /_up", "GET /_uuids", "POST /_session", "GET /_session", "DELETE /_session",
        ]
        let server =
            [
                "GET /_all_dbs", "GET /_dbs_info", "POST /_dbs_info", "POST /_replicate", "GET /_active_tasks",
                "GET /_scheduler/jobs", "GET /_scheduler/jobs/{job}", "GET /_scheduler/docs",
                "GET /_scheduler/docs/{replicator}", "GET /_scheduler/docs/{replicator}/{document}",
                "GET /_membership", "GET /_cluster_setup", "POST /_cluster_setup", "GET /_node/{node}",
                "GET /_db_updates", "GET /_utils", "GET /_utils/{rest...}", "POST /_search_analyze",
                "POST /_nouveau_analyze", "GET /_reshard",
            ]
            + ["GET", "PUT", "POST", "DELETE"].flatMap { method in
                ["\(method) /_node/{node}/{rest...}", "\(method) /_reshard/{rest...}"]
            }
        let everyMethod = [
            "GET", "HEAD", "PUT", "POST", "DELETE", "COPY", "PATCH", "OPTIONS", "TRACE", "CONNECT",
        ]
        let rest =
            server
            + routes(
                "/{db}", "GET", "HEAD", "PUT", "DELETE", "POST",
                beneath: [
                    "_ensure_full_commit": ["POST"], "_security": ["GET", "PUT"], "_revs_limit": ["GET", "PUT"],
                    "_compact": ["POST"], "_compact/{document}": ["POST"], "_view_cleanup": ["POST"],
                    "_bulk_docs": ["POST"], "_bulk_get": ["POST"],
                    "_revs_diff": ["POST"], "_missing_revs": ["POST"], "_all_docs": ["GET", "POST"],
                    "_all_docs/queries": ["POST"], "_design_docs/queries": ["POST"],
                    "_design_docs": ["GET", "POST"], "_changes": ["GET", "POST"], "_local_docs": ["GET", "POST"],
                    "_local_docs/queries": ["POST"], "_local/{document}": ["GET", "PUT", "DELETE", "COPY"],
                    "_local/{document}/{attachment...}": ["GET", "PUT", "DELETE"],
                    "_purge": ["POST"], "_purged_infos": ["GET"], "_auto_purge": ["GET", "PUT"],
                    "_shards": ["GET"], "_shards/{document}": ["GET"], "_sync_shards": ["POST"],
                    "_partition/{partition}": ["GET"], "_partition/{partition}/_all_docs": ["GET", "POST"],
                    "_partition/{partition}/_find": ["POST"], "_partition/{partition}/_explain": ["POST"],
                    "_partition/{partition}/_design/{rest...}": ["GET", "POST"],
                    "_partition/{partition}/{rest...}": ["GET", "POST"],
                    "_search_cleanup": ["POST"], "_nouveau_cleanup": ["POST"],
                    "_find": ["POST"], "_explain": ["POST"], "_index": ["GET", "POST"],
                    "_index/_bulk_delete": ["POST"],
                    "_index/{document}/json/{index}": ["DELETE"], "_index/_design/{document}/json/{index}": ["DELETE"],
                    "_index/{document}": everyMethod, "_index/{document}/{rest...}": everyMethod,
                    "_index/{document}/json": everyMethod, "_index/_design/{document}": everyMethod,
                    "_index/_design/{document}/json": everyMethod,
                    "_design/{document}/_geo/{index}": ["GET"], "_design/{document}/_geo_info/{index}": ["GET"],
                    "_purged_infos_limit": ["GET", "PUT"], "_temp_view": ["POST"], "_snapshot": ["GET"],
                    "{document}": ["GET", "HEAD", "PUT", "DELETE", "COPY"],
                    "_design/{document}": ["GET", "HEAD", "PUT", "DELETE", "COPY"],
                    "{document}/{attachment...}": ["GET", "HEAD", "PUT", "DELETE"],
                    "_design/{document}/{attachment...}": ["GET", "HEAD", "PUT", "DELETE", "POST"],
                ])
        return Dictionary(uniqueKeysWithValues: open.map { ($0, "*") } + rest.map { ($0, "+") })
    }()

    private static func routes(_ path: String, _ methods: String..., beneath: [String: [String]]) -> [String] {
        methods.map { "\($0) \(path)" }
            + beneath.flatMap { name, methods in methods.map { "\($0) \(path)/\(name)" } }
    }

    /// The path with everything in braces filled in.
    private static func path(_ template: String, database: String) -> String {
        "/"
            + template.replacing("{db}", with: database).replacing("{document}", with: "none")
            .replacing("{index}", with: "none")
            .replacing("{attachment...}", with: "a/b.txt").replacing(/\{[a-z]+(\.\.\.)?\}/, with: "none")
    }

    /// A body that is good enough not to be refused before the right is looked at.
    private static func body(_ line: String) -> String? {
        if ["GET", "HEAD", "DELETE", "COPY"].contains(line.prefix { $0 != " " }) { return nil }
        return line.hasSuffix("_bulk_docs") || line.hasSuffix("_bulk_get") ? #"{"docs":[]}"# : "{}"
    }

    @Test func `a route admits the roles that it names, and only an admin to another user's database`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for line in Self.admitted.keys.sorted() {
                try await check(line, roles: try #require(Self.admitted[line]), at: desk)
            }
        }
    }

    private func check(_ line: String, roles: String, at desk: Desk) async throws {
        let words = line.split(separator: " ")
        let method = try #require(HTTPRequest.Method(String(words[0])))
        let path = Self.path(String(words[1]), database: DatabaseName.locations(of: "mia"))
        let nobody = try await desk.send(method, path, Self.body(line))
        if roles == "*" {
            #expect(nobody.status < 300 || line.contains("POST"), "\(line): \(nobody.status)")
            return
        }
        #expect(nobody.status == 401, "\(line)")
        let guesser = try await desk.send(method, path, Self.body(line), authorization: "Bearer mk_guess")
        #expect(guesser.status == 401, "\(line)")
        if method != .head { #expect(guesser.json["error"]?.string == "unauthorized", "\(line)") }
        guard line.contains("{db}") else { return }
        let absent = Self.path(String(words[1]), database: "none")
        for name in ["max", "lena", "sue", "lars", "ann", "gus"] {
            let reply = try await desk.send(method, path, as: name, Self.body(line))
            // Views are not there for anyone.
            #expect(reply.status == 403 || reply.status == 501, "\(line), \(name): \(reply.status) \(reply.text)")
            let unknown = try await desk.send(method, absent, as: name, Self.body(line))
            #expect(unknown.status == reply.status, "\(line), \(name)")
            if method != .put { #expect(unknown.text == reply.text, "\(line), \(name)") }
        }
    }

    @Test func `no database may have the name of a route`() async throws {
        let office = try await Office()
        let segments = office.endpoints.routes.routes.compactMap { $0.path.split(separator: "/").first }
        // Below the user pool's id only its keys are served, and no document of a database is called like them.
        let userPool = office.coordinator.origin.userPoolID
        for segment in Set(segments)
        where segment != "{db}" && segment != userPool && !segment.hasPrefix("_") && !segment.hasPrefix(".") {
            #expect(ReservedPaths.contains(segment), "\(segment)")
        }
        let web = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Web").path
        let files = try FileManager.default.contentsOfDirectory(atPath: web)
        #expect(files.contains("index.html"))
        for file in files where !file.hasPrefix(".") { #expect(ReservedPaths.contains(file), "\(file)") }
        try await office.coordinator.close()
    }
}
