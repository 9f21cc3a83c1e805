import ArgumentParser
import Foundation
import MusterKit
import MusterReplication
import MusterTerminal
import MusterWire

/// `muster changes`: the log, as a script reads it.
struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the changes of the log, a JSON object a line: positions, crossings, safety, incidents, edits.",
        discussion: """
            Each line has its sequence. To continue later, pass the last printed sequence to --since: no change is \
            missing and none is repeated.
            """)

    @OptionGroup var data: DataOption
    @Option(help: "Begin after the change with this sequence.") var since: Int64 = 0
    @Flag(help: "Then print new changes as they happen, until Ctrl-C.") var follow = false
    @Option(help: "Exit after this many changes.") var count: Int?

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
        // Connections that are not closed end the process with a trap.
        let connections = HTTPConnections()
        let result: Result<Void, any Error>
        do {
            result = .success(try await printFeed(of: connection, over: connections))
        } catch is Finished {
            result = .success(())
        } catch ReplicationError.unreachable(let reason) {
            result = .failure(CommandFailure("\(reason). To continue, pass the last sequence to --since"))
        } catch let error as ReplicationError {
            result = .failure(CommandFailure(error.words))
        } catch {
            result = .failure(error)
        }
        await connections.close()
        try result.get()
    }

    /// Thrown once the requested number of changes was printed.
    private struct Finished: Error {}

    private func printFeed(of connection: Connection, over connections: HTTPConnections) async throws {
        let root = connection.base.absoluteString
        let feed = LiveFeed(
            server: root.hasSuffix("/") ? root : root + "/", credentials: .bearer(connection.token),
            connections: connections)
        var left = count ?? .max
        try await feed.followEvents(since: since) { event in
            guard event.name != "resync" else {
                throw CommandFailure("the changes after that sequence are no longer kept: start without --since")
            }
            announce(event.data)
            left -= 1
            if left == 0 { throw Finished() }
        }
    }
}
