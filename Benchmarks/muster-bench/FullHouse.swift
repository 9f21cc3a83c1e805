import Foundation
import MusterCore
import MusterGeometry
import MusterTerminal
import NIOCore
import NIOPosix
import Synchronization

/// Teams with a leader each, and members who all report with their phones' own tokens and watch the live feed.
struct FullHouse: Sendable {
    let server: BenchServer
    let once: OneRequest
    private let tokens: [String]
    private let leaders: Int

    static let leadersPassword = "a leader's long password"
    private static let reportSeconds = 10

    /// Makes the teams and everyone in them.
    static func make(on server: BenchServer, people: Int, leaders: Int) async throws -> FullHouse {
        let once = OneRequest(
            host: server.load.host, port: server.load.port, group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let connection = server.connection
        try await connection.makeUnlessThere("/collections", json: ["name": "yards"])
        for number in 0..<leaders {
            try await connection.makeUnlessThere("/teams", json: NewTeam(name: "house\(number)"))
            let leader = ["name": "leader\(number)", "role": "leader", "team": "house\(number)"]
            try await connection.makeUnlessThere(
                "/users", json: leader.merging(["password": leadersPassword]) { $1 })
        }
        let yard =
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"muster":true},"#
            + #""geometry":{"type":"Polygon","coordinates":[[[13,45],[14.5,45],[14.5,48],[13,48],[13,45]]]}}]}"#
        try await connection.send(
            "POST", "/collections/yards/regions", body: Data(yard.utf8), contentType: "application/geo+json")
        var tokens = Array(repeating: "", count: people)
        try await withThrowingTaskGroup(of: [(Int, String)].self) { tasks in
            for lane in 0..<8 {
                tasks.addTask {
                    var made: [(Int, String)] = []
                    for number in stride(from: lane, to: people, by: 8) {
                        made.append((number, try await token(of: number, team: number % leaders, once, connection)))
                    }
                    return made
                }
            }
            for try await made in tasks { for (number, token) in made { tokens[number] = token } }
        }
        return FullHouse(server: server, once: once, tokens: tokens, leaders: leaders)
    }

    /// Makes a member with a phone; the phone's token.
    private static func token(
        of number: Int, team: Int, _ once: OneRequest, _ connection: Connection
    ) async throws -> String {
        var answer: [UInt8] = []
        for (path, body) in [
            ("/users", #"{"name":"u\#(number)","role":"member","team":"house\#(team)"}"#),
            ("/users/u\(number)/devices", #"{"name":"phone"}"#), ("/users/u\(number)/devices/phone/token", ""),
        ] {
            let request = HTTPAnswer.request(
                "POST", "/api/v1" + path, token: connection.token, body: Array(body.utf8))
            let told = try await once.send(request)
            guard (200..<300).contains(told.status) else { throw CommandFailure("\(path) was refused: \(told.status)") }
            answer = told.body
        }
        struct Made: Decodable { var token: String }
        return try JSONDecoder().decode(Made.self, from: Data(answer)).token
    }

    /// Opens everyone's live feed.
    func watch() async throws -> [any Channel] {
        var feeds: [any Channel] = []
        for (number, token) in tokens.enumerated() {
            let feed = try await ClientBootstrap(group: server.load.group)
                .connect(host: once.host, port: once.port).get()
            let request = HTTPAnswer.request(
                "GET", "/api/v1/live", token: token, body: [], from: Self.address(of: number))
            try await feed.writeAndFlush(request)
            feeds.append(feed)
        }
        return feeds
    }

    /// Everyone's phone reports, one after another, each every ten seconds.
    func report(forSeconds seconds: Int) async throws -> Load.Outcome {
        let interval = Double(Self.reportSeconds)
        var walkers = Walkers(
            tokens.count, from: .now.advanced(bySeconds: -2 * interval), stepMilliseconds: Int64(interval * 1000))
        var requests: [ByteBuffer] = []
        for _ in 0..<max(1, seconds / Self.reportSeconds) {
            for (number, token) in tokens.enumerated() {
                requests.append(
                    HTTPAnswer.request(
                        "POST", "/api/v1/positions", token: token,
                        body: Reporter.body(of: [(nil, walkers.next(number))]), from: Self.address(of: number)))
            }
        }
        let perSecond = Double(tokens.count) / Double(Self.reportSeconds)
        return try await server.load.run(BenchServer.dealt(requests, to: 64), perSecond: perSecond)
    }

    /// The requests of a leader.
    func shift(of number: Int) -> LeaderShift {
        let members = (0..<5).map { "u\(number + $0 * leaders)" }
        return LeaderShift(house: self, number: number, members: members)
    }

    private static func address(of number: Int) -> String { "10.1.\(number / 250).\(number % 250 + 1)" }
}

/// A leader who runs one incident after another: signs in, sees the team, opens the incident, hears of it on the live
/// feed, calls the roll, marks five people and closes it.
struct LeaderShift: Sendable {
    let house: FullHouse
    let number: Int
    let members: [String]

    private struct Refused: Error { var reason: String }

    func run(until end: ContinuousClock.Instant) async -> LeaderSamples {
        var samples = LeaderSamples()
        while ContinuousClock.now < end {
            do {
                try await runIncident(&samples)
            } catch {
                // The failure is counted already. The leader tries again after a short pause.
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        return samples
    }

    private func runIncident(_ samples: inout LeaderSamples) async throws {
        struct Session: Decodable { var accessToken: String }
        struct Incident: Decodable { var number: Int }
        let names = #"{"name":"leader\#(number)","password":"\#(FullHouse.leadersPassword)"}"#
        let session = try await sendRequest("sign in", "POST", "/session", names, "", &samples, as: Session.self)
        let token = session.accessToken
        _ = try await sendRequest("see the team", "GET", "/teams/house\(number)/safety", "", token, &samples)
        let ear = IncidentEar()
        let feed = try await listen(ear, token)
        defer { feed.close(promise: nil) }
        let start = ContinuousClock.now
        let incident = try await sendRequest(
            "open an incident", "POST", "/teams/house\(number)/incidents", #"{"kind":"real"}"#, token, &samples,
            as: Incident.self)
        guard let heard = await ear.heard() else {
            samples.addFailure("incident on the live feed", "not heard of within 30 s")
            throw Refused(reason: "not heard")
        }
        samples.add("incident on the live feed", start.duration(to: heard) / .milliseconds(1))
        let path = "/incidents/\(incident.number)"
        _ = try await sendRequest("call the roll", "GET", path, "", token, &samples)
        for member in members {
            _ = try await sendRequest(
                "mark a person", "POST", "/users/\(member)/declarations", #"{"kind":"safe"}"#, token, &samples)
        }
        _ = try await sendRequest("call the roll", "GET", path, "", token, &samples)
        _ = try await sendRequest(
            "close the incident", "POST", path + "/close", #"{"reason":"all clear"}"#, token, &samples)
    }

    private func sendRequest<Body: Decodable>(
        _ kind: String, _ method: String, _ path: String, _ body: String, _ token: String,
        _ samples: inout LeaderSamples, as type: Body.Type
    ) async throws -> Body {
        let bytes = try await sendRequest(kind, method, path, body, token, &samples)
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Sends a request, records how long the response took, and returns its body.
    private func sendRequest(
        _ kind: String, _ method: String, _ path: String, _ body: String, _ token: String,
        _ samples: inout LeaderSamples
    ) async throws -> [UInt8] {
        let request = HTTPAnswer.request(
            method, "/api/v1" + path, token: token, body: Array(body.utf8), from: "10.2.0.\(number + 1)")
        do {
            let answer = try await house.once.send(request)
            guard (200..<300).contains(answer.status) else {
                throw Refused(reason: "\(answer.status) \(String(decoding: answer.body.prefix(200), as: UTF8.self))")
            }
            samples.add(kind, answer.milliseconds)
            return answer.body
        } catch {
            samples.addFailure(kind, (error as? Refused)?.reason ?? "no answer within 30 s")
            throw error
        }
    }

    private func listen(_ ear: IncidentEar, _ token: String) async throws -> any Channel {
        let channel = try await ClientBootstrap(group: house.once.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(IncidentListener(ear))
                }
            }
            .connect(host: house.once.host, port: house.once.port).get()
        let request = HTTPAnswer.request(
            "GET", "/api/v1/live", token: token, body: [], from: "10.2.0.\(number + 1)")
        try await channel.writeAndFlush(request)
        await ear.isOpen()
        return channel
    }
}

/// Whether a live feed is open, and the time at which it reported an incident.
private final class IncidentEar: Sendable {
    private struct State {
        var isOpen = false
        var heard: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func recordOpening() { state.withLock { $0.isOpen = true } }
    func recordIncident() { state.withLock { state in if state.heard == nil { state.heard = .now } } }

    /// Waits until the feed is open, 30 seconds at most.
    func isOpen() async { _ = await wait { $0.isOpen ? true : nil } }

    /// The time at which the feed reported an incident; nil if it did not within 30 seconds.
    func heard() async -> ContinuousClock.Instant? { await wait { $0.heard } }

    private func wait<Found>(_ found: (State) -> Found?) async -> Found? {
        for _ in 0..<6_000 {
            if let found = state.withLock({ found($0) }) { return found }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }
}

/// Looks for an incident in a live feed.
private final class IncidentListener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let ear: IncidentEar
    private var rest = ""

    init(_ ear: IncidentEar) { self.ear = ear }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        ear.recordOpening()
        let text = rest + String(buffer: unwrapInboundIn(data))
        if text.contains("event: incident\n") { ear.recordIncident() }
        rest = String(text.suffix(20))
    }
}
