import Foundation
import MusterCore
import MusterTerminal
import MusterWire

/// The demo's lone worker, whose check-in timer runs out: reminder, leader, SOS. Someone acknowledges it, and goes
/// there.
///
/// The worker checked in a while before the demo began, so that the timer runs out during the demo.
struct LoneWorker {
    let connection: Connection

    /// The user's name.
    static let name = "lighthouse-keeper"
    /// The user's telephone number, of those that Ofcom keeps free for drama: +44 1632 960000 to 960999.
    static let phone = "+44 1632 960001"
    /// Seconds from the last check-in to the start of the demo; the timer requires one each minute.
    private static let silentSeconds: Double = 50
    /// Seconds from the SOS to its acknowledgement, and from there until the worker is found.
    private static let answerSeconds: Double = 8, findSeconds: Double = 12
    /// The seconds between two readings of the timer.
    private static let lookSeconds: Double = 1.5

    private var told = "started"
    private var toldAt = Instant(milliseconds: 0)
    private var lookedAt = Instant(milliseconds: 0)
    private var isOver = false

    init(connection: Connection) { self.connection = connection }

    private struct Timer: Codable {
        var happened: String
    }

    func startTimer(at now: Instant) async throws {
        struct Order: Encodable {
            let intervalSeconds = 60, leaderAfterSeconds = 8, sosAfterSeconds = 8
            let note = "Cleaning the lamp of the lighthouse, alone."
            var sampleTime: String
        }
        let lastWord = now.advanced(bySeconds: -Self.silentSeconds)
        try await connection.send(
            "PUT", "/users/\(Self.name)/check-in-timer", json: Order(sampleTime: lastWord.rfc3339))
    }

    /// Prints each change of the timer, and acknowledges the SOS in the end.
    mutating func follow(at now: Instant) async throws {
        guard !isOver, now.seconds(since: lookedAt) >= Self.lookSeconds else { return }
        lookedAt = now
        let timer = try await connection.get("/users/\(Self.name)/check-in-timer", as: Timer.self)
        if timer.happened != told, told != "acknowledged" {
            (told, toldAt) = (timer.happened, now)
            if let words = Self.words[told] { announce("  \(Self.name) \(words)") }
        }
        if told == "sos", now.seconds(since: toldAt) >= Self.answerSeconds {
            (told, toldAt) = ("acknowledged", now)
            try await declare("acknowledge", note: "on my way")
            announce("  Someone has heard it, and climbs the lighthouse.")
        } else if told == "acknowledged", now.seconds(since: toldAt) >= Self.findSeconds {
            isOver = true
            try await declare("clear", note: "found with a twisted ankle; the phone lay downstairs")
            try await connection.send("DELETE", "/users/\(Self.name)/check-in-timer")
            announce("  \(Self.name) was found with a twisted ankle, and the SOS is cleared.")
        }
    }

    private static let words = [
        "reminded": "has not checked in, and is reminded.",
        "overdue": "does not answer: the leaders are notified.",
        "sos": "does not answer: the timer has run out, and an SOS is raised.",
    ]

    private func declare(_ kind: String, note: String) async throws {
        try await connection.send(
            "POST", "/users/\(Self.name)/declarations", json: ["kind": kind, "note": note])
    }
}
