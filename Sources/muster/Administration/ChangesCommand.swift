import ArgumentParser
import Foundation
import MusterReplication
import MusterTerminal
import MusterWire

/// `muster changes`: the log, as a script reads it.
struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the changes of the log, a JSON object a line: positions, crossings, safety, incidents, edits.",
        discussion: """
            Each line has its sequence. Whoever stopped goes on with --since and the last sequence that was printed: \
            nothing is missing and nothing comes twice.
            """)

    @OptionGroup var data: DataOption
    @Option(help: "Begin after the change with this sequence.") var since: Int64 = 0
    @Flag(help: "Go on with what happens from then on, until Ctrl-C.") var follow = false
    @Option(help: "End after so many changes.") var count: Int?

    func validate() throws {
        guard since >= 0 else { throw ValidationError("--since: not below 0") }
        if let count, count < 1 { throw ValidationError("--count: at least 1") }
    }

    func run() async throws {
        try await Connection.withServer(over: data.data) { connection in
            if follow { try await printFeed(of: connection) } else { try await printPages(of: connection) }
        }
    }

    private func printPages(of connection: Connection) async throws {
        var (since, left) = (since, count ?? .max)
        while left > 0 {
            let answer = try await connection.send("GET", "/changes?since=\(since)&limit=1000")
            let page = try JSONValue(parsing: [UInt8](answer), valueLimit: 1_000_000)
            for change in (page["items"]?.elements ?? []).prefix(left) {
                announce(String(decoding: change.bytes, as: UTF8.self))
                left -= 1
            }
            guard page["more"]?.boolean == true, let last = page["lastSequence"]?.integer, last > since else { return }
            since = last
        }
    }

    private func printFeed(of connection: Connection) async throws {
        let transport = AsyncHTTPTransport()
        let result: Result<Void, any Error>
        do {
            result = .success(try await printFeed(of: connection, over: transport))
        } catch let error as ReplicationError {
            result = .failure(CommandFailure("the server ended the feed: \(error)"))
        } catch {
            result = .failure(error)
        }
        await transport.close()
        try result.get()
    }

    private func printFeed(of connection: Connection, over transport: AsyncHTTPTransport) async throws {
        let address = URL(string: "/api/v1/live?since=\(since)", relativeTo: connection.base)?.absoluteString ?? ""
        let answer = try await transport.send(
            HTTPTransportRequest(
                method: "GET", url: address, headers: [HTTPHeaderField("Authorization", "Bearer \(connection.token)")]))
        guard answer.status == 200 else {
            let body = try await answer.nextPiece() ?? []
            throw CommandFailure(problem: Data(body), status: answer.status)
        }
        var (events, left) = (EventStreamReader(), count ?? .max)
        while let piece = try await answer.nextPiece() {
            for event in try events.take(piece) {
                announce(event)
                left -= 1
                if left == 0 { return }
            }
        }
        throw CommandFailure("the server ended the feed. --since and the last sequence go on with it")
    }
}

/// Reads the data of the events in a stream (`text/event-stream`, as the server sends it: a line of data an event).
private struct EventStreamReader {
    private var line: [UInt8] = []

    /// The data of the events that end in the next piece of the stream.
    ///
    /// - Throws: `CommandFailure` when the server no longer keeps what the feed was to begin with.
    mutating func take(_ piece: [UInt8]) throws -> [String] {
        var events: [String] = []
        for byte in piece {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line.removeAll(keepingCapacity: true)
            if text == "event: resync" {
                throw CommandFailure("what came after that change is no longer kept: begin without --since")
            }
            if text.hasPrefix("data: ") { events.append(String(text.dropFirst("data: ".count))) }
        }
        return events
    }
}
