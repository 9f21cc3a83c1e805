import ArgumentParser
import Foundation
import MusterTerminal

/// `muster warnings`: shows how it stands with the feeds of official warnings.
struct WarningsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Shows the feeds of official warnings.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the feeds that the running server follows, and how it stands with each.",
            discussion: "`muster serve --warnings TEAM=URL` sets them. Exits with status 1 if one is not heard.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print JSON.") var json = false

        private struct Answer: Decodable {
            var items: [Feed]
        }

        private struct Feed: Decodable {
            var team: String
            var host: String
            var heardAt: String?
            var fault: String?
            var warnings: Int
            var regions: Int
            var withoutArea: Int
            var refusedShapes: Int
            var leftOut: Int
            var unread: Int
            var reason: String?

            /// What is not shown, in words; empty where all is.
            var notShown: String {
                let counts = [
                    (withoutArea, "without an area"), (refusedShapes, "shapes refused"), (leftOut, "beyond the limits"),
                    (unread, "not read"),
                ]
                let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
                return words.isEmpty ? "" : words.joined(separator: ", ") + (reason.map { ": \($0)" } ?? "")
            }
        }

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/warnings")
            }
            let feeds = try JSONDecoder().decode(Answer.self, from: answer).items
            if json {
                announce(String(decoding: answer, as: UTF8.self))
            } else {
                if feeds.isEmpty { announce("The server follows no feed of warnings.") }
                for feed in feeds {
                    let state = feed.fault.map { "not heard: \($0)" } ?? (feed.heardAt == nil ? "not asked yet" : "ok")
                    let counts = "\(feed.warnings) warnings in \(feed.regions) regions"
                    announce(
                        [feed.team, feed.host, state, "last heard \(feed.heardAt ?? "never")", counts, feed.notShown]
                            .filter { !$0.isEmpty }.joined(separator: "\t"))
                }
            }
            guard feeds.allSatisfy({ $0.fault == nil }) else { throw ExitCode.failure }
        }
    }
}
