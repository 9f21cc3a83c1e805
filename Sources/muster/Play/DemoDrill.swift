import Foundation
import MusterCore
import MusterTerminal

/// The demo's evacuation: a drill that is started and followed through the API, as a leader would.
///
/// Once everyone is accounted for, the leader declares "all clear". Some people stay at work; in the end a warden finds
/// them there and marks them as off site.
struct DemoDrill {
    let connection: Connection
    let team: String
    /// The names of the people who stay at work.
    let stubborn: Set<String>

    private var number: Int?
    private var lookedAt: Instant?

    /// The seconds between two readings of the roll.
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

    /// Starts the drill, which tells everyone to evacuate. A user of the console may have started an incident before.
    /// Then the demo follows no roll, and its people evacuate all the same.
    mutating func start() async throws {
        struct Order: Encodable {
            let kind = "drill"
            let note = "Fuel leaks at the harbour."
        }
        if let answer = try await order("/teams/\(team)/incidents", Order()) {
            number = try JSONDecoder().decode(IncidentCommand.Incident.self, from: answer).number
        }
        announce("  Evacuate! Everyone goes to the nearest assembly point.")
    }

    /// Reads the roll from time to time. Marks the people who stay at work once nobody else is missing, and closes the
    /// drill once everyone is accounted for.
    mutating func follow(at now: Instant) async throws {
        guard let number, now.seconds(since: lookedAt ?? .init(milliseconds: 0)) >= Self.lookSeconds else { return }
        lookedAt = now
        let roll = try await connection.get("/incidents/\(number)", as: Roll.self)
        guard roll.open else {
            self.number = nil
            announce("  All clear by the console. The report: GET /api/v1/incidents/\(number)/report")
            return
        }
        guard !roll.allAccounted else {
            self.number = nil
            _ = try await order("/incidents/\(number)/close", ["reason": "All clear: everyone is accounted for."])
            announce("  Everyone is accounted for: all clear. The report: GET /api/v1/incidents/\(number)/report")
            return
        }
        let missing = roll.roll.filter { !$0.accounted }.map(\.user)
        guard stubborn.isSuperset(of: missing) else { return }
        for user in missing {
            announce("  \(user) was found at work, and is marked as off site.")
            try await connection.send(
                "POST", "/users/\(user.segment)/declarations",
                json: ["kind": "offSite", "note": "found at work by a warden"])
        }
    }

    /// Sends an order as a leader. Another leader, at the console, may have sent one before.
    ///
    /// - Returns: the answer; nil where the order conflicts with the state of the incident (409).
    private func order(_ path: String, _ body: some Encodable) async throws -> Data? {
        let (answer, status) = try await connection.exchange("POST", path, json: body)
        if status == 409 { return nil }
        guard (200..<300).contains(status) else { throw CommandFailure(problem: answer, status: status, of: path) }
        return answer
    }
}
