import Foundation
import MusterCore
import MusterTerminal

/// The demo's evacuation: a drill that is started and followed through the API, as any leader would.
///
/// Once everyone is accounted for, the leader says "all clear". Who stays at work, whatever they are told, is found
/// there by a warden in the end, and marked.
struct DemoDrill {
    let connection: Connection
    let team: String
    /// Who stays at work.
    let stubborn: Set<String>

    private var number: Int?
    private var lookedAt: Instant?

    /// Seconds between two looks at the roll.
    private static let lookSeconds: Double = 3

    init(connection: Connection, team: String, stubborn: Set<String>) {
        self.connection = connection
        self.team = team
        self.stubborn = stubborn
    }

    private struct Roll: Decodable {
        struct Person: Decodable {
            var user: String
            var accounted: Bool
        }
        var open: Bool
        var allAccounted: Bool
        var roll: [Person]
    }

    /// Tells everyone to evacuate.
    mutating func start() async throws {
        struct Order: Encodable {
            let kind = "drill"
            let note = "Fuel leaks at the harbour."
        }
        let answer = try await connection.send("POST", "/teams/\(team)/incidents", json: Order())
        number = try JSONDecoder().decode(IncidentCommand.Incident.self, from: answer).number
        announce("  Evacuate! Everyone goes to the nearest assembly point.")
    }

    /// Looks at the roll now and then: marks those who stay at work once nobody else is missing, and says "all clear"
    /// once all are accounted for.
    mutating func follow(at now: Instant) async throws {
        guard let number, now.seconds(since: lookedAt ?? .init(milliseconds: 0)) >= Self.lookSeconds else { return }
        lookedAt = now
        let roll = try await connection.get("/incidents/\(number)", as: Roll.self)
        guard roll.open, !roll.allAccounted else {
            self.number = nil
            if roll.open {
                try await connection.send(
                    "POST", "/incidents/\(number)/close", json: ["reason": "All clear: everyone is accounted for."])
            }
            announce("  Everyone is accounted for: all clear. The report: GET /api/v1/incidents/\(number)/report")
            return
        }
        let missing = roll.roll.filter { !$0.accounted }.map(\.user)
        guard stubborn.isSuperset(of: missing) else { return }
        for user in missing {
            announce("  \(user) is found at work, and marked as off site.")
            try await connection.send(
                "POST", "/users/\(user.segment)/declarations",
                json: ["kind": "offSite", "note": "found at work by a warden"])
        }
    }
}
