import Foundation
import MusterKit
import MusterWire

/// Something that a person said or asked for, which the server must get once. It has an id of the phone, so that it may
/// be sent again where an answer was lost.
struct Order: Codable, Hashable, Sendable, Identifiable {
    /// The sender's id: 1 to 64 letters, digits, `-`.
    var id: String
    var kind: Kind
    /// When it was said, by the server's clock as the phone knows it; nil to count as of its arrival.
    var saidAt: Date?
    /// True while `saidAt` is by the phone's own clock: the server had not said its time yet.
    var isTimedByPhone: Bool?
    /// The phone's time before which it is not sent and may be cancelled; nil to send it at once.
    var dueAt: Date?
    /// The length of the countdown that ends at `dueAt`, seconds; nil without one.
    var countdownSeconds: Double?

    enum Kind: Codable, Hashable, Sendable {
        case declare(Declaration, of: String, note: String?, at: Coordinates?)
        case checkIn(of: String)
        case callSeen(incident: Int64)
        case startTimer(of: String, seconds: Double, note: String?)
        case endTimer(of: String)
        case pause(until: Date, note: String?)
        case endPause
        case startIncident(team: String, isDrill: Bool, note: String?)
        case close(incident: Int64, reason: String)
        case reopen(incident: Int64, reason: String)
        case addVisitor(incident: Int64, name: String, state: String, note: String?)
        case mark(incident: Int64, person: Int64, state: String, note: String?)
        case takeOff(incident: Int64, person: Int64, reason: String)
        case requestPAR(incident: Int64, note: String?)
        case setPARTimer(incident: Int64, everySeconds: Double?)
        /// `visitors` is nil in an order that an earlier version stored, and for a crew.
        case reportPAR(
            incident: Int64, crew: String?, visitors: Bool?, present: Int, round: Int64?, note: String?)
        case handOver(incident: Int64, to: String, note: String?)
    }

    /// What somebody says about a person.
    enum Declaration: String, Codable, Sendable {
        case safe, needsHelp, sos, offSite, clear, acknowledge
    }

    struct Coordinates: Codable, Hashable, Sendable {
        var latitude: Double
        var longitude: Double
    }

    init(_ kind: Kind, saidAt: Date?, dueAt: Date? = nil, countdownSeconds: Double? = nil) {
        id = UUID().uuidString.lowercased()
        self.kind = kind
        self.saidAt = saidAt
        self.dueAt = dueAt
        self.countdownSeconds = countdownSeconds
    }

    /// Whether nothing may stand before it.
    var isSOS: Bool { if case .declare(.sos, _, _, _) = kind { true } else { false } }

    /// Whether it is a call for help, or its end.
    var turnsCall: Bool {
        guard case .declare(let declaration, _, _, _) = kind else { return false }
        return [.sos, .needsHelp, .safe, .clear].contains(declaration)
    }

    /// Whether it may count as of its arrival if the server does not believe the phone's clock. Only a call for help
    /// may: an old "I am safe" or check-in would say of now that somebody is well of whom nobody knows.
    var mayCountAsOfArrival: Bool {
        guard case .declare(let declaration, _, _, _) = kind, saidAt != nil else { return false }
        return declaration == .sos || declaration == .needsHelp
    }

    /// What may not overtake each other, because the server counts it as of its arrival.
    enum Lane: Hashable, Sendable {
        case timer, pause, incident
    }

    /// The lane of the order; nil for one that carries the time when it was said, by which the server orders it.
    var lane: Lane? {
        switch kind {
        case .declare, .callSeen: nil
        case .checkIn, .startTimer, .endTimer: .timer
        case .pause, .endPause: .pause
        default: .incident
        }
    }

    /// Whether the answer says that the order was done before: what it ends is over.
    func isDone(byStatus status: Int) -> Bool {
        switch kind {
        case .endTimer, .endPause: status == 404
        default: false
        }
    }
}

// MARK: The request

extension Order {
    /// A request of the native API.
    struct Request: Hashable, Sendable {
        var method: String
        /// Below `/api/v1/`.
        var path: String
        var body: JSONValue?
    }

    /// The request that carries the order.
    ///
    /// - Parameter user: the person who is signed in.
    func request(of user: String) -> Request {
        let own = "users/\(ServerClient.encoded(user))"
        switch kind {
        case .declare(let declaration, let subject, let note, let place):
            let fields =
                [
                    ("kind", .string(declaration.rawValue)), ("id", .string(id)), ("sampleTime", said),
                    ("note", note.map { .string($0) }), ("latitude", place.map { .number($0.latitude) }),
                    ("longitude", place.map { .number($0.longitude) }),
                ] as [(String, JSONValue?)]
            return post("users/\(ServerClient.encoded(subject))/declarations", fields)
        case .checkIn(let subject):
            return post("users/\(ServerClient.encoded(subject))/check-ins", [("sampleTime", said)])
        case .callSeen(let incident):
            return post("incidents/\(incident)/acknowledgement", [("id", .string(id)), ("sampleTime", said)])
        case .startTimer(let subject, let seconds, let note):
            let path = "users/\(ServerClient.encoded(subject))/check-in-timer"
            let fields =
                [
                    ("intervalSeconds", .number(seconds)), ("note", note.map { .string($0) }), ("sampleTime", said),
                ] as [(String, JSONValue?)]
            return Request(method: "PUT", path: path, body: Self.object(fields))
        case .endTimer(let subject):
            return Request(method: "DELETE", path: "users/\(ServerClient.encoded(subject))/check-in-timer")
        case .pause(let until, let note):
            let fields = [("until", Self.time(until)), ("note", note.map { .string($0) })] as [(String, JSONValue?)]
            return Request(method: "PUT", path: own + "/pause", body: Self.object(fields))
        case .endPause: return Request(method: "DELETE", path: own + "/pause")
        default: return incidentRequest
        }
    }

    /// The request of an order about an incident.
    private var incidentRequest: Request {
        func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
        let id = ("id", JSONValue?.some(.string(id)))
        switch kind {
        case .startIncident(let team, let isDrill, let note):
            let kind = ("kind", JSONValue?.some(.string(isDrill ? "drill" : "real")))
            return post("teams/\(ServerClient.encoded(team))/incidents", [kind, ("note", text(note)), id])
        case .close(let number, let reason): return post("incidents/\(number)/close", [("reason", text(reason)), id])
        case .reopen(let number, let reason): return post("incidents/\(number)/reopen", [("reason", text(reason)), id])
        case .addVisitor(let number, let name, let state, let note):
            return post(
                "incidents/\(number)/roll", [("name", text(name)), ("state", text(state)), ("note", text(note)), id])
        case .mark(let number, let person, let state, let note):
            return post(
                "incidents/\(number)/roll/\(person)/mark", [("state", text(state)), ("note", text(note)), id])
        case .takeOff(let number, let person, let reason):
            return post("incidents/\(number)/roll/\(person)/removal", [("reason", text(reason)), id])
        case .requestPAR(let number, let note): return post("incidents/\(number)/par", [("note", text(note)), id])
        case .setPARTimer(let number, let everySeconds):
            let body = Self.object([("everySeconds", everySeconds.map { JSONValue.number($0) } ?? JSONValue.null)])
            return Request(method: "PUT", path: "incidents/\(number)/par", body: body)
        case .reportPAR(let number, let crew, let visitors, let present, let round, let note):
            let counted = ("present", JSONValue?.some(.integer(Int64(present))))
            let fields =
                [
                    ("crew", text(crew)), ("visitors", visitors.map { .boolean($0) }), counted,
                    ("number", round.map { .integer($0) }), ("note", text(note)), id,
                ] as [(String, JSONValue?)]
            return post("incidents/\(number)/par/reports", fields)
        case .handOver(let number, let user, let note):
            return post("incidents/\(number)/handover", [("to", text(user)), ("note", text(note)), id])
        default: preconditionFailure("every other order has a request of its own")
        }
    }

    private var said: JSONValue? { saidAt.map { Self.time($0) } }

    private func post(_ path: String, _ fields: [(String, JSONValue?)]) -> Request {
        Request(method: "POST", path: path, body: Self.object(fields))
    }

    private static func object(_ fields: [(String, JSONValue?)]) -> JSONValue {
        .object(fields.compactMap { key, value in value.map { JSONValue.Member(key, $0) } })
    }

    private static func time(_ moment: Date) -> JSONValue { .string(moment.rfc3339) }
}
