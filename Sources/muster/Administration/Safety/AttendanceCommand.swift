import ArgumentParser
import Foundation
import MusterTerminal

/// `muster attendance`: rules about the people who should be in a region.
struct AttendanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attendance",
        abstract: "Set which people of a team must be in a region; Muster reports when they are not known to be there.",
        subcommands: [Minimum.self, Expect.self, Show.self, List.self, Remove.self])

    /// The options that every kind of rule has.
    struct RuleOptions: ParsableArguments {
        @Argument(help: "The team.") var team: String
        @Argument(help: "The name of the rule, unique in the team.") var name: String
        @Option(help: "The collection of the region.") var collection: String
        @Option(help: "The region's id.") var region: String
        @Option(help: "Count only people with this role, Muster's or your own.") var role: String?
        @Flag(help: "Open an incident of the team with the report.") var opensIncident = false
        @Option(help: "The purpose of the rule.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        var path: String { "/teams/\(team.segment)/attendance-rules/\(name.segment)" }
    }

    struct Minimum: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "minimum",
            abstract: "Require a minimum number of people in a region. Replaces the rule of this name.")
        @OptionGroup var data: DataOption
        @OptionGroup var rule: RuleOptions
        @Argument(help: "The number of people who must be known to be there.") var count: Int
        @Option(help: "Seconds for which too few people may be there, 0 to 86400.") var afterSeconds: Double = 0

        func run() async throws {
            let order = Order(
                collection: rule.collection, region: rule.region, role: rule.role, minimum: count,
                afterSeconds: afterSeconds, opensIncident: rule.opensIncident, note: rule.note)
            try await printRule(over: data.data, json: rule.json) { connection in
                try await connection.send("PUT", rule.path, json: order)
            }
        }

        private struct Order: Encodable {
            var collection: String
            var region: String
            var role: String?
            var minimum: Int
            var afterSeconds: Double
            var opensIncident: Bool
            var note: String?
        }
    }

    struct Expect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expect",
            abstract: "Expect people in a region at certain times of the week. Replaces the rule of this name.")
        @OptionGroup var data: DataOption
        @OptionGroup var rule: RuleOptions
        @Option(help: "Expect only this person.") var person: String?
        @Option(help: "The days, such as monday,tuesday.") var days: String
        @Option(help: "The start of the time window, such as 07:00.") var from: String
        @Option(help: "The end of the time window, such as 15:30; on the next day if it is not after the start.")
        var to: String
        @Option(help: "The time zone, such as Europe/Vienna.") var zone: String
        @Option(help: "Seconds by which people may be late, 0 to 14400.") var graceSeconds: Double = 900

        func run() async throws {
            let days = days.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            let order = Order(
                collection: rule.collection, region: rule.region, role: rule.role, person: person,
                schedule: .init(zone: zone, windows: [.init(days: days, from: from, to: to)]),
                graceSeconds: graceSeconds, opensIncident: rule.opensIncident, note: rule.note)
            try await printRule(over: data.data, json: rule.json) { connection in
                try await connection.send("PUT", rule.path, json: order)
            }
        }

        private struct Order: Encodable {
            var collection: String
            var region: String
            var role: String?
            var person: String?
            var schedule: Rule.Schedule
            var graceSeconds: Double
            var opensIncident: Bool
            var note: String?
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a rule, and where the people that it counts are.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String
        @Argument(help: "The rule.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await printRule(over: data.data, json: json) { connection in
                try await connection.send("GET", "/teams/\(team.segment)/attendance-rules/\(name.segment)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List a team's rules.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String

        func run() async throws {
            struct Rules: Decodable, Sendable { var items: [Rule] }
            let rules = try await Connection.withServer(over: data.data) { connection in
                try await connection.get("/teams/\(team.segment)/attendance-rules", as: Rules.self)
            }
            for rule in rules.items { announce(rule.line) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a rule.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String
        @Argument(help: "The rule.") var name: String

        func run() async throws {
            _ = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("DELETE", "/teams/\(team.segment)/attendance-rules/\(name.segment)")
            }
            announce("Removed rule \(name) of \(team).")
        }
    }
}

/// Sends a request whose response is a rule, and prints it.
private func printRule(over data: String, json: Bool, _ send: (Connection) async throws -> Data) async throws {
    let body = try await Connection.withServer(over: data, send)
    if json { return announce(String(decoding: body, as: UTF8.self)) }
    let rule = try JSONDecoder().decode(Rule.self, from: body)
    announce(rule.line)
    for (word, people) in [
        ("there", rule.presentPeople), ("elsewhere", rule.absentPeople), ("not known", rule.unknownPeople),
    ] where !people.isEmpty {
        announce("\(word)\t\(people.joined(separator: " "))")
    }
}

/// An attendance rule, as the API returns it.
private struct Rule: Decodable, Sendable {
    struct Region: Decodable, Sendable {
        var collection: String
        var id: String
    }
    struct Schedule: Codable, Sendable {
        struct Window: Codable, Sendable {
            var days: [String]
            var from: String
            var to: String
        }
        var zone: String
        var windows: [Window]
    }
    var name: String
    var region: Region
    var role: String?
    var person: String?
    var minimum: Int?
    var schedule: Schedule?
    var awaited: [String]?
    var lackingSince: String?
    var told: Bool?
    var present: Int
    var absent: Int
    var unknown: Int
    var presentPeople: [String]
    var absentPeople: [String]
    var unknownPeople: [String]

    /// The rule on one line: what it demands, and whether that is met.
    var line: String {
        let place = "\(region.collection)/\(region.id)"
        let whom = person ?? role ?? "everyone"
        let demand: String
        var state = lackingSince.map { "too few since \($0)\(told == true ? ", told" : "")" } ?? "enough"
        if let schedule {
            let times = schedule.windows.map { "\($0.days.joined(separator: ",")) \($0.from)-\($0.to)" }
            demand = "\(whom) in \(place), \(times.joined(separator: "; ")) \(schedule.zone)"
            state = (awaited ?? []).isEmpty ? "nobody awaited" : "awaited: \((awaited ?? []).joined(separator: " "))"
        } else {
            demand = "at least \(minimum ?? 0) of \(whom) in \(place)"
        }
        return [name, demand, state, "\(present) there, \(absent) elsewhere, \(unknown) not known"]
            .joined(separator: "\t")
    }
}
