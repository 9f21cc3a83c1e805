import ArgumentParser
import Foundation
import MusterTerminal
import NIOCore

extension Bench {
    /// Measures updates of datasets by many people at once, each durable before the answer, and compares them with
    /// updates of CouchDB documents.
    struct Datasets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record updates of datasets, on disk before the answer, and the same as documents by _bulk_docs.")
        @Option(help: "Requests of each scenario, in thousands.") var thousands = 30
        @Option(help: "Connections, each of a person with datasets of their own.") var connections = 64

        func validate() throws {
            guard thousands > 0, (1...1_000).contains(connections) else {
                throw ValidationError("--thousands: from 1; --connections: 1 to 1000")
            }
        }

        /// The numbers of records per request that are measured.
        private static let sizes = [1, 10, 100]

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            let people = try await server.makeKeyHolders(connections)
            announce(Report.heading(of: "records"))
            for size in Self.sizes {
                try await measure("PATCH datasets, \(size) a request", size, on: server) { connection, count in
                    people[connection].updates(of: "native\(size)", records: size, count: count)
                }
            }
            let clients = try await Self.amazonClients(of: people, on: server)
            for size in Self.sizes {
                try await measure("UpdateRecords, signed, \(size) a request", size, on: server) { connection, count in
                    clients[connection].updates(of: "amazon\(size)", records: size, count: count)
                }
            }
            for connection in 0..<connections {
                try await server.connection.send("PUT", "/couchdb/bench\(connection)", below: "")
            }
            for size in Self.sizes {
                try await measure("POST _bulk_docs, \(size) a request", size, on: server) { connection, count in
                    Self.bulks(connection, size, count, token: server.connection.token)
                }
            }
            announce("RSS at the end: \(server.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "unknown")")
        }

        private func measure(
            _ name: String, _ size: Int, on server: BenchServer, _ requests: (Int, Int) -> [ByteBuffer]
        ) async throws {
            // Scenarios with larger requests send fewer of them, so that all scenarios take about as long.
            let count = max(10, thousands * 1_000 / connections / (size >= 100 ? 8 : 1))
            let outcome = try await server.load.run((0..<connections).map { requests($0, count) })
            Report.publish(name, outcome, each: size, unit: "records")
            guard outcome.failures.isEmpty else { throw CommandFailure("\(name) was refused: \(outcome.failures)") }
        }

        private static func amazonClients(
            of people: [KeyHolder], on server: BenchServer
        ) async throws -> [AmazonSyncClient] {
            var clients: [AmazonSyncClient] = []
            for person in people { clients.append(try await AmazonSyncClient(person, on: server)) }
            return clients
        }

        /// Returns requests that store the same values as documents, in a database for each connection.
        private static func bulks(_ connection: Int, _ size: Int, _ count: Int, token: String) -> [ByteBuffer] {
            (0..<count).map { number in
                let documents = (0..<size).map { index in
                    "{\"_id\":\"\(size)-\(number)-\(index)\",\"value\":\"\(RecordCounts.value(number))\"}"
                }
                return HTTPAnswer.request(
                    "POST", "/couchdb/bench\(connection)/_bulk_docs", token: token,
                    body: Array("{\"docs\":[\(documents.joined(separator: ","))]}".utf8))
            }
        }
    }
}

/// A member with an API key.
struct KeyHolder: Sendable {
    var name: String
    var token: String

    /// Returns updates of a new dataset, in order. Each update writes the next `size` of 200 keys, round after round.
    func updates(of dataset: String, records size: Int, count: Int) -> [ByteBuffer] {
        var counts = RecordCounts()
        return (0..<count).map { number in
            let patches = counts.next(size).map { key, known in
                "{\"key\":\"k\(key)\",\"value\":\"\(RecordCounts.value(number))\",\"syncCount\":\(known)}"
            }
            return HTTPAnswer.request(
                "PATCH", "/api/v1/datasets/\(dataset)", token: token,
                body: Array("{\"records\":[\(patches.joined(separator: ","))]}".utf8))
        }
    }
}

/// The sync count of each record of a dataset that only this client updates.
struct RecordCounts {
    private var counts = Array(repeating: 0, count: 200)
    private var updates = 0
    private var key = 0

    /// Returns the records of the next update, each with the sync count that the update must name.
    mutating func next(_ size: Int) -> [(key: Int, known: Int)] {
        updates += 1
        return (0..<size).map { _ in
            defer {
                counts[key] = updates
                key = (key + 1) % counts.count
            }
            return (key, counts[key])
        }
    }

    /// Returns a value of 40 bytes.
    static func value(_ number: Int) -> String {
        String("\(number)-the-page-that-was-read-last-and-the-theme".prefix(40))
    }
}

/// A client of Cognito Sync for one person.
private struct AmazonSyncClient {
    private struct Identity: Decodable {
        var identityPoolId: String
        var identityId: String
    }

    private let signer: AmazonSigner
    private let identity: Identity

    init(_ person: KeyHolder, on server: BenchServer) async throws {
        signer = try await AmazonSigner(server, user: person.name, service: "cognito-sync")
        let own = try Connection(base: server.connection.base.absoluteString, token: person.token)
        identity = try await own.get("/cognito")
    }

    func updates(of dataset: String, records size: Int, count: Int) -> [ByteBuffer] {
        let (pool, id) = (identity.identityPoolId.segment, identity.identityId.segment)
        let path = "/identitypools/\(pool)/identities/\(id)/datasets/\(dataset)"
        // The client sends the token that ListRecords returned.
        let token = Data(identity.identityId.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        var counts = RecordCounts()
        return (0..<count).map { number in
            let patches = counts.next(size).map { key, known in
                let value = RecordCounts.value(number)
                return #"{"Op":"replace","Key":"k\#(key)","Value":"\#(value)","SyncCount":\#(known)}"#
            }
            let body = #"{"SyncSessionToken":"\#(token)","RecordPatches":[\#(patches.joined(separator: ","))]}"#
            return signer.request(path, Array(body.utf8))
        }
    }
}

extension BenchServer {
    /// Creates members named `k0`, `k1` and so on, without a team, each with an API key.
    func makeKeyHolders(_ count: Int) async throws -> [KeyHolder] {
        struct MadeKey: Decodable { var key: String }
        let (token, connection) = (connection.token, connection)
        let users = (0..<count).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users", token: token, body: Array(#"{"name":"k\#(number)","role":"member"}"#.utf8))
        }
        let outcome = try await load.run(Self.dealt(users, to: 32))
        guard outcome.failures.isEmpty else { throw CommandFailure("making people failed: \(outcome.failures)") }
        var holders: [KeyHolder] = []
        for start in stride(from: 0, to: count, by: 16) {
            holders += try await withThrowingTaskGroup(of: (Int, KeyHolder).self) { group in
                for number in start..<min(count, start + 16) {
                    group.addTask {
                        let body = try await connection.send(
                            "POST", "/keys", json: ["label": "bench", "user": "k\(number)"])
                        let key = try JSONDecoder().decode(MadeKey.self, from: body).key
                        return (number, KeyHolder(name: "k\(number)", token: key))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
        return holders
    }
}
