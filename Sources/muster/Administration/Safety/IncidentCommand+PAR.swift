import ArgumentParser
import Foundation
import MusterTerminal

/// The commands of PAR, the personnel accountability report, and of the handover of an incident.
extension IncidentCommand {
    struct PAR: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "par", abstract: "Request a PAR now: every crew says how many of its people are present.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "A remark for the record.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = note.map { ["note": $0] } ?? [:]
            try await printPAR(over: data.data, json: json) { connection in
                try await connection.send("POST", "/incidents/\(number)/par", json: order)
            }
        }
    }

    struct PARReport: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "par-report", abstract: "Report how many people of a crew, or how many visitors, are present.",
            usage: "muster incident par-report <number> <crew> <present>\n"
                + "muster incident par-report <number> --no-crew <present>\n"
                + "muster incident par-report <number> --visitors <present>")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Argument(help: "The crew, and how many of its people are present.") var report: [String]
        @Flag(help: "Report the people in no crew.") var noCrew = false
        @Flag(help: "Report the visitors.") var visitors = false
        @Option(help: "The PAR that the report is for, if it must not count for a newer one.") var par: Int?
        @Option(help: "A remark for the record.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            guard !(noCrew && visitors) else {
                throw CommandFailure("--no-crew and --visitors are two reports: send one after the other")
            }
            let isNamed = !noCrew && !visitors
            guard report.count == (isNamed ? 2 : 1), let present = Int(report[report.count - 1]) else {
                throw CommandFailure("name the crew, and how many of its people are present, such as \"Engine 3\" 4")
            }
            let order = Order(
                crew: isNamed ? report[0] : nil, visitors: visitors ? true : nil, present: present, number: par,
                note: note)
            try await printPAR(over: data.data, json: json) { connection in
                try await connection.send("POST", "/incidents/\(number)/par/reports", json: order)
            }
        }

        private struct Order: Encodable {
            var crew: String?
            var visitors: Bool?
            var present: Int
            var number: Int?
            var note: String?
        }
    }

    struct PARTimer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "par-timer",
            abstract: "Let the server request PAR every so many seconds; without --every, stop that.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "The seconds from one PAR to the next, 60 to 86400.") var every: Double?
        @Option(help: "The seconds after which a crew without a report is overdue.") var grace: Double?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = Order(everySeconds: every, graceSeconds: grace)
            try await printPAR(over: data.data, json: json) { connection in
                try await connection.send("PUT", "/incidents/\(number)/par", json: order)
            }
        }

        private struct Order: Encodable {
            var everySeconds: Double?
            var graceSeconds: Double?

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                // Null stops the timer; absent would be a fault.
                try container.encode(everySeconds, forKey: .everySeconds)
                try container.encodeIfPresent(graceSeconds, forKey: .graceSeconds)
            }

            private enum Key: CodingKey { case everySeconds, graceSeconds }
        }
    }

    struct HandOver: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "hand-over", abstract: "Hand the lead of an incident over to another leader, or to an admin.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Option(help: "The user who leads it from now on.") var to: String
        @Option(help: "A remark for the record.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            var order = ["to": to]
            order["note"] = note
            let body = try await Connection.withServer(over: data.data) { [order] connection in
                try await connection.send("POST", "/incidents/\(number)/handover", json: order)
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            let incident = try JSONDecoder().decode(Incident.self, from: body)
            announce("incident \(incident.number) is led by \(incident.leader?.onOneLine ?? "nobody")")
        }
    }

    /// Sends a request whose response is an incident with its PAR, and prints the PAR.
    private static func printPAR(
        over data: String, json: Bool, _ send: (Connection) async throws -> Data
    ) async throws {
        let body = try await Connection.withServer(over: data, send)
        if json { return announce(String(decoding: body, as: UTF8.self)) }
        try announcePAR(in: body)
    }

    /// Prints the PAR of an incident: when the next is due, and the newest with its crews.
    static func announcePAR(in body: Data) throws {
        let incident = try JSONDecoder().decode(Course.self, from: body)
        if let timer = incident.parTimer {
            announce("PAR every \(Int(timer.everySeconds)) s, the next at \(timer.nextTime ?? "once")")
        }
        guard let par = incident.par else { return }
        announce(par.line)
        for crew in par.crews { announce(crew.line) }
    }

    /// An incident's PAR, as the API returns it.
    private struct Course: Decodable {
        struct Timer: Decodable {
            var everySeconds: Double
            var nextTime: String?
        }
        struct Round: Decodable {
            var number: Int
            var requestedTime: String
            var requestedBy: String?
            var dueTime: String
            var isComplete: Bool
            var crews: [Crew]

            /// The round on one line.
            var line: String {
                let head = "PAR \(number)\trequested \(requestedTime) by \(requestedBy?.onOneLine ?? "the timer")"
                return head + "\t" + (isComplete ? "complete" : "due \(dueTime)")
            }
        }
        struct Crew: Decodable {
            var crew: String?
            var visitors: Bool?
            var people: Int
            var present: Int?
            var reportedTime: String?
            var reportedBy: String?
            var note: String?
            var isOverdue: Bool
            var isShort: Bool

            /// The crew and its report on one line.
            var line: String {
                let name = visitors == true ? "visitors" : crew?.onOneLine ?? "without a crew"
                guard let present else { return "\(isOverdue ? "OVERDUE" : "pending")\t\(name)\t\(people) asked for" }
                let by = "reported \(reportedTime ?? "") by \(reportedBy?.onOneLine ?? "")"
                let remark = note.map { "\t\($0.onOneLine)" } ?? ""
                return "\(isShort ? "SHORT" : "present")\t\(name)\t\(present) of \(people)\t\(by)\(remark)"
            }
        }

        var par: Round?
        var parTimer: Timer?
    }
}
