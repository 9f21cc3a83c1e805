import Foundation
import MusterTerminal
import NIOCore

/// A location database for each of many users, as apps fill them that replicate: a design document of one id in all of
/// them, and locations of their own.
struct UserDatabaseRun {
    let users: Int
    private static let locations = 5
    private static let connections = 8

    /// Measures a server of its own.
    ///
    /// - Throws: `CommandFailure` also if the union lacks a document once the last write was answered.
    func report() async throws {
        let server = try await BenchServer.start()
        defer { server.stop() }
        announce("\(users) users, each with \(Self.locations) locations and a design document")
        announce("RSS before: \(Self.size(server.residentBytes))")
        Figures.record("the server before", bytes: server.residentBytes)
        try await run("users made, without passwords", registrations(token: server.connection.token), on: server)
        announce("RSS: \(Self.size(server.residentBytes))")
        Figures.record("the server with the users", bytes: server.residentBytes)
        let keys = try await keys(on: server)
        let writes = keys.enumerated().map { number, key in
            HTTPAnswer.request(
                "POST", "/couchdb/lt_locations_user_u\(number)/_bulk_docs", token: key,
                body: Self.documents(of: number))
        }
        try await run("databases filled, six documents each", writes, on: server)
        try await checkUnion(on: server)
        announce("RSS at the end: \(Self.size(server.residentBytes))")
        Figures.record("the server with all of it", bytes: server.residentBytes)
    }

    private func run(_ name: String, _ requests: [ByteBuffer], on server: BenchServer) async throws {
        let outcome = try await server.load.run(BenchServer.dealt(requests, to: Self.connections))
        guard outcome.failures.isEmpty else { throw CommandFailure("\(name): refused: \(outcome.failures)") }
        announce(
            name.padding(toLength: 44, withPad: " ", startingAt: 0)
                + String(
                    format: "%10.0f/s, median %.1f ms, 99 %% within %.1f ms", outcome.requestsPerSecond,
                    outcome.latency(0.5), outcome.latency(0.99)))
        Figures.record(name, "a second", outcome.requestsPerSecond)
        Figures.record(name, sortedMilliseconds: outcome.latencies)
    }

    private func registrations(token: String) -> [ByteBuffer] {
        (0..<users).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users", token: token, body: Array(#"{"name":"u\#(number)","role":"member"}"#.utf8))
        }
    }

    /// A key of each user, because only the user of a location database may write it.
    private func keys(on server: BenchServer) async throws -> [String] {
        struct Key: Decodable { var key: String }
        let connection = server.connection
        let users = users
        var keys = [String](repeating: "", count: users)
        try await withThrowingTaskGroup(of: [(Int, String)].self) { tasks in
            for first in 0..<Self.connections {
                tasks.addTask {
                    var made: [(Int, String)] = []
                    for number in stride(from: first, to: users, by: Self.connections) {
                        let data = try await connection.send(
                            "POST", "/keys", json: ["label": "bench", "user": "u\(number)"])
                        made.append((number, try JSONDecoder().decode(Key.self, from: data).key))
                    }
                    return made
                }
            }
            for try await made in tasks { for (number, key) in made { keys[number] = key } }
        }
        return keys
    }

    private static func documents(of user: Int) -> [UInt8] {
        var documents = [
            #"{"_id":"_design/points","views":{},"st_indexes":{"pointsidx":{"index":"function(doc){}"}}}"#
        ]
        for number in 0..<locations {
            let time = 1_795_240_800_000 + number * 15_000
            let place = "\(14 + Double(user % 1_000) / 1_000),\(46 + Double(number) / 1_000)"
            documents.append(
                #"{"_id":"u\#(user)-\#(number)","type":"Feature","created_at":\#(time),"geometry":{"type":"Point","#
                    + #""coordinates":[\#(place)]},"properties":{"username":"u\#(user)","timestamp":\#(time)}}"#)
        }
        return Array("{\"docs\":[\(documents.joined(separator: ","))]}".utf8)
    }

    /// The last answer is there, so the union has everything.
    private func checkUnion(on server: BenchServer) async throws {
        struct Information: Decodable {
            var count: Int
            enum CodingKeys: String, CodingKey { case count = "doc_count" }
        }
        let data = try await server.connection.send("GET", "/lt_locations_all", below: "/couchdb")
        let count = try JSONDecoder().decode(Information.self, from: data).count
        guard count == users * Self.locations else {
            throw CommandFailure("the union has \(count) documents of \(users * Self.locations)")
        }
        announce("the union has all \(count) locations, and no design document")
    }

    private static func size(_ bytes: Int?) -> String { bytes.map { "\($0 / 1_000_000) MB" } ?? "unknown" }
}
