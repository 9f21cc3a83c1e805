import ArgumentParser
import Foundation
import MusterTerminal
import NIOCore
import NIOPosix

/// A client that means no good, or many of the same sort.
protocol Attacker: Sendable {
    /// Who attacks, and by what.
    var name: String { get }

    /// Attacks until a moment, and returns what came of it.
    func run(until end: ContinuousClock.Instant) async -> AttackTally
}

/// What came of an attack.
struct AttackTally: Sendable {
    /// What the server did as it was asked to.
    var answered = 0
    /// What the server refused, with a status, a reason or by closing the connection.
    var refused = 0
    /// What had no answer before the attacker gave it up.
    var unanswered = 0
    /// What reached someone whom it must not reach. Each is a hole.
    var leaks = 0
    /// The answers in the words of the protocol, with their number.
    var words: [String: Int] = [:]

    enum Result { case answered, refused, unanswered, leaked }

    mutating func count(_ result: Result, _ word: String) {
        switch result {
        case .answered: answered += 1
        case .refused: refused += 1
        case .unanswered: unanswered += 1
        case .leaked: leaks += 1
        }
        words[word, default: 0] += 1
    }

    mutating func merge(_ other: AttackTally) {
        answered += other.answered
        refused += other.refused
        unanswered += other.unanswered
        leaks += other.leaks
        words.merge(other.words, uniquingKeysWith: +)
    }

    /// How many requests, frames, messages or connections there were.
    var sum: Int { answered + refused + unanswered + leaks }
}

/// The attacks, of which each can be run alone.
enum AttackKind: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// A member's queries, feeds, relations, bodies and downloads of documents.
    case member
    /// A stranger's wrong passwords, garbage, slow heads, AWS bodies and unknown tokens.
    case stranger
    /// Challenges to prove a leader's password (SRP), which nobody answers.
    case srp
    /// New accounts, requests for codes, and wrong codes.
    case codes
    /// Members of one team at the relay, who exhaust it, break its protocol, and look for another team's streams.
    case relay
    /// A member's messages that are to be retained, for topics without end.
    case mqtt
    /// TLS connections that ask for much and read nothing.
    case tls

    /// Everyone who takes part in attacks of some kinds.
    static func attackers(_ kinds: [AttackKind], on server: BenchServer, house: FullHouse) async throws
        -> [any Attacker]
    {
        guard !kinds.isEmpty else { return [] }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let once = OneRequest(host: house.once.host, port: house.once.port, group: group)
        let mallory = try await Mallory.make(on: server, once)
        var attackers: [any Attacker] = []
        for kind in kinds {
            switch kind {
            case .member: attackers += try await Attackers.member(mallory, once)
            case .stranger: attackers += Attackers.stranger(once)
            case .srp: attackers.append(try await Attackers.challenges(of: server, once))
            case .codes: attackers.append(try await Attackers.codes(of: server, once))
            case .relay: attackers += try await RelayAttack.prepare(on: server, group: group)
            case .mqtt: attackers.append(try await RetainedFlood.prepare(on: server, mallory, group: group))
            case .tls: attackers.append(try await UnreadTLS.prepare(on: server, mallory, group: group))
            }
        }
        return attackers
    }
}

/// The member who attacks.
struct Mallory: Sendable {
    static let name = "mallory"
    static let address = "10.3.0.1"
    /// The access token of the member's session.
    let token: String

    /// Makes the member, with a device, and signs the member in.
    static func make(on server: BenchServer, _ once: OneRequest) async throws -> Mallory {
        let password = "a member's long password"
        try await server.connection.makeUnlessThere(
            "/users", json: ["name": name, "role": "member", "team": "house0", "password": password])
        let session = try await once.send(
            HTTPAnswer.request(
                "POST", "/api/v1/session", token: "",
                body: Array(#"{"name":"\#(name)","password":"\#(password)"}"#.utf8), from: address))
        struct Session: Decodable { var accessToken: String }
        return Mallory(
            token: try JSONDecoder().decode(Session.self, from: Data(session.body)).accessToken)
    }

    /// Makes an API key of a user.
    static func key(of user: String, on server: BenchServer) async throws -> String {
        struct NewKey: Encodable {
            var label = "attack"
            var user: String
        }
        struct Made: Decodable { var key: String }
        let body = try await server.connection.send("POST", "/keys", json: NewKey(user: user))
        return try JSONDecoder().decode(Made.self, from: body).key
    }
}
