import Foundation
import MusterKit

/// A client of `/graphql`: queries, and one subscription that survives lost connections.
struct LiveSafety {
    struct Person: Decodable, Sendable {
        var name: String
        var safety: String?
    }

    struct Fault: Error {
        var message: String
    }

    private struct Result<Answer: Decodable>: Decodable {
        var data: Answer?
        var errors: [Message]?
        struct Message: Decodable { var message: String }
    }

    /// The address of the server, without a path: `https://muster.example.org`.
    let server: String
    /// An API key, or the token of a session.
    let token: String
    let transport: any HTTPTransport

    /// Reads everyone whom the caller may see, at most a thousand.
    func people() async throws -> [Person] {
        struct Answer: Decodable {
            var people: Connection
            struct Connection: Decodable { var edges: [Edge] }
            struct Edge: Decodable { var node: Person }
        }
        let response = try await send(
            "{ people(first: 1000) { edges { node { name safety } } } }", accepting: "application/json")
        var body: [UInt8] = []
        while let piece = try await response.nextPiece() { body += piece }
        return try Self.data(Answer.self, in: Data(body)).people.edges.map(\.node)
    }

    /// Calls `screen` with each change of a person's safety, until the task is cancelled.
    ///
    /// After a lost connection the server sends what changed meanwhile.
    func follow(_ screen: @Sendable (Person) -> Void) async throws {
        struct Answer: Decodable {
            var safetyChanged: Change
            struct Change: Decodable { var person: Person }
        }
        var last: String?
        while !Task.isCancelled {
            do {
                try await stream("subscription { safetyChanged { person { name safety } } }", from: &last) { data in
                    screen(try Self.data(Answer.self, in: data).safetyChanged.person)
                }
            } catch is ReplicationError {
                // The server cannot be reached, or the connection broke.
            }
            try await Task.sleep(for: .seconds(2))
        }
    }

    /// Reads server-sent events, and notes the number of the last one.
    private func stream(_ query: String, from last: inout String?, _ handle: (Data) throws -> Void) async throws {
        let response = try await send(query, accepting: "text/event-stream", after: last)
        var received: [UInt8] = []
        while let piece = try await response.nextPiece() {
            received += piece
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                if line.hasPrefix("id: ") { last = String(line.dropFirst(4)) }
                // The event `complete` has no data.
                if line.hasPrefix("data: {") { try handle(Data(line.dropFirst(6).utf8)) }
            }
        }
    }

    private func send(
        _ query: String, accepting mediaType: String, after last: String? = nil
    ) async throws -> HTTPTransportResponse {
        var headers = [
            HTTPHeaderField("Authorization", "Bearer \(token)"), HTTPHeaderField("Content-Type", "application/json"),
            HTTPHeaderField("Accept", mediaType),
        ]
        if let last { headers.append(HTTPHeaderField("Last-Event-ID", last)) }
        let body = try JSONEncoder().encode(["query": query])
        let response = try await transport.send(
            HTTPTransportRequest(
                method: "POST", url: server + "/graphql", headers: headers, body: .bytes([UInt8](body))))
        guard response.status == 200 else { throw Fault(message: "the server answered \(response.status)") }
        return response
    }

    /// The data of a result.
    ///
    /// - Throws: `Fault` with the first error of a result without data.
    private static func data<Answer: Decodable>(_ type: Answer.Type, in result: Data) throws -> Answer {
        let result = try JSONDecoder().decode(Result<Answer>.self, from: result)
        guard let data = result.data else { throw Fault(message: result.errors?.first?.message ?? "no data") }
        return data
    }
}
