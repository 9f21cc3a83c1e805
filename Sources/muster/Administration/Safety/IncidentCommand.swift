import ArgumentParser
import Foundation
import MusterTerminal

/// `muster incident`: runs an incident from "evacuate" to "all clear".
struct IncidentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incident",
        abstract: "Start an incident or a drill, call the roll, close it, and read the report.",
        subcommands: [
            Start.self, List.self, Show.self, Close.self, Reopen.self, Visitor.self, Mark.self, TakeOff.self,
            PAR.self, PARReport.self, PARTimer.self, HandOver.self, Report.self, Contacts.self,
        ])

    struct Incident: Codable, Sendable {
        var number: Int
        var team: String
        var kind: String
        var startedAt: String
        var startedBy: String
        var leader: String?
        var open: Bool
        var allAccounted: Bool
        var allAccountedAt: String?
        var closedAt: String?
        var closedHow: String?
        var closedBy: String?
        var takenOverBy: Int?

        /// The incident on one line. The line of a drill begins with `DRILL`.
        var line: String {
            let head = "\(kind == "drill" ? "DRILL " : "")\(number)\t\(team)\tstarted \(startedAt) by \(startedBy)"
            let all = allAccounted ? ", all accounted for since \(allAccountedAt ?? "")" : ""
            guard !open else { return head + "\topen" + all }
            return head + "\tclosed \(closedAt ?? "") (\(closing))" + (allAccounted ? "" : ", not all accounted for")
        }

        private var closing: String {
            switch closedHow {
            case "byHand": "by \(closedBy ?? "hand")"
            case "takenOver": "taken over by incident \(takenOverBy ?? 0)"
            case "teamGone": "the team was removed"
            default: "by itself, all accounted for"
            }
        }
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "start", abstract: "Evacuate a team.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String
        @Flag(help: "Start a drill. Every message says that it is one.") var drill = false
        @Option(help: "The reason.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = Order(kind: drill ? "drill" : "real", note: note)
            try await printIncident(over: data.data, json: json) { connection in
                try await connection.send("POST", "/teams/\(team.segment)/incidents", json: order)
            }
        }

        private struct Order: Encodable {
            var kind: String
            var note: String?
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the incidents of a team, newest first; without a team, the open ones.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String?
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let path = team.map { "/teams/\($0.segment)/incidents" } ?? "/incidents"
            let incidents = try await Connection.withServer(over: data.data) { connection in
                if team != nil { return try await connection.list(path, of: Incident.self) }
                struct Page: Decodable, Sendable { var items: [Incident] }
                return try await connection.get(path, as: Page.self).items
            }
            if json { return announce(try encoded(incidents)) }
            for incident in incidents { announce(incident.line) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Call the roll of an incident: each person's state, since when, and how it is known.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/incidents/\(number)")
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            let incident = try JSONDecoder().decode(Incident.self, from: body)
            announce(incident.line)
            if incident.open { announce("led by \(incident.leader?.onOneLine ?? "nobody")") }
            try announcePAR(in: body)
            let roll = try JSONDecoder().decode(RollCall.self, from: body)
            announce(roll.counts.line)
            for crew in roll.crews { announce(crew.line) }
            for line in roll.leavingLines { announce(line) }
            for person in roll.roll { announce(person.line) }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "close", abstract: "Close an incident: all clear.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "The reason.") var reason: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/incidents/\(number)/close", json: ["reason": reason])
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            struct Closed: Decodable { var counts: RollCounts }
            announce(try JSONDecoder().decode(Incident.self, from: body).line)
            announce(try JSONDecoder().decode(Closed.self, from: body).counts.line)
        }
    }

    struct Reopen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reopen", abstract: "Reopen a closed incident with its roll.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "The reason.") var reason: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await printIncident(over: data.data, json: json) { connection in
                try await connection.send("POST", "/incidents/\(number)/reopen", json: ["reason": reason])
            }
        }
    }

    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report", abstract: "Print the report on an incident.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "json, csv or html.", completion: .reportFormats) var format = "json"

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/incidents/\(number)/report?format=\(format.segment)")
            }
            announce(String(decoding: body, as: UTF8.self))
        }
    }

    /// Sends a request whose response is an incident, and prints it.
    private static func printIncident(
        over data: String, json: Bool, _ send: (Connection) async throws -> Data
    ) async throws {
        let body = try await Connection.withServer(over: data, send)
        if json { return announce(String(decoding: body, as: UTF8.self)) }
        announce(try JSONDecoder().decode(Incident.self, from: body).line)
    }
}
