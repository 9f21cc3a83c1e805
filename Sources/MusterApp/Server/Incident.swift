import Foundation
import MusterWire

/// An incident of a team, as the server last said it.
struct Incident: Codable, Hashable, Sendable, Identifiable {
    var number: Int64
    var team: String
    var isDrill: Bool
    var note: String?
    var startedAt: Date?
    var startedBy: String?
    var leader: String?
    var isOpen: Bool
    var allAccountedAt: Date?
    var reopenedAt: Date?
    var closedAt: Date?
    var closedBy: String?
    var closedHow: String?
    var reason: String?
    /// Counts of the moment of closing, of a roll that was read.
    var counts: Counts?
    var par: Round?
    /// Every how many seconds the server requests a PAR by itself; nil for by hand alone.
    var parEverySeconds: Double?

    var id: Int64 { number }

    /// When the incident last called its people.
    var calledAt: Date? { reopenedAt ?? startedAt }

    /// The call of the incident. A reopened incident has a new one.
    var callKey: String { Self.callKey(of: number, calledAt: calledAt) }

    /// The key of an incident's call.
    static func callKey(of number: Int64, calledAt: Date?) -> String {
        "\(number)/\(calledAt?.timeIntervalSince1970 ?? 0)"
    }

    /// The number of the incident that a call belongs to; nil for what is no key of a call.
    static func number(ofCall key: String) -> Int64? { key.split(separator: "/").first.flatMap { Int64($0) } }

    /// How many of a roll count as what.
    struct Counts: Codable, Hashable, Sendable {
        var people = 0
        var accounted = 0
        var checking = 0
        var unaccounted = 0
    }

    /// A round of PAR.
    struct Round: Codable, Hashable, Sendable {
        var number: Int64
        var requestedAt: Date?
        var requestedBy: String?
        var dueAt: Date?
        var isComplete: Bool
        var crews: [Crew]

        struct Crew: Codable, Hashable, Sendable {
            /// Nil for those in no crew, and for the visitors.
            var name: String?
            /// Whether the row is of the visitors; nil in a copy of an earlier version.
            var visitors: Bool?
            var people: Int
            var present: Int?
            var reportedAt: Date?
            var reportedBy: String?
            /// When visitors are overdue who all came after the request; nil where the round's own time holds.
            var dueAt: Date?
        }
    }
}

extension Incident {
    /// An incident in an answer or a change; nil for a value without a number.
    init?(_ value: JSONValue) {
        guard let number = value["number"]?.integer, let team = value["team"]?.string else { return nil }
        self.init(
            // An incident of a kind that this version does not know calls like a real one.
            number: number, team: team, isDrill: value["kind"]?.string == "drill", note: value["note"]?.string,
            startedAt: value["startedAt"]?.date, startedBy: value["startedBy"]?.string,
            leader: value["leader"]?.string, isOpen: value["open"]?.boolean ?? true,
            allAccountedAt: value["allAccounted"]?.boolean == true ? value["allAccountedAt"]?.date : nil,
            reopenedAt: value["reopenedAt"]?.date, closedAt: value["closedAt"]?.date,
            closedBy: value["closedBy"]?.string, closedHow: value["closedHow"]?.string,
            reason: value["reason"]?.string, counts: value["counts"].map { Counts($0) },
            par: value["par"].flatMap { Round($0) }, parEverySeconds: value["parTimer"]?["everySeconds"]?.number)
    }
}

extension Incident.Counts {
    init(_ value: JSONValue) {
        func number(_ key: String) -> Int { Int(value[key]?.integer ?? 0) }
        self.init(
            people: number("people"), accounted: number("accounted"), checking: number("checking"),
            unaccounted: number("unaccounted"))
    }
}

extension Incident.Round {
    init?(_ value: JSONValue) {
        guard let number = value["number"]?.integer else { return nil }
        let crews = (value["crews"]?.elements ?? []).map { crew in
            Crew(
                name: crew["crew"]?.string, visitors: crew["visitors"]?.boolean,
                people: Int(crew["people"]?.integer ?? 0),
                present: crew["present"]?.integer.map { Int($0) },
                reportedAt: crew["reportedTime"]?.date ?? crew["at"]?.date, reportedBy: crew["reportedBy"]?.string,
                dueAt: crew["dueTime"]?.date)
        }
        self.init(
            number: number, requestedAt: value["requestedTime"]?.date ?? value["requestedAt"]?.date,
            requestedBy: value["requestedBy"]?.string, dueAt: value["dueTime"]?.date,
            isComplete: value["isComplete"]?.boolean ?? false, crews: crews)
    }
}
