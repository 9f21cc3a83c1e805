import Foundation
import MusterCore
import MusterTerminal
import NIOCore

/// The requests of each scenario; the sample times continue from one scenario to the next.
struct Scenarios {
    /// What the phones' clocks show.
    enum Clocks {
        /// The server's time. No sample is ahead of it, and each is younger than the engine's tolerance when it is
        /// sent, so the engine watches no device.
        case right
        /// 20 days less. The engine watches each device, and asks the store about each position.
        case behind
    }

    /// How positions are sent.
    struct Shape {
        var connections: Int
        /// Positions of a request.
        var each: Int
        /// Whether a request has positions of many devices. Otherwise each connection has one device.
        var isMixed = false

        /// Requests of 100, as many as are compared with each other.
        static let hundreds = Shape(connections: 64, each: 100, isMixed: true)

        /// How many positions a connection sends in requests of `each`, so that all of them send about `positions`.
        fileprivate func requestsOfConnection(_ positions: Int) -> Int { max(1, positions / each / connections) }

        /// How many positions one of so many devices has in a run, at most. The devices of a mixed request are drawn at
        /// random: six standard deviations above the mean.
        fileprivate func positionsOfDevice(_ positions: Int, among people: Int) -> Int {
            let sent = requestsOfConnection(positions) * each
            guard isMixed else { return sent }
            let mean = Double(sent * connections) / Double(people)
            return Int(mean + 6 * mean.squareRoot() + 10)
        }
    }

    let server: BenchServer
    private let people: Int
    private let clocks: Clocks
    private var walkers: Walkers

    /// A device that was silent for longer than this begins so many seconds ago. It leaves most of the engine's
    /// tolerance for making and sending the requests.
    private static let longestSpan = 20.0
    private static let stepBehind: Int64 = 37

    init(server: BenchServer, people: Int, clocks: Clocks) {
        self.server = server
        self.people = people
        self.clocks = clocks
        let start = clocks == .right ? Instant.now.advanced(bySeconds: -Self.longestSpan) : .twentyDaysAgo
        walkers = Walkers(people, from: start, stepMilliseconds: Self.stepBehind)
    }

    /// Sends positions, and measures it.
    ///
    /// - Throws: `CommandFailure` if a sample became older than the engine's tolerance before it was sent.
    mutating func run(_ shape: Shape, positions: Int) async throws -> Load.Outcome {
        let madeAt = Instant.now
        let requests = requests(shape, positions: positions)
        guard clocks == .right else { return try await server.load.run(requests) }
        let newest = walkers.newestSample
        let ahead = newest.seconds(since: .now)
        if ahead > 0 { try await Task.sleep(for: .seconds(ahead)) }
        let sentAt = Instant.now
        let outcome = try await server.load.run(requests)
        // Each connection sends its samples in order, so the oldest one is among its first or its last.
        let age = max(sentAt.seconds(since: madeAt) + Self.longestSpan, Instant.now.seconds(since: newest))
        guard age < Engine.clockToleranceSeconds else {
            throw CommandFailure("some samples were \(Int(age)) s old when they were sent: choose fewer positions")
        }
        return outcome
    }

    /// For each connection its requests, `positions` positions in all.
    mutating func requests(_ shape: Shape, positions: Int) -> [[ByteBuffer]] {
        if clocks == .right {
            walkers.spread(
                shape.positionsOfDevice(positions, among: people), before: .now, seconds: Self.longestSpan)
        }
        return walkers.requests(shape, positions: positions, token: server.connection.token)
    }

    /// Lets clocks that are behind advance by an hour with so many samples of a device; nil for as fast as before.
    mutating func passHour(with samples: Int?) {
        guard clocks == .behind else { return }
        walkers.step(byMilliseconds: samples.map { 3_600_000 / Int64(max(1, $0)) } ?? Self.stepBehind)
    }
}

/// Phones whose clocks are right, and which upload what they stored before.
struct LateScenarios {
    /// Where the uploaded samples lie among those that the server has.
    enum Scenario: String, CaseIterable {
        case mixedBetween = "64 × 100, mixed, between stored"
        case deviceBetween = "64 × 100, one device a request, between stored"
        case mixedBefore = "64 × 100, mixed, before stored"
    }

    private let server: BenchServer
    private let people: Int
    private let start = Instant.now
    private var walkers: Walkers

    /// How long ago the stored samples begin, and how far apart those of a device are, seconds.
    private static let (daySeconds, gapSeconds) = (86_400.0, 7_200.0)

    init(server: BenchServer, people: Int) {
        self.server = server
        self.people = people
        walkers = Walkers(people, from: start, stepMilliseconds: 1000)
    }

    /// Reports three present samples of everyone, which show that the clocks are right, and one every two hours of the
    /// day before.
    mutating func prepare() async throws {
        walkers.setClocks(to: .now.advanced(bySeconds: -10))
        try await reportEveryone(rounds: 3)
        walkers.setClocks(to: start.advanced(bySeconds: -Self.daySeconds))
        walkers.step(byMilliseconds: Int64(Self.gapSeconds * 1000))
        try await reportEveryone(rounds: Int(Self.daySeconds / Self.gapSeconds) - 1)
    }

    private mutating func reportEveryone(rounds: Int) async throws {
        for _ in 0..<rounds {
            let requests = walkers.roundOfEveryone(count: 100, token: server.connection.token)
            let outcome = try await server.load.run(BenchServer.dealt(requests, to: 16))
            guard outcome.failures.isEmpty else { throw CommandFailure("reporting failed: \(outcome.failures)") }
        }
    }

    /// Sends older positions, and measures it.
    mutating func run(_ scenario: Scenario, positions: Int) async throws -> Load.Outcome {
        let shape = Scenarios.Shape(connections: 64, each: 100, isMixed: scenario != .deviceBetween)
        let samples = shape.positionsOfDevice(positions, among: people)
        walkers.setClocks(to: start.advanced(bySeconds: -Self.daySeconds))
        // In the order of time, from the first stored sample to the last; or ever further back from the first.
        let between = Int64((Self.daySeconds - Self.gapSeconds) * 1000) / Int64(samples)
        walkers.step(byMilliseconds: scenario == .mixedBefore ? -37 : max(1, between))
        return try await server.load.run(
            walkers.requests(shape, positions: positions, token: server.connection.token))
    }
}

extension Walkers {
    /// For each connection its requests, `positions` positions in all. No two connections report the same device, so
    /// the samples of a device arrive in order.
    fileprivate mutating func requests(
        _ shape: Scenarios.Shape, positions: Int, token: String
    ) -> [[ByteBuffer]] {
        var requests = Array(repeating: [ByteBuffer](), count: shape.connections)
        for _ in 0..<shape.requestsOfConnection(positions) {
            for connection in 0..<shape.connections {
                requests[connection].append(
                    shape.isMixed
                        ? mixedRequest(of: connection, among: shape.connections, count: shape.each, token: token)
                        : request(of: connection, count: shape.each, token: token))
            }
        }
        return requests
    }
}

extension Instant {
    fileprivate static var twentyDaysAgo: Instant { .now.advanced(bySeconds: -20 * 86_400) }
}
