import ArgumentParser
import Foundation
import MusterTerminal

/// The commands by which a leader changes a roll.
extension IncidentCommand {
    struct Visitor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "visitor", abstract: "Add a visitor, who has no phone, to the roll of an incident.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Argument(help: "The visitor's name.") var name: String
        @Option(help: "safe, offSite, needsHelp or unaccounted.", completion: .rollStates) var state: String?
        @Option(help: "A remark for the record.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = Order(name: name, state: state, note: note)
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/incidents/\(number)/roll", json: order)
            }
            try announceLine(body, json: json)
        }

        private struct Order: Encodable {
            var name: String
            var state: String?
            var note: String?
        }
    }

    struct Mark: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mark",
            abstract: "Set the state of a visitor on the roll, or of a person who was removed from the server.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Argument(help: "The person: the name, or the number on the roll.") var person: String
        @Argument(help: "safe, offSite, needsHelp or unaccounted.", completion: .rollStates) var state: String
        @Option(help: "A remark for the record.") var note: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let order = Order(state: state, note: note)
            let body = try await Connection.withServer(over: data.data) { connection in
                let person = try await rollNumber(of: person, on: number, connection)
                return try await connection.send("POST", "/incidents/\(number)/roll/\(person)/mark", json: order)
            }
            try announceLine(body, json: json)
        }

        private struct Order: Encodable {
            var state: String
            var note: String?
        }
    }

    struct TakeOff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take-off",
            abstract: "Take a person off the roll of an incident, which then does not wait for them.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Argument(help: "The person: the name, or the number on the roll.") var person: String
        @Option(help: "The reason.") var reason: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                let person = try await rollNumber(of: person, on: number, connection)
                return try await connection.send(
                    "POST", "/incidents/\(number)/roll/\(person)/removal", json: ["reason": reason])
            }
            try announceLine(body, json: json)
        }
    }

    /// Returns the number on the roll of a person given by name or number.
    ///
    /// - Throws: `CommandFailure` if nobody on the roll has this name, or more than one person.
    private static func rollNumber(
        of person: String, on incident: Int, _ connection: Connection
    ) async throws -> Int {
        let roll = try await connection.get("/incidents/\(incident)", as: RollCall.self).roll
        let named = roll.filter { $0.user == person && !$0.left }
        if named.count > 1 {
            let numbers = named.map { String($0.person) }.joined(separator: ", ")
            throw CommandFailure("more than one on this roll is called \(person): use one of the numbers \(numbers)")
        }
        guard let number = named.first?.person ?? Int(person) else {
            throw CommandFailure("nobody on this roll is called \(person)")
        }
        return number
    }

    /// Prints the line of the record in a response.
    private static func announceLine(_ body: Data, json: Bool) throws {
        if json { return announce(String(decoding: body, as: UTF8.self)) }
        struct Line: Decodable {
            var person: Int
            var user: String
            var event: String
        }
        let line = try JSONDecoder().decode(Line.self, from: body)
        let safety = try JSONDecoder().decode(PersonSafety.self, from: body)
        let state = line.event == "takenOff" ? "off the roll" : safety.sentence
        announce("\(state)\t\(line.user.onOneLine)\t\(line.person)")
    }

    /// A roll call, as the API returns it.
    struct RollCall: Decodable, Sendable {
        var counts: RollCounts
        var crews: [CrewCounts]
        var roll: [RollPerson]

        /// Who seems to have left which muster region: a person by name, several by number.
        var leavingLines: [String] {
            let left = roll.filter { $0.isLeaving && !$0.left }
            let lines = Dictionary(grouping: left) { $0.region ?? "the muster region" }.map { region, people in
                let who = people.count == 1 ? "\(people[0].user.onOneLine) seems" : "\(people.count) seem"
                return "\(who) to have left \(region.onOneLine)"
            }
            return lines.sorted()
        }
    }

    /// How many people on a roll are accounted for, as the API returns it.
    struct RollCounts: Decodable, Sendable {
        var people: Int
        var accounted: Int
        var checking: Int
        var unaccounted: Int

        var line: String { "\(accounted) of \(people) accounted for, \(checking) checking, \(unaccounted) unaccounted" }
    }

    /// How many people of a crew are accounted for, as the API returns it.
    struct CrewCounts: Decodable, Sendable {
        private struct Name: Decodable { var crew: String? }

        /// The crew and its counts on one line.
        var line: String

        init(from decoder: any Decoder) throws {
            let name = try Name(from: decoder).crew?.onOneLine ?? "without a crew"
            line = "\(name): \(try RollCounts(from: decoder).line)"
        }
    }

    /// A person on a roll, as the API returns it.
    struct RollPerson: Decodable, Sendable {
        /// Something that happened to a person: when, and by whom.
        struct Act: Decodable, Sendable {
            var at: String
            var by: String?
        }
        /// A declaration about a person that no longer counts.
        struct Unconfirmed: Decodable, Sendable {
            var kind: String
            var at: String
            var by: String
        }
        private struct Members: Decodable {
            var person: Int
            var user: String
            var displayName: String?
            var crew: String?
            var phone: String?
            var visitor: Bool
            var left: Bool
            var accounted: Bool
            var checking: Bool
            var removed: Act?
            var moved: Act?
            var unconfirmed: Unconfirmed?
            var callSeenAt: String?
        }

        var person: Int
        var user: String
        var left: Bool
        /// Whether the person's devices seem to have left a muster region.
        var isLeaving: Bool
        /// The name of the muster region that the person is inside or seems to have left.
        var region: String?
        /// Whether the person is accounted for, the name, and the person's safety, for printing.
        var line: String

        init(from decoder: any Decoder) throws {
            let members = try Members(from: decoder)
            (person, user, left) = (members.person, members.user, members.left)
            let safety = try PersonSafety(from: decoder)
            (isLeaving, region) = (safety.source == "seemsToHaveLeft", safety.region?.name)
            let found =
                left ? "off the roll" : members.accounted ? "accounted" : members.checking ? "checking" : "MISSING"
            let crew = members.visitor ? " (visitor)" : members.crew.map { " (\($0.onOneLine))" } ?? ""
            let name = members.displayName.map { ", \($0.onOneLine)" } ?? ""
            var line = "\(found)\t\(user.onOneLine)\(name)\(crew)\t\(safety.sentence)"
            for (act, word) in [(members.removed, "removed"), (members.moved, "moved")] {
                if let act { line += "\t\(word) at \(act.at) by \(act.by ?? "the server")" }
            }
            if let word = members.unconfirmed {
                let said = word.kind == "offSite" ? "off site" : word.kind
                line += "\tsaid \(said) at \(word.at) by \(word.by), not confirmed"
            }
            if let seenAt = members.callSeenAt, !left { line += "\thas seen the call \(seenAt)" }
            if let phone = members.phone, !left, !members.accounted { line += "\tphone \(phone)" }
            self.line = line
        }
    }
}
