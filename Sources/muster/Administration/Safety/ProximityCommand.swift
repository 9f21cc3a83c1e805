import ArgumentParser
import Foundation
import MusterTerminal

/// `muster proximity`: rules about who comes near a person or device that moves, and who must stay near it.
struct ProximityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proximity",
        abstract: "Report who of a team comes near a moving person or device, or is too far from it.",
        subcommands: [Fence.self, Together.self, Show.self, List.self, Remove.self])

    /// The options that every kind of rule has.
    struct RuleOptions: ParsableArguments {
        @Argument(help: "The team.") var team: String
        @Argument(help: "The name of the rule, unique in the team.") var name: String
        @Argument(help: "The radius in metres, 1 to 100000.") var metres: Double
        @Option(help: "The person at the centre.") var aroundPerson: String?
        @Option(help: "The device at the centre: user/device.") var aroundDevice: String?
        @Option(help: "Count only people with this role, Muster's or your own.") var role: String?
        @Option(help: "Count only this person.") var person: String?
        @Option(help: "The purpose of the rule.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func set(_ demand: String, afterSeconds: Double? = nil, over data: String) async throws {
            let order = Order(
                centrePerson: aroundPerson, centreDevice: aroundDevice, role: role, person: person,
                radiusMetres: metres, demand: demand, afterSeconds: afterSeconds, note: note)
            try await printRule(over: data, json: json) { connection in
                try await connection.send(
                    "PUT", "/teams/\(team.segment)/proximity-rules/\(name.segment)", json: order)
            }
        }

        private struct Order: Encodable {
            var centrePerson: String?
            var centreDevice: String?
            var role: String?
            var person: String?
            var radiusMetres: Double
            var demand: String
            var afterSeconds: Double?
            var note: String?
        }
    }

    struct Fence: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fence",
            abstract: "Report who comes within a radius, and who leaves it. Replaces the rule of this name.")
        @OptionGroup var data: DataOption
        @OptionGroup var rule: RuleOptions

        func run() async throws { try await rule.set("fence", over: data.data) }
    }

    struct Together: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "together",
            abstract: "Report who is outside a radius for too long. Replaces the rule of this name.")
        @OptionGroup var data: DataOption
        @OptionGroup var rule: RuleOptions
        @Option(help: "Seconds for which a person may be outside, 0 to 86400.") var afterSeconds: Double = 60

        func run() async throws { try await rule.set("together", afterSeconds: afterSeconds, over: data.data) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a rule, and the distance of each person that it counts.")
        @OptionGroup var data: DataOption
        @Argument(help: "The team.") var team: String
        @Argument(help: "The rule.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await printRule(over: data.data, json: json) { connection in
                try await connection.send("GET", "/teams/\(team.segment)/proximity-rules/\(name.segment)")
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
                try await connection.get("/teams/\(team.segment)/proximity-rules", as: Rules.self)
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
                try await connection.send("DELETE", "/teams/\(team.segment)/proximity-rules/\(name.segment)")
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
    for person in rule.people { announce(person.line(of: rule)) }
}

/// A distance in words: to the metre by positions, to the decimetre by a measured range, whose source is named.
func distanceWords(_ metres: Double, _ deviation: Double?, _ source: String?) -> String {
    let digits = { (value: Double) in
        source == nil ? "\(Int(value.rounded()))" : String(format: "%.1f", value)
    }
    return "\(digits(metres)) m" + (deviation.map { " ± \(digits($0)) m" } ?? "") + (source.map { " by \($0)" } ?? "")
}

/// A proximity rule, as the API returns it.
private struct Rule: Decodable, Sendable {
    struct Person: Decodable, Sendable {
        var user: String
        var standing: String
        var metres: Double?
        var deviationMetres: Double?
        var source: String?
        var since: String?
        var told: Bool?
        var simulated: Bool?

        /// Returns the person's state on one line: the distance, its uncertainty, and what the rule reports.
        func line(of rule: Rule) -> String {
            let distance = metres.map { distanceWords($0, deviationMetres, source) }
            let state = since.map { since in
                let words = rule.demand == "fence" ? "near since" : "apart since"
                return "\(words) \(since)\(told == true ? ", told" : "")\(simulated == true ? ", simulated" : "")"
            }
            return [user, standing == "unknown" ? "not known" : standing, distance, state]
                .compactMap(\.self).joined(separator: "\t")
        }
    }
    var name: String
    var centrePerson: String?
    var centreDevice: String?
    var role: String?
    var person: String?
    var radiusMetres: Double
    var demand: String
    var afterSeconds: Double?
    var within: Int
    var beyond: Int
    var unknown: Int
    var people: [Person]

    /// The rule on one line: what it demands, and how many people are within, beyond and unknown.
    var line: String {
        let whom = person ?? role ?? "everyone"
        let radius = "\(Int(radiusMetres.rounded())) m"
        let centre = centrePerson ?? centreDevice ?? ""
        let words =
            demand == "fence"
            ? "\(whom) within \(radius) of \(centre)"
            : "\(whom) no more than \(radius) from \(centre) for \(Int((afterSeconds ?? 0).rounded())) s"
        return [name, words, "\(within) within, \(beyond) beyond, \(unknown) not known"].joined(separator: "\t")
    }
}
